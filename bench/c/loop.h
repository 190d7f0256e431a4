/* loop.h: what all programs that time steps and print rows share, whatever library
 * they measure: how often a step is run, what is kept of it, and the lines of output. */
#ifndef MIGBSP_BENCH_LOOP_H
#define MIGBSP_BENCH_LOOP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Timing holds seconds per step on process 0: minimum and median over the
 * batches in which the steps were run. */
typedef struct {
    double min, median;
} Timing;

/* A Batch runs k steps and returns the seconds that they took on process 0, the same
 * on every process: all decide alike how often a step is run. */
typedef double (*Batch)(void *of, long k);

/* time_batches repeats batches for about the given seconds. Collective. */
Timing time_batches(Batch batch, void *of, double seconds);

/* selected tells whether a list of measures with commas between them has this one; x*
 * in it stands for all that begin so, an empty list for all. */
int selected(const char *list, const char *measure);

/* A Row is what a measure has come to. ops and bytes count what the busiest process
 * issues in one step. */
typedef struct {
    const char *measure;
    int procs;
    Timing t;
    double bytes, ops;
} Row;

/* print_header and print_row print one line of output each; process 0 calls them. */
void print_header(const char *program, const char *library, int procs);
void print_row(Row row);

/* Torus has the four neighbours of each process of a halo exchange on a torus of R x C
 * processes, where R is the largest divisor of their number that is not above its root.
 * With R = 1 the neighbours above and below are those on the right and on the left. The
 * piece that goes to neighbour d comes from neighbour d^1 of the receiver. */
enum { RIGHT, LEFT, BELOW, ABOVE, NEIGHBOURS };
void torus(int pid, int procs, int neighbour[NEIGHBOURS]);

/* look_at reads one word of each cache line of an array, as a process does that uses what
 * has come: so the bytes reach its core within the step that brings them. */
void look_at(const double *x, long words);

#ifdef __cplusplus
}
#endif

#endif
