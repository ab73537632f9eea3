/* What the unwinder of gcc expects of glibc, for musl: `_dl_find_object`, by the function that every C library has. */

#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdint.h>

/* The unwinder calls these without asking the linker for them. */
__attribute__((used)) static void *const wanted[] = {
    (void *)pthread_once,        (void *)pthread_key_create, (void *)pthread_getspecific,
    (void *)pthread_setspecific, (void *)pthread_mutex_lock, (void *)pthread_mutex_unlock,
};

struct found {
    unsigned long long flags;
    void *start, *end;
    void *map;
    void *frames;
    unsigned long long reserved[7];
};

struct question {
    uintptr_t at;
    struct found *answer;
};

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct question *question = data;
    (void)size;
    uintptr_t start = 0, end = 0, frames = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && question->at >= from && question->at < from + part->p_memsz) {
            start = from;
            end = from + part->p_memsz;
        }
        if (part->p_type == PT_GNU_EH_FRAME) frames = from;
    }
    if (!end || !frames) return 0;
    struct found *answer = question->answer;
    answer->flags = 0;
    answer->start = (void *)start;
    answer->end = (void *)end;
    answer->map = 0;
    answer->frames = (void *)frames;
    return 1;
}

int _dl_find_object(void *at, struct found *answer) {
    struct question question = {(uintptr_t)at, answer};
    return dl_iterate_phdr(look, &question) ? 0 : -1;
}
