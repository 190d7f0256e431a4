/* fasta.h: reads sequences of amino acids. */
#ifndef MIGBSP_BENCH_FASTA_H
#define MIGBSP_BENCH_FASTA_H

#include "blosum62.h"
#include "plain.h"

#include <string.h>

typedef struct {
    int length;
    int8_t *codes; /* places in letters */
} Sequence;

/* read_fasta reads a file of one sequence. */
static inline Sequence read_fasta(const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        fail("expected two FASTA files: see the head of the source");
    int room = 1 << 16, c;
    Sequence s = {0, allocate_zeros((size_t)room, 1)};
    while ((c = getc(file)) != '\n' && c != EOF)
        ; /* the name */
    while ((c = getc(file)) != EOF) {
        const char *at = c > 0 ? strchr(letters, c) : NULL;
        if (!at)
            continue; /* the end of a line */
        if (s.length == room && !(s.codes = realloc(s.codes, (size_t)(room *= 2))))
            fail("out of memory");
        s.codes[s.length++] = (int8_t)(at - letters);
    }
    fclose(file);
    return s;
}

#endif
