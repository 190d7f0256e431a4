/* lu.c: LU decomposition of a random matrix by LAPACK's dgetrf, of OpenBLAS, on one
 * core.
 *
 * usage: lu ORDER
 *
 * The solution of a system with it is checked as HPL does. Prints which kernels OpenBLAS
 * uses, which are the best that the processor can run: see openblas.h. */
#include "plain.h"
#include "../openblas.h"

#include <float.h>
#include <math.h>
#include <string.h>

void openblas_set_num_threads(int threads);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivots, double *b, const int *ldb, int *info, size_t trans_length);

static double norm(const double *a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(a[j * n + i]);
        most = fmax(most, sum);
    }
    return most;
}

/* residual is max|Ax - b| / (n eps ||A|| max|x|). */
static double residual(const double *a, const double *x, const double *b, size_t n)
{
    double off = 0, size = 0, *r = allocate_zeros(n, sizeof *r);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            r[i] += a[j * n + i] * x[j];
    for (size_t i = 0; i < n; i++) {
        off = fmax(off, fabs(r[i] - b[i]));
        size = fmax(size, fabs(x[i]));
    }
    free(r);
    return off / ((double)n * DBL_EPSILON * norm(a, n) * size);
}

int main(int argc, char **argv)
{
    use_best_kernels(argv);
    int order = argument(argc, argv, 1), one = 1, info;
    size_t n = (size_t)order;
    double *a = allocate_zeros(n * n, sizeof *a), *lu = allocate_zeros(n * n, sizeof *lu);
    double *b = allocate_zeros(n, sizeof *b), *x = allocate_zeros(n, sizeof *x);
    int *pivots = allocate_zeros(n, sizeof *pivots);
    for (size_t i = 0; i < n * n; i++)
        a[i] = 2 * uniform(i) - 1;
    for (size_t i = 0; i < n; i++)
        x[i] = b[i] = 2 * uniform(n * n + i) - 1;
    memcpy(lu, a, n * n * sizeof *a);
    openblas_set_num_threads(1);
    printf("with %s\n", kernels());
    double began = seconds();
    dgetrf_(&order, &order, lu, &order, pivots, &info);
    printf("time %.6g s\n", seconds() - began);
    if (info == 0)
        dgetrs_("N", &order, &one, lu, &order, pivots, x, &order, &info, 1);
    if (info != 0 || !(residual(a, x, b, n) <= 16))
        fail("FAILED: the decomposition is wrong");
    free(pivots);
    free(x);
    free(b);
    free(lu);
    free(a);
    return 0;
}
