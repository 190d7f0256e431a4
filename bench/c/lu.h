/* lu.h: dense LU decomposition on an M x N grid of processes.
 *
 * The matrix is distributed cyclically in both dimensions: element (i,j) lives
 * on process P(i mod M, j mod N), in local row i/M and local column j/N. Local
 * matrices are stored by rows. */
#ifndef MIGBSP_BENCH_LU_H
#define MIGBSP_BENCH_LU_H

#include "dialect.h"

/* Candidate is what one process row offers as the pivot of a stage. */
typedef struct {
    double value;     /* its largest element of the column, by magnitude */
    double row;       /* the global row of that element, n if it has none */
    double diagonal;  /* element (k,k), from the process row that holds it */
} Candidate;

typedef struct {
    int n, M, N;      /* matrix order and grid */
    int s, t;         /* this is process P(s,t), pid s + t*M */
    int rows, cols;   /* size of the local matrix */
    double *a;        /* local matrix, registered */
    double *l, *u;    /* pieces of the current column and row, registered */
    Candidate *cand;  /* one per process row, registered */
    int *perm;        /* perm[i] is the original number of row i; replicated */
} Lu;

/* owned counts the indices below k that fall on part s of `parts`; it is also
 * the first local index whose global index is k or more. */
static inline int owned(int k, int s, int parts)
{
    return (k + parts - 1 - s) / parts;
}

static inline int pid_of(const Lu *lu, int s, int t)
{
    return s + t * lu->M;
}

/* lu_partial replaces A by L and U with P A = L U, pivoting by column, in two
 * supersteps per stage. It returns the number of supersteps. Collective. */
int lu_partial(Lu *lu);

/* lu_unpivoted replaces A by L and U with A = L U in 2n+1 supersteps of three
 * types: pass a(k,k); scale column k, pass column and row k; update and pass
 * the next a(k,k). It returns the number of supersteps. Collective. */
int lu_unpivoted(Lu *lu);

#endif
