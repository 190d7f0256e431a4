/* bspbench.c: what a BSPlib costs, measured through its standard interface.
 *
 * Prints JSON lines on process 0: first which library and how many processes,
 * then one line per measure. See README.md for the measures. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BSP_LIBRARY
#define BSP_LIBRARY "BSPlib"
#endif

static const char usage[] =
    "usage: bspbench [-q] [-p procs] [-t seconds] [-library name] [-only list]\n"
    "  -q        quick: 0.05 s for each measure instead of 0.2 s\n"
    "  -p        use at most this many processes\n"
    "  -t        seconds for each measure\n"
    "  -library  the library's name in the output\n"
    "  -only     comma-separated measures; put8_* means all that begin so\n";

/* Written by main before the processes start, read by process 0 only. */
static Options given = {0.2, BSP_LIBRARY, ""};
static int procs_wanted;

double word(int pid, long i)
{
    return pid * 1e9 + (double)i;
}

void report(const Bench *b, const char *measure, Timing t, double bytes, double ops)
{
    if (b->pid == 0)
        print_row((Row){measure, b->nprocs, t, bytes, ops});
}

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

typedef struct {
    Bench *b;
    Step step;
    long n;
} Steps;

/* batch is a Batch of supersteps. The last bsp_sync waits until the others have
 * received what the last step sent. */
static double batch(void *of, long k)
{
    const Steps *steps = of;
    Bench *b = steps->b;
    bsp_sync();
    double t = bsp_time();
    for (long i = 0; i < k; i++)
        steps->step(b, steps->n);
    bsp_sync();
    return agree(b, bsp_time() - t);
}

Timing time_step(Bench *b, Step step, long n, double seconds)
{
    Steps steps = {b, step, n};
    return time_batches(batch, &steps, seconds);
}

/* share_options gives process 0's options to every process. */
static void share_options(Bench *b)
{
    bsp_push_reg(&b->opt, sizeof b->opt);
    bsp_sync();
    if (b->pid == 0) {
        b->opt = given;
        for (int q = 1; q < b->nprocs; q++)
            bsp_put(q, &b->opt, &b->opt, 0, sizeof b->opt);
    }
    bsp_pop_reg(&b->opt);
    bsp_sync();
}

/* make_areas allocates, fills and registers what the measures work on, and sets
 * the tag size that the send measures use. */
static void make_areas(Bench *b)
{
    BSP_SIZE tag_size = sizeof(int);

    b->words = measure_words(&b->opt, b->nprocs);
    b->src = malloc(b->words * WORD);
    b->dst = malloc((b->words + 1) * WORD); /* one more: see measures at word 1 */
    if (!b->src || !b->dst)
        bsp_abort("out of memory\n");
    for (long i = 0; i < b->words; i++)
        b->src[i] = word(b->pid, i);
    memset(b->dst, 0, (b->words + 1) * WORD);

    bsp_push_reg(b->src, b->words * WORD);
    bsp_push_reg(b->dst, (b->words + 1) * WORD);
    bsp_push_reg(&b->vote, WORD);
    bsp_set_tagsize(&tag_size);
    bsp_sync();
}

static void free_areas(Bench *b)
{
    bsp_pop_reg(&b->vote);
    bsp_pop_reg(b->dst);
    bsp_pop_reg(b->src);
    bsp_sync();
    free(b->src);
    free(b->dst);
}

static void run_process(void)
{
    Bench b = {.pid = bsp_pid(), .nprocs = bsp_nprocs()};
    b.right = (b.pid + 1) % b.nprocs;
    b.left = (b.pid + b.nprocs - 1) % b.nprocs;
    torus(b.pid, b.nprocs, b.around);
    share_options(&b);
    make_areas(&b);
    if (b.pid == 0)
        print_header("bspbench.c", b.opt.library, b.nprocs);

    run_measures(&b);

    free_areas(&b);
}

/* spmd is what every process runs. Not static: some libraries find it by name.
 * Nothing but the call may stand between begin and end: some libraries jump
 * over it in the process that started the others. */
void spmd(void);
void spmd(void)
{
    bsp_begin(procs_wanted > 0 ? procs_wanted : (int)bsp_nprocs());
    run_process();
    bsp_end();
}

static void copy_text(char *to, size_t size, const char *text)
{
    if (snprintf(to, size, "%s", text) >= (int)size)
        bsp_abort("bspbench: argument too long: %s\n", text);
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        int takes_value = 1;
        if (!strcmp(flag, "-q"))
            given.seconds = 0.05, takes_value = 0;
        else if (!strcmp(flag, "-p"))
            procs_wanted = atoi(value);
        else if (!strcmp(flag, "-t"))
            given.seconds = atof(value);
        else if (!strcmp(flag, "-library"))
            copy_text(given.library, sizeof given.library, value);
        else if (!strcmp(flag, "-only"))
            copy_text(given.only, sizeof given.only, value);
        else
            takes_value = 0, i = argc;
        if (i == argc || (takes_value && ++i == argc))
            bsp_abort("%s", usage);
    }
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    parse(argc, argv);
    spmd();
    return 0;
}
