/* lu.c: times a dense LU decomposition on BSPlib and checks the result.
 *
 * Prints one JSON line per run. The residual is
 *     max|PAx - LUx| / (n eps max_i sum_j|a(i,j)|)     with random |x| <= 1,
 * of order one or less for a correct decomposition; above 16 the run fails. */
#include "lu.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: lu [-n order] [-grid MxN] [-pivot partial|none] [-seed s] [-repeat r] [-nocheck]\n";

typedef struct {
    int n, M, N, pivot, repeat, check;
    uint64_t seed;
} Options;

/* Written by main before the processes start, read by process 0 only. */
static Options given = {1000, 0, 0, 1, 1, 1, 1};

/* element returns a(i,j): uniform in [-1,1), a function of seed, i and j only;
 * without pivoting the diagonal is made dominant. */
static double element(const Options *opt, int i, int j)
{
    uint64_t x = opt->seed + ((uint64_t)i * (uint64_t)opt->n + (uint64_t)j + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    double value = (double)(x >> 11) * 0x1p-52 - 1;
    return value + (!opt->pivot && i == j ? opt->n : 0);
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (!p)
        bsp_abort("lu: out of memory\n");
    return p;
}

static void fill(Lu *lu, const Options *opt)
{
    for (int i = 0; i < lu->rows; i++)
        for (int j = 0; j < lu->cols; j++)
            lu->a[(size_t)i * lu->cols + j] =
                element(opt, i * lu->M + lu->s, j * lu->N + lu->t);
    for (int i = 0; i < lu->n; i++)
        lu->perm[i] = i;
}

/* gathered returns element (i,j) of the matrices that gather has collected, each
 * process's in a slot of `slot` elements. */
static double gathered(const Lu *lu, const double *all, size_t slot, int i, int j)
{
    int t = j % lu->N, cols = owned(lu->n, t, lu->N);
    return all[slot * pid_of(lu, i % lu->M, t) + (size_t)(i / lu->M) * cols + j / lu->N];
}

/* residual computes what the head of this file says, on process 0. */
static double residual(const Lu *lu, const Options *opt, const double *all, size_t slot)
{
    int n = lu->n;
    double *x = allocate(n, sizeof *x), *y = allocate(n, sizeof *y);
    double worst = 0, norm = 0;

    for (int i = 0; i < n; i++)
        x[i] = element(opt, n, i);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            y[i] += gathered(lu, all, slot, i, j) * x[j];
    for (int i = n - 1; i >= 0; i--) {
        double lux = y[i], pax = 0, sum = 0;
        for (int j = 0; j < i; j++)
            lux += gathered(lu, all, slot, i, j) * y[j];
        for (int j = 0; j < n; j++) {
            double a = element(opt, lu->perm[i], j);
            pax += a * x[j];
            sum += fabs(a);
        }
        worst = fmax(worst, fabs(pax - lux));
        norm = fmax(norm, sum);
    }
    free(x);
    free(y);
    return worst / (n * DBL_EPSILON * norm);
}

/* check gathers the decomposition on process 0, which returns the residual. */
static double check(const Lu *lu, const Options *opt)
{
    int procs = lu->M * lu->N, first = bsp_pid() == 0;
    size_t slot = (size_t)owned(lu->n, 0, lu->M) * owned(lu->n, 0, lu->N);
    size_t words = first ? slot * procs : 0;
    double *all = allocate(words, sizeof *all), result = 0;

    bsp_push_reg(all, words * sizeof *all);
    bsp_sync();
    bsp_put(0, lu->a, all, slot * bsp_pid() * sizeof *all,
            (size_t)lu->rows * lu->cols * sizeof *all);
    bsp_sync();
    if (first)
        result = residual(lu, opt, all, slot);
    bsp_pop_reg(all);
    bsp_sync();
    free(all);
    return result;
}

static void report(const Lu *lu, const Options *opt, double seconds, double error, int supersteps)
{
    double n = lu->n, flops = n * (n - 1) / 2 + n * (n - 1) * (2 * n - 1) / 3;
    printf("{\"measure\":\"lu\",\"n\":%d,\"p\":%d,\"grid\":\"%dx%d\",\"pivot\":\"%s\","
           "\"supersteps\":%d,\"seconds\":%.6g,\"gflops\":%.4g,\"residual\":",
           lu->n, lu->M * lu->N, lu->M, lu->N, opt->pivot ? "partial" : "none",
           supersteps, seconds, flops / seconds * 1e-9);
    printf(opt->check ? "%.3g}\n" : "null}\n", error);
    fflush(stdout);
    if (!(error <= 16))
        bsp_abort("lu: FAILED, residual %g\n", error);
}

static void run_once(Lu *lu, const Options *opt)
{
    fill(lu, opt);
    bsp_sync();
    double start = bsp_time();
    int supersteps = opt->pivot ? lu_partial(lu) : lu_unpivoted(lu);
    double seconds = bsp_time() - start;
    double error = opt->check ? check(lu, opt) : 0;
    if (bsp_pid() == 0)
        report(lu, opt, seconds, error, supersteps);
}

/* share_options gives process 0's options to every process. */
static void share_options(Options *opt)
{
    bsp_push_reg(opt, sizeof *opt);
    bsp_sync();
    if (bsp_pid() == 0) {
        *opt = given;
        for (int q = 1; q < (int)bsp_nprocs(); q++)
            bsp_put(q, opt, opt, 0, sizeof *opt);
    }
    bsp_pop_reg(opt);
    bsp_sync();
}

/* open_lu lays out the grid, by default as square as the processes allow, and
 * allocates and registers this process's part. */
static Lu open_lu(const Options *opt)
{
    int pid = bsp_pid(), procs = bsp_nprocs();
    Lu lu = {.n = opt->n, .M = opt->M, .N = opt->N};
    if (lu.M == 0) {
        for (lu.M = (int)sqrt(procs); procs % lu.M; lu.M--)
            ;
        lu.N = procs / lu.M;
    }
    if (lu.M * lu.N != procs)
        bsp_abort("lu: a %dx%d grid needs %d processes, not %d\n", lu.M, lu.N,
                  lu.M * lu.N, procs);
    lu.s = pid % lu.M;
    lu.t = pid / lu.M;
    lu.rows = owned(lu.n, lu.s, lu.M);
    lu.cols = owned(lu.n, lu.t, lu.N);
    lu.a = allocate((size_t)lu.rows * lu.cols, sizeof *lu.a);
    lu.l = allocate(lu.rows, sizeof *lu.l);
    lu.u = allocate(lu.cols, sizeof *lu.u);
    lu.cand = allocate(lu.M, sizeof *lu.cand);
    lu.perm = allocate(lu.n, sizeof *lu.perm);
    bsp_push_reg(lu.a, (size_t)lu.rows * lu.cols * sizeof *lu.a);
    bsp_push_reg(lu.l, lu.rows * sizeof *lu.l);
    bsp_push_reg(lu.u, lu.cols * sizeof *lu.u);
    bsp_push_reg(lu.cand, lu.M * sizeof *lu.cand);
    bsp_sync();
    return lu;
}

static void close_lu(Lu *lu)
{
    bsp_pop_reg(lu->cand);
    bsp_pop_reg(lu->u);
    bsp_pop_reg(lu->l);
    bsp_pop_reg(lu->a);
    bsp_sync();
    free(lu->perm);
    free(lu->cand);
    free(lu->u);
    free(lu->l);
    free(lu->a);
}

static void run_process(void)
{
    Options opt;
    share_options(&opt);
    Lu lu = open_lu(&opt);
    for (int i = 0; i < opt.repeat; i++)
        run_once(&lu, &opt);
    close_lu(&lu);
}

/* spmd is what every process runs; see bspbench.c for its shape. */
void spmd(void);
void spmd(void)
{
    bsp_begin(given.M > 0 ? given.M * given.N : (int)bsp_nprocs());
    run_process();
    bsp_end();
}

static int parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i];
        if (!strcmp(flag, "-nocheck")) {
            given.check = 0;
            continue;
        }
        const char *value = ++i < argc ? argv[i] : "";
        if (!strcmp(flag, "-n"))
            given.n = atoi(value);
        else if (!strcmp(flag, "-repeat"))
            given.repeat = atoi(value);
        else if (!strcmp(flag, "-seed"))
            given.seed = strtoull(value, NULL, 10);
        else if (!strcmp(flag, "-pivot") && (!strcmp(value, "none") || !strcmp(value, "partial")))
            given.pivot = value[0] == 'p';
        else if (strcmp(flag, "-grid") || sscanf(value, "%dx%d", &given.M, &given.N) != 2
                 || given.M < 1 || given.N < 1)
            return 0;
    }
    return given.n > 0;
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    if (!parse(argc, argv))
        bsp_abort("%s", usage);
    spmd();
    return 0;
}
