// tree-sitter's own parser, compiled together with what is done here otherwise, so that it can be: memory (arena.h),
// what letters are (letters.h), the parse (parse.h) and the way through the finished tree (nodes.h).

#include "arena.h"
#include "letters.h"

#define TREE_SITTER_HIDE_SYMBOLS
#define ts_malloc arena_malloc
#define ts_calloc arena_calloc
#define ts_realloc arena_realloc
#define ts_free arena_free

// Trees are made, looked at and forgotten by one thread, so what counts their uses need not be atomic.
#define TREE_SITTER_ATOMIC_H_
static inline size_t atomic_load(const volatile size_t *count) { return *count; }
static inline uint32_t atomic_inc(volatile uint32_t *count) { return *count += 1; }
static inline uint32_t atomic_dec(volatile uint32_t *count) { return *count -= 1; }

// Scanners keep their state in TREE_SITTER_SERIALIZATION_BUFFER_SIZE bytes, and the scanner of YAML writes two more where
// 254 levels are open. The buffer that they write to is larger than they know.
#include "tree_sitter/api.h"
#include "parser.h"
#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 4096

#include "lib.c"

_Static_assert(
  TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION == 13 && TREE_SITTER_LANGUAGE_VERSION == 15,
  "ABI_VERSIONS in grammar.rs says otherwise"
);

#include "parse.h"

#include "nodes.h"

Syntax *bytemill_syntax_new(void) {
  Syntax *syntax = from_system(sizeof(Syntax));
  memset(syntax, 0, sizeof(Syntax));
  syntax->letters = letters_new();
  return syntax;
}

void bytemill_syntax_delete(Syntax *syntax) {
  arena_delete(&syntax->arena);
  letters_delete(syntax->letters);
  free(syntax);
}

// The visible nodes of a source in their order, until the next call, and their number; NULL where the parse was given
// up, by the bounds or because the language is of another version. `stock`: by tree-sitter's own steps alone.
const Node *bytemill_syntax_nodes(
  Syntax *syntax,
  const TSLanguage *language,
  const char *source,
  uint32_t length,
  const Bounds *bounds,
  bool stock,
  uint32_t *count
) {
  Arena *arena = &syntax->arena;
  arena_reset(arena);
  arena->most = UINT64_MAX;
  current_arena = arena;
  Letters before = letters_use(syntax->letters);
  Input input = {.source = source, .length = length, .bounds = bounds, .parser = ts_parser_new()};
  arena->most = chunks(&input) * bounds->chunk * bounds->most_memory;
  const Node *nodes = NULL;
  // No frame but those of C is between here and where memory is asked for.
  if (ts_parser_set_language(input.parser, language) && !setjmp(arena->out)) {
    Subtree root = parse(syntax, &input, stock);
    if (root.ptr) nodes = nodes_of(root, language, count);
  }
  // All else is in the arena.
  ts_parser__external_scanner_destroy(input.parser);
  letters_use(before);
  current_arena = NULL;
  return nodes;
}
