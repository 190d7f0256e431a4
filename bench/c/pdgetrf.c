/* pdgetrf.c: times ScaLAPACK's LU decomposition, to be set beside lu.c.
 *
 * usage: pdgetrf [-n order] [-grid PxQ] [-nb block] [-seed s] [-repeat r] [-nocheck]
 *
 * The grid defaults to 1 x all processes. Prints the same JSON lines as lu.c;
 * the residual is max|Ax - b| / (n eps ||A||oo ||x||oo) for the x that pdgetrs
 * finds for a random b. It differs from that of lu.c but is of order one or less
 * likewise; above 16 the run fails. A line before them says which kernels OpenBLAS
 * uses, which are the best that the processor can run: see openblas.h. */
#include "openblas.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

/* BLACS and ScaLAPACK, which bring no C header. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *nb, const int *iproc, const int *isrc, const int *nprocs);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
               const int *irsrc, const int *icsrc, const int *context, const int *lld, int *info);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *ipiv, int *info);
void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *desca, const int *ipiv, double *b, const int *ib,
              const int *jb, const int *descb, int *info);
void pdgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *desca, const double *x, const int *ix,
             const int *jx, const int *descx, const int *incx, const double *beta, double *y,
             const int *iy, const int *jy, const int *descy, const int *incy);
double pdlange_(const char *norm, const int *m, const int *n, const double *a, const int *ia,
                const int *ja, const int *desca, double *work);

static const int zero = 0, one = 1;

typedef struct {
    int n, P, Q, nb, repeat, check;
    uint64_t seed;
} Options;

typedef struct {
    int row, col;     /* place of this process in the grid */
    int rows, cols;   /* size of the local matrix, stored by columns */
    int desc[9], desc_vector[9];
} Layout;

