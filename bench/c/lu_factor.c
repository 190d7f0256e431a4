/* lu_factor.c: the two decompositions of lu.h, unblocked. */
#include "lu.h"

#include <math.h>
#include <string.h>

enum { WORD = sizeof(double) };

static double *local_row(const Lu *lu, int i)
{
    return lu->a + (size_t)(i / lu->M) * lu->cols;
}

/* update subtracts the product of column piece l and row piece u from the part
 * of the local matrix below and to the right of (k,k). */
static void update(const Lu *lu, int k)
{
    int from = owned(k + 1, lu->t, lu->N), width = lu->cols - from;
    for (int i = owned(k + 1, lu->s, lu->M); i < lu->rows; i++) {
        double *restrict row = lu->a + (size_t)i * lu->cols + from;
        const double *restrict u = lu->u + from;
        double l = lu->l[i];
        for (int j = 0; j < width; j++)
            row[j] -= l * u[j];
    }
}

/* scale_column multiplies the elements below (k,k) by the inverse of the pivot
 * and collects them in l. For the processes that hold column k. */
static void scale_column(Lu *lu, int k, double pivot)
{
    double inverse = 1 / pivot, *a = lu->a + k / lu->N;
    for (int i = owned(k + 1, lu->s, lu->M); i < lu->rows; i++) {
        a[(size_t)i * lu->cols] *= inverse;
        lu->l[i] = a[(size_t)i * lu->cols];
    }
}

/* send_column puts l, below row k, to the other processes of the grid row. */
static void send_column(const Lu *lu, int k)
{
    int from = owned(k + 1, lu->s, lu->M);
    for (int t = 0; t < lu->N; t++)
        if (t != lu->t)
            bsp_put(pid_of(lu, lu->s, t), lu->l + from, lu->l, from * WORD,
                    (lu->rows - from) * WORD);
}

/* send_row puts global row i, to the right of column k, into u of all processes
 * of the grid column. For the processes that hold row i. */
static void send_row(const Lu *lu, int i, int k)
{
    int from = owned(k + 1, lu->t, lu->N), bytes = (lu->cols - from) * WORD;
    const double *row = local_row(lu, i) + from;
    memcpy(lu->u + from, row, bytes);
    for (int s = 0; s < lu->M; s++)
        if (s != lu->s)
            bsp_put(pid_of(lu, s, lu->t), row, lu->u, from * WORD, bytes);
}

/* offer_pivot tells every process this one's largest element of column k, from
 * row k down. For the processes that hold column k. */
static void offer_pivot(const Lu *lu, int k)
{
    const double *column = lu->a + k / lu->N;
    Candidate c = {0, lu->n, 0};
    for (int i = owned(k, lu->s, lu->M); i < lu->rows; i++) {
        double x = column[(size_t)i * lu->cols];
        if (fabs(x) > fabs(c.value)) {
            c.value = x;
            c.row = (double)i * lu->M + lu->s;
        }
    }
    if (k % lu->M == lu->s)
        c.diagonal = local_row(lu, k)[k / lu->N];
    for (int q = 0; q < lu->M * lu->N; q++)
        bsp_put(q, &c, lu->cand, lu->s * (int)sizeof c, sizeof c);
}

/* choose_pivot picks the same candidate on every process: the largest, of equal
 * ones the uppermost. */
static Candidate choose_pivot(const Lu *lu, int k)
{
    Candidate best = lu->cand[0];
    for (int s = 1; s < lu->M; s++) {
        Candidate c = lu->cand[s];
        double more = fabs(c.value) - fabs(best.value);
        if (more > 0 || (more == 0 && c.row < best.row))
            best = c;
    }
    if (best.value == 0)
        bsp_abort("lu: the matrix is singular at column %d\n", k);
    best.diagonal = lu->cand[k % lu->M].diagonal;
    return best;
}

/* put_row writes local row `from` over global row `to`, at the end of the
 * superstep. */
static void put_row(const Lu *lu, int from, int to)
{
    int bytes = lu->cols * WORD;
    bsp_put(pid_of(lu, to % lu->M, lu->t), local_row(lu, from), lu->a,
            to / lu->M * bytes, bytes);
}

/* swap_rows exchanges global rows k and r, whole, by the end of the superstep. */
static void swap_rows(Lu *lu, int k, int r)
{
    int has_k = k % lu->M == lu->s, has_r = r % lu->M == lu->s;
    if (has_k && has_r) {
        double *x = local_row(lu, k), *y = local_row(lu, r);
        for (int j = 0; j < lu->cols; j++) {
            double keep = x[j];
            x[j] = y[j];
            y[j] = keep;
        }
    } else if (has_k) {
        put_row(lu, k, r);
    } else if (has_r) {
        put_row(lu, r, k);
    }
    int keep = lu->perm[k];
    lu->perm[k] = lu->perm[r];
    lu->perm[r] = keep;
}

/* scale_pivot_column is scale_column when rows k and r are about to be swapped:
 * it leaves in row k what row r must get, and the other way round. */
static void scale_pivot_column(Lu *lu, int k, Candidate pivot)
{
    int r = (int)pivot.row, j = k / lu->N;
    scale_column(lu, k, pivot.value);
    if (r == k)
        return;
    if (r % lu->M == lu->s) {
        local_row(lu, r)[j] = pivot.value;
        lu->l[r / lu->M] = pivot.diagonal / pivot.value;
    }
    if (k % lu->M == lu->s)
        local_row(lu, k)[j] = pivot.diagonal / pivot.value;
}

int lu_partial(Lu *lu)
{
    for (int k = 0; k < lu->n; k++) {
        int has_column = k % lu->N == lu->t;
        if (has_column)
            offer_pivot(lu, k);
        bsp_sync();

        Candidate pivot = choose_pivot(lu, k);
        int r = (int)pivot.row;
        if (has_column) {
            scale_pivot_column(lu, k, pivot);
            send_column(lu, k);
        }
        if (r % lu->M == lu->s)
            send_row(lu, r, k);
        if (r != k)
            swap_rows(lu, k, r);
        bsp_sync();

        update(lu, k);
    }
    return 2 * lu->n;
}

/* pass_diagonal puts a(k,k) to the processes that hold column k. */
static void pass_diagonal(const Lu *lu, int k)
{
    if (k >= lu->n || k % lu->M != lu->s || k % lu->N != lu->t)
        return;
    for (int s = 0; s < lu->M; s++)
        bsp_put(pid_of(lu, s, lu->t), local_row(lu, k) + k / lu->N, lu->cand, 0, WORD);
}

int lu_unpivoted(Lu *lu)
{
    pass_diagonal(lu, 0);
    bsp_sync();
    for (int k = 0; k < lu->n; k++) {
        if (k % lu->N == lu->t) {
            scale_column(lu, k, lu->cand[0].value);
            send_column(lu, k);
        }
        if (k % lu->M == lu->s)
            send_row(lu, k, k);
        bsp_sync();

        update(lu, k);
        pass_diagonal(lu, k + 1);
        bsp_sync();
    }
    return 2 * lu->n + 1;
}
