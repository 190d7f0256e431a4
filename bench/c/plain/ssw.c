/* ssw.c: the largest score of a local alignment with affine gaps by the SSW library,
 * which has vectors of 8 and 16 bits, on one core.
 *
 * usage: ssw QUERY.fa TARGET.fa
 *
 * Prints the time and the score. There is no alignment. */
#include "fasta.h"

#include <ssw.h>

int main(int argc, char **argv)
{
    Sequence query = read_fasta(argc > 1 ? argv[1] : NULL), target = read_fasta(argc > 2 ? argv[2] : NULL);
    int8_t pairs[LETTERS * LETTERS];
    for (int i = 0; i < LETTERS * LETTERS; i++)
        pairs[i] = blosum62(i / LETTERS, i % LETTERS);
    double began = seconds();
    s_profile *profile = ssw_init(query.codes, query.length, pairs, LETTERS, 2);
    s_align *best = ssw_align(profile, target.codes, target.length, GAP_OPEN + GAP_EXTEND, GAP_EXTEND, 0, 0, 0, query.length / 2);
    if (!best)
        fail("ssw_align failed");
    printf("time %.6g s\nscore %d\n", seconds() - began, best->score1);
    align_destroy(best);
    init_destroy(profile);
    free(target.codes);
    free(query.codes);
    return 0;
}