static void fail(const char *what)
{
    fprintf(stderr, "pdgetrf: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (!p)
        fail("out of memory");
    return p;
}

/* element is that of lu.c: uniform in [-1,1), a function of seed, i and j. */
static double element(const Options *opt, int i, int j)
{
    uint64_t x = opt->seed + ((uint64_t)i * (uint64_t)opt->n + (uint64_t)j + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* global returns the global index of local index i on part s of `parts`. */
static int global(int i, int nb, int s, int parts)
{
    return (i / nb * parts + s) * nb + i % nb;
}

static Layout open_layout(const Options *opt, int context)
{
    Layout at;
    int P, Q, info;
    Cblacs_gridinfo(context, &P, &Q, &at.row, &at.col);
    at.rows = numroc_(&opt->n, &opt->nb, &at.row, &zero, &P);
    at.cols = numroc_(&opt->n, &opt->nb, &at.col, &zero, &Q);
    int lead = at.rows > 0 ? at.rows : 1;
    descinit_(at.desc, &opt->n, &opt->n, &opt->nb, &opt->nb, &zero, &zero, &context, &lead, &info);
    descinit_(at.desc_vector, &opt->n, &one, &opt->nb, &opt->nb, &zero, &zero, &context, &lead, &info);
    return at;
}

static void fill(const Options *opt, const Layout *at, double *a)
{
    for (int j = 0; j < at->cols; j++)
        for (int i = 0; i < at->rows; i++)
            a[(size_t)j * at->rows + i] = element(opt, global(i, opt->nb, at->row, opt->P),
                                                  global(j, opt->nb, at->col, opt->Q));
}

/* fill_vector makes a random vector in the first column of processes. */
static void fill_vector(const Options *opt, const Layout *at, double *b)
{
    for (int i = 0; at->col == 0 && i < at->rows; i++)
        b[i] = element(opt, opt->n, global(i, opt->nb, at->row, opt->P));
}

/* residual solves Ax = b with the decomposition, and restores A to measure. */
static double residual(const Options *opt, const Layout *at, double *a, const int *pivots)
{
    const double plus = 1, minus = -1;
    double *b = allocate(at->rows, sizeof *b), *x = allocate(at->rows, sizeof *x);
    double *work = allocate(at->rows, sizeof *work);
    int n = opt->n, info;

    fill_vector(opt, at, x);
    fill_vector(opt, at, b);
    pdgetrs_("N", &n, &one, a, &one, &one, at->desc, pivots, x, &one, &one, at->desc_vector, &info);
    fill(opt, at, a);
    pdgemv_("N", &n, &n, &plus, a, &one, &one, at->desc, x, &one, &one, at->desc_vector, &one,
            &minus, b, &one, &one, at->desc_vector, &one);
    double r = pdlange_("M", &n, &one, b, &one, &one, at->desc_vector, work);
    double size = pdlange_("M", &n, &one, x, &one, &one, at->desc_vector, work);
    double norm = pdlange_("I", &n, &n, a, &one, &one, at->desc, work);
    free(work);
    free(x);
    free(b);
    return r / (n * DBL_EPSILON * norm * size);
}

static void report(const Options *opt, double seconds, double error)
{
    double n = opt->n, flops = n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3;
    printf("{\"measure\":\"lu\",\"n\":%d,\"p\":%d,\"grid\":\"%dx%d\",\"pivot\":\"partial\","
           "\"block\":%d,\"seconds\":%.6g,\"gflops\":%.4g,\"residual\":",
           opt->n, opt->P * opt->Q, opt->P, opt->Q, opt->nb, seconds, flops / seconds * 1e-9);
    printf(opt->check ? "%.3g}\n" : "null}\n", error);
    fflush(stdout);
}

static void run_once(const Options *opt, const Layout *at, double *a, int *pivots)
{
    int info;
    fill(opt, at, a);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    pdgetrf_(&opt->n, &opt->n, a, &one, &one, at->desc, pivots, &info);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime() - seconds;
    if (info != 0)
        fail("the matrix is singular");

    double error = opt->check ? residual(opt, at, a, pivots) : 0;
    if (at->row == 0 && at->col == 0)
        report(opt, seconds, error);
    if (!(error <= 16))
        fail("FAILED, residual too large");
}

static Options parse(int argc, char **argv, int procs)
{
    Options opt = {.n = 1000, .P = 1, .Q = procs, .nb = 64, .repeat = 1, .check = 1, .seed = 1};
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i];
        if (!strcmp(flag, "-nocheck")) {
            opt.check = 0;
            continue;
        }
        const char *value = ++i < argc ? argv[i] : "";
        if (!strcmp(flag, "-n"))
            opt.n = atoi(value);
        else if (!strcmp(flag, "-nb"))
            opt.nb = atoi(value);
        else if (!strcmp(flag, "-repeat"))
            opt.repeat = atoi(value);
        else if (!strcmp(flag, "-seed"))
            opt.seed = strtoull(value, NULL, 10);
        else if (strcmp(flag, "-grid") || sscanf(value, "%dx%d", &opt.P, &opt.Q) != 2)
            fail("usage: pdgetrf [-n order] [-grid PxQ] [-nb block] [-seed s] [-repeat r] [-nocheck]");
    }
    if (opt.n < 1 || opt.nb < 1 || opt.P < 1 || opt.Q < 1 || opt.P * opt.Q != procs)
        fail("order, block or grid do not fit the processes");
    return opt;
}

int main(int argc, char **argv)
{
    int procs, rank, context;
    use_best_kernels(argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Options opt = parse(argc, argv, procs);
    if (rank == 0)
        printf("{\"program\":\"pdgetrf.c\",\"library\":\"ScaLAPACK on %s\",\"p\":%d}\n", kernels(), procs);

    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", opt.P, opt.Q);
    Layout at = open_layout(&opt, context);
    double *a = allocate((size_t)at.rows * at.cols, sizeof *a);
    int *pivots = allocate(at.rows + opt.nb, sizeof *pivots);
    for (int i = 0; i < opt.repeat; i++)
        run_once(&opt, &at, a, pivots);
    free(pivots);
    free(a);
    Cblacs_gridexit(context);
    MPI_Finalize();
    return 0;
}
