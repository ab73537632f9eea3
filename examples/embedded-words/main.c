/* The ids of words on standard input, one word a line, from a vocabulary that is part of the program.
   Build: bytemill embed words.mill vocabulary.h && cc -std=c99 -O2 -o words main.c */
#include <stdio.h>

#include "vocabulary.h"

int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        size_t length = strcspn(line, "\n");
        int64_t id = vocabulary_token_to_id((const uint8_t *)line, length);
        printf("%lld\n", (long long)(id < 0 ? VOCABULARY_UNK_ID : id));
    }
    return 0;
}
