// The memory of one parse. tree-sitter asks for small pieces and gives most of them back when its tree is deleted; here
// the tree is never deleted, and all of it goes at once with the next parse. So a parse can also be left at any point:
// where it asks for more than it may.

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks for pieces grow with the source; a piece that is larger than that has a block of its own.
#define FIRST_BLOCK ((size_t)1 << 16)
#define LARGEST_BLOCK ((size_t)1 << 22)
// What is kept for the next parse.
#define MOST_KEPT ((size_t)1 << 24)

// Pieces have sizes of sixteen bytes each up to 1,024, then powers of two: what is given back is used again for the
// same size.
#define SMALL 1024
#define SMALL_CLASSES (SMALL / 16)
#define CLASSES (SMALL_CLASSES + 64)

typedef struct Block {
  struct Block *next;
  size_t size;
} Block;

typedef struct {
  Block *blocks;
  // The block in use; those after it in the list are free.
  Block *current;
  char *at, *end;
  void *given_back[CLASSES];
  // All bytes that were asked for in this parse, also those that were given back, how many may be, and the way out.
  uint64_t asked, most;
  jmp_buf out;
} Arena;

// tree-sitter's functions know of no arena: it is that of the parse that the thread is in.
static _Thread_local Arena *current_arena;

static void *from_system(size_t size) {
  void *memory = malloc(size);
  if (!memory) {
    fprintf(stderr, "bytemill: no memory for a syntax tree (%zu bytes)\n", size);
    abort();
  }
  return memory;
}

// A piece has its class in the eight bytes before it.
#define HEADER sizeof(uint64_t)

static inline uint32_t class_of(size_t size) {
  if (size <= SMALL) return size ? (uint32_t)((size - 1) / 16) : 0;
  uint32_t class = SMALL_CLASSES;
  while (((size_t)SMALL << 1 << (class - SMALL_CLASSES)) < size) class++;
  return class;
}

static inline size_t size_of(uint32_t class) {
  return class < SMALL_CLASSES ? ((size_t)class + 1) * 16 : (size_t)SMALL << 1 << (class - SMALL_CLASSES);
}

static void arena_use(Arena *arena, Block *block) {
  arena->current = block;
  arena->at = (char *)(block + 1);
  arena->end = (char *)block + block->size;
}

static void arena_more(Arena *arena, size_t size) {
  Block *next = arena->current ? arena->current->next : arena->blocks;
  if (next && next->size >= sizeof(Block) + size) {
    arena_use(arena, next);
    return;
  }
  size_t wanted = arena->current ? arena->current->size * 2 : FIRST_BLOCK;
  if (wanted > LARGEST_BLOCK) wanted = LARGEST_BLOCK;
  if (wanted < sizeof(Block) + size) wanted = sizeof(Block) + size;
  Block *block = from_system(wanted);
  *block = (Block){.next = next, .size = wanted};
  if (arena->current) arena->current->next = block;
  else arena->blocks = block;
  arena_use(arena, block);
}

static inline void *arena_malloc(size_t size) {
  Arena *arena = current_arena;
  uint32_t class = class_of(size);
  arena->asked += size_of(class);
  if (arena->asked > arena->most) longjmp(arena->out, 1);
  void *piece = arena->given_back[class];
  if (piece) {
    memcpy(&arena->given_back[class], piece, sizeof(void *));
    return piece;
  }
  size_t whole = HEADER + size_of(class);
  if ((size_t)(arena->end - arena->at) < whole) arena_more(arena, whole);
  char *start = arena->at;
  arena->at += whole;
  uint64_t header = class;
  memcpy(start, &header, HEADER);
  return start + HEADER;
}

static inline uint32_t class_at(const void *piece) {
  uint64_t header;
  memcpy(&header, (const char *)piece - HEADER, HEADER);
  return (uint32_t)header;
}

static inline void arena_free(void *piece) {
  if (!piece) return;
  void **first = &current_arena->given_back[class_at(piece)];
  memcpy(piece, first, sizeof(void *));
  *first = piece;
}

static void *arena_calloc(size_t count, size_t size) {
  void *piece = arena_malloc(count * size);
  memset(piece, 0, count * size);
  return piece;
}

static void *arena_realloc(void *piece, size_t size) {
  if (!piece) return arena_malloc(size);
  size_t had = size_of(class_at(piece));
  if (size <= had) return piece;
  void *larger = arena_malloc(size);
  memcpy(larger, piece, had);
  arena_free(piece);
  return larger;
}

// All that was in it is gone; blocks stay for the next parse, up to a bound.
static void arena_reset(Arena *arena) {
  size_t kept = 0;
  Block **link = &arena->blocks;
  while (*link) {
    Block *block = *link;
    kept += block->size;
    if (kept <= MOST_KEPT) {
      link = &block->next;
    } else {
      *link = block->next;
      free(block);
    }
  }
  arena->current = NULL;
  arena->at = arena->end = NULL;
  arena->asked = 0;
  memset(arena->given_back, 0, sizeof(arena->given_back));
}

static void arena_delete(Arena *arena) {
  for (Block *block = arena->blocks, *next; block; block = next) {
    next = block->next;
    free(block);
  }
}
