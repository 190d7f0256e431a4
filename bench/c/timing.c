/* timing.c: how often a step is run, and what is kept of it.
 *
 * Steps run in batches of about BATCH seconds, long against the clock and short
 * against the time slices of the operating system, so that the minimum over
 * batches sees a quiet machine even when the machine is not quiet. A step that
 * is slower than SLOW gets a batch of its own. */
#include "bench.h"

#include <stdlib.h>

#define BATCH 1e-3
#define SLOW 2e-3
enum { MIN_STEPS = 8, MIN_BATCHES = 5, MAX_BATCHES = 400 };

double agree(Bench *b, double x)
{
    if (b->pid == 0) {
        b->vote = x;
        for (int q = 1; q < b->nprocs; q++)
            bsp_put(q, &b->vote, &b->vote, 0, WORD);
    }
    bsp_sync();
    return b->vote;
}

/* batch returns process 0's seconds for k steps, on every process. The last
 * bsp_sync waits until the others have received what the last step sent. */
static double batch(Bench *b, Step step, long n, long k)
{
    bsp_sync();
    double t = bsp_time();
    for (long i = 0; i < k; i++)
        step(b, n);
    bsp_sync();
    return agree(b, bsp_time() - t);
}

/* steps_per_batch finds the batch size by doubling, which also warms up the
 * library's buffers; *step_time is set to the seconds per step. */
static long steps_per_batch(Bench *b, Step step, long n, double *step_time)
{
    batch(b, step, n, 1);
    for (long k = 1;; k *= 2) {
        double t = batch(b, step, n, k) / k;
        *step_time = t;
        if (t > SLOW)
            return 1;
        if (k * t > BATCH / 2) {
            long want = (long)(BATCH / t);
            return want > MIN_STEPS ? want : MIN_STEPS;
        }
    }
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

Timing time_step(Bench *b, Step step, long n, double seconds)
{
    double sample[MAX_BATCHES], t;
    long k = steps_per_batch(b, step, n, &t);
    long batches = (long)(seconds / (k * t));
    if (batches < MIN_BATCHES)
        batches = MIN_BATCHES;
    if (batches > MAX_BATCHES)
        batches = MAX_BATCHES;

    for (long i = 0; i < batches; i++)
        sample[i] = batch(b, step, n, k) / k;
    qsort(sample, batches, sizeof *sample, ascending);
    return (Timing){sample[0], sample[batches / 2]};
}
