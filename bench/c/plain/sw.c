/* sw.c: the largest score of a local alignment with affine gaps (Smith and Waterman,
 * Gotoh), row by row as in a textbook, on one core.
 *
 * usage: sw QUERY.fa TARGET.fa
 *
 * Prints the time and the score. There is no alignment. */
#include "fasta.h"

typedef struct {
    int h, f; /* of a column, in the row before */
} Cell;

static int most(int a, int b) { return a > b ? a : b; }

static int score(Sequence query, Sequence target)
{
    Cell *row = allocate_zeros((size_t)target.length, sizeof *row);
    int8_t *pair = allocate_zeros((size_t)target.length, LETTERS), *p = pair;
    int best = 0;
    for (int a = 0; a < LETTERS; a++)
        for (int j = 0; j < target.length; j++)
            *p++ = blosum62(a, target.codes[j]);
    for (int i = 0; i < query.length; i++) {
        int diagonal = 0, e = 0;
        p = pair + (size_t)query.codes[i] * (size_t)target.length;
        for (int j = 0; j < target.length; j++) {
            int h = most(most(diagonal + p[j], 0), most(e, row[j].f));
            diagonal = row[j].h;
            row[j].h = h;
            best = most(best, h);
            e = most(h - GAP_OPEN, e) - GAP_EXTEND;
            row[j].f = most(h - GAP_OPEN, row[j].f) - GAP_EXTEND;
        }
    }
    free(pair);
    free(row);
    return best;
}

int main(int argc, char **argv)
{
    Sequence query = read_fasta(argc > 1 ? argv[1] : NULL), target = read_fasta(argc > 2 ? argv[2] : NULL);
    double began = seconds();
    int best = score(query, target);
    printf("time %.6g s\nscore %d\n", seconds() - began, best);
    free(target.codes);
    free(query.codes);
    return 0;
}
