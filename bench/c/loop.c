/* loop.c: see loop.h.
 *
 * Steps run in batches of about BATCH seconds, long against the clock and short
 * against the time slices of the operating system, so that the minimum over
 * batches sees a quiet machine even when the machine is not quiet. A step that
 * is slower than SLOW, twice, gets a batch of its own, with the barrier that ends one. */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1e-3
#define SLOW 2e-3
enum { MIN_STEPS = 8, MIN_BATCHES = 5, MAX_BATCHES = 20000, LARGE = 1024 * 1024 };

/* steps_per_batch finds the batch size by doubling, which also warms up the
 * library's buffers; *step_time is set to the seconds per step. */
static long steps_per_batch(Batch batch, void *of, double *step_time)
{
    batch(of, 1);
    for (long k = 1;; k *= 2) {
        double t = batch(of, k) / k;
        if (t > SLOW) {
            double again = batch(of, k) / k;
            t = again < t ? again : t;
        }
        *step_time = t > 1e-9 ? t : 1e-9;
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

Timing time_batches(Batch batch, void *of, double seconds)
{
    double sample[MAX_BATCHES], t;
    long k = steps_per_batch(batch, of, &t);
    long batches = (long)(seconds / (k * t));
    if (batches < MIN_BATCHES)
        batches = MIN_BATCHES;
    if (batches > MAX_BATCHES)
        batches = MAX_BATCHES;

    for (long i = 0; i < batches; i++)
        sample[i] = batch(of, k) / k;
    qsort(sample, batches, sizeof *sample, ascending);
    Timing timing = {sample[0], (sample[(batches - 1) / 2] + sample[batches / 2]) / 2};
    return timing;
}

int selected(const char *list, const char *measure)
{
    const char *item = list;
    if (!*item)
        return 1;
    while (*item) {
        size_t length = strcspn(item, ",");
        int prefix = length > 0 && item[length - 1] == '*';
        if (prefix ? !strncmp(item, measure, length - 1)
                   : length == strlen(measure) && !strncmp(item, measure, length))
            return 1;
        item += length + (item[length] == ',');
    }
    return 0;
}

void print_header(const char *program, const char *library, int procs)
{
    printf("{\"program\":\"%s\",\"library\":\"%s\",\"p\":%d}\n", program, library, procs);
    fflush(stdout);
}

void print_row(Row r)
{
    printf("{\"measure\":\"%s\",\"p\":%d,\"min_us\":%.6g,\"median_us\":%.6g,"
           "\"bytes\":%.0f,\"ops\":%.0f",
           r.measure, r.procs, r.t.min * 1e6, r.t.median * 1e6, r.bytes, r.ops);
    if (r.bytes >= LARGE)
        printf(",\"gb_per_s\":%.4g", r.bytes / r.t.min * 1e-9);
    printf("}\n");
    fflush(stdout);
}

void torus(int pid, int procs, int neighbour[NEIGHBOURS])
{
    int rows = 1;
    for (int r = 2; r * r <= procs; r++)
        if (procs % r == 0)
            rows = r;
    int columns = procs / rows, row = pid / columns, column = pid % columns;
    neighbour[RIGHT] = row * columns + (column + 1) % columns;
    neighbour[LEFT] = row * columns + (column + columns - 1) % columns;
    neighbour[BELOW] = rows == 1 ? neighbour[RIGHT] : (row + 1) % rows * columns + column;
    neighbour[ABOVE] = rows == 1 ? neighbour[LEFT] : (row + rows - 1) % rows * columns + column;
}

void look_at(const double *x, long words)
{
    double sum = 0;

    for (long i = 0; i < words; i += 8)
        sum += x[i];
    volatile double sink = sum;
    (void)sink;
}
