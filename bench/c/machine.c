/* machine.c: the parameters of the machine as a BSP computer, in the sense of
 * Bisseling's bspbench: r from an in-cache daxpy, g and l from the straight
 * line T(h) = l + g h fitted to the times of full h-relations of single words. */
#include "bench.h"

#include <stdio.h>

enum { DAXPY = 1024, DAXPY_FLOPS = 4 * DAXPY };
enum { HMAX = 256, HSTEP = 8, POINTS = HMAX / HSTEP + 1, SWEEPS = 4 };

long machine_words(int nprocs)
{
    long relation = 2 * HMAX + nprocs;
    return relation > DAXPY ? relation : DAXPY;
}

static void daxpy(long n, double alpha, const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

/* step_daxpy computes only: y += a x, y -= b x, with a and b so close that y
 * stays bounded. */
static void step_daxpy(Bench *b, long n)
{
    static const double alpha = 1.0 / 3.0, beta = 1.0 / 3.0 + 1e-15;
    daxpy(n, alpha, b->src, b->dst);
    daxpy(n, -beta, b->src, b->dst);
}

/* step_relation is an h-relation: each process puts h words, cyclically to all
 * other processes, and receives h (up to rounding). */
static void step_relation(Bench *b, long h)
{
    int to = b->right;
    long round = 0;
    for (long i = 0; i < h; i++) {
        bsp_put(to, b->src + i, b->dst, (round * b->nprocs + b->pid) * WORD, WORD);
        if (++to == b->nprocs)
            to = 0;
        if (to == b->pid || b->nprocs == 1) {
            to = b->right;
            round++;
        }
    }
    bsp_sync();
}

/* time_relations times the h-relations, in several sweeps so that a disturbance
 * does not bend the line: each point keeps the best of its sweeps. */
static void time_relations(Bench *b, double min[POINTS], double median[POINTS])
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < POINTS; i++) {
            Timing t = time_step(b, step_relation, (long)i * HSTEP, b->opt.seconds / 32);
            min[i] = sweep && min[i] < t.min ? min[i] : t.min;
            median[i] = sweep && median[i] < t.median ? median[i] : t.median;
        }
}

typedef struct {
    double g, l;
} Line;

/* fit returns the least-squares line through (i*HSTEP, t[i]). */
static Line fit(const double t[POINTS])
{
    double sh = 0, st = 0, shh = 0, sht = 0;
    for (int i = 0; i < POINTS; i++) {
        double h = i * HSTEP;
        sh += h, st += t[i], shh += h * h, sht += h * t[i];
    }
    double g = (POINTS * sht - sh * st) / (POINTS * shh - sh * sh);
    return (Line){g, (st - g * sh) / POINTS};
}

static void print_line(const Bench *b, Line min, Line median, double flops)
{
    char extra[64];
    snprintf(extra, sizeof extra, ",\"flops\":%.4g", min.g * flops);
    report(b, "g", (Timing){min.g, median.g}, WORD, 1, extra);
    snprintf(extra, sizeof extra, ",\"flops\":%.4g", min.l * flops);
    report(b, "l", (Timing){min.l, median.l}, 0, 0, extra);
}

void run_machine(Bench *b)
{
    int want_r = selected(b->opt.only, "r");
    int want_line = selected(b->opt.only, "g") || selected(b->opt.only, "l");
    if (!want_r && !want_line)
        return;

    for (long i = 0; i < DAXPY; i++)
        b->dst[i] = 1;
    Timing r = time_step(b, step_daxpy, DAXPY, b->opt.seconds);
    double flops = DAXPY_FLOPS / r.min;
    if (want_r) {
        char extra[64];
        snprintf(extra, sizeof extra, ",\"gflops\":%.4g", flops * 1e-9);
        report(b, "r", r, 0, DAXPY_FLOPS, extra);
    }
    if (!want_line)
        return;

    double min[POINTS], median[POINTS];
    time_relations(b, min, median);
    print_line(b, fit(min), fit(median), flops);
}
