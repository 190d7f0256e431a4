/* measures.c: the communication measures.
 *
 * 8-byte operations go to (or come from) the right-hand neighbour, at
 * successive offsets unless the measure is called random. "One way" means that
 * process 0 alone transfers, to or from its right-hand neighbour. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static void step_empty(Bench *b, long n)
{
    (void)b, (void)n;
    bsp_sync();
}

static void step_put8(Bench *b, long n)
{
    for (long i = 0; i < n; i++)
        bsp_put(b->right, b->src + i, b->dst, i * WORD, WORD);
    bsp_sync();
}

static void step_put8_random(Bench *b, long n)
{
    for (long i = 0; i < n; i++)
        bsp_put(b->right, b->src + i, b->dst, b->where[i] * WORD, WORD);
    bsp_sync();
}

static void step_get8(Bench *b, long n)
{
    for (long i = 0; i < n; i++)
        bsp_get(b->right, b->src, i * WORD, b->dst + i, WORD);
    bsp_sync();
}

static void step_send8_unread(Bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        int tag = (int)i;
        bsp_send(b->right, &tag, b->src + i, WORD);
    }
    bsp_sync();
}

static void step_send8(Bench *b, long n)
{
    BSP_COUNT messages;
    BSP_SIZE bytes, length;
    int tag;

    step_send8_unread(b, n);
    bsp_qsize(&messages, &bytes);
    for (long i = 0; i < (long)messages; i++) {
        bsp_get_tag(&length, &tag);
        bsp_move(b->dst + tag, WORD);
    }
}

static void step_put(Bench *b, long n)
{
    if (b->pid == 0)
        bsp_put(b->right, b->src, b->dst, b->at * WORD, n * WORD);
    bsp_sync();
}

static void step_hpput(Bench *b, long n)
{
    if (b->pid == 0)
        bsp_hpput(b->right, b->src, b->dst, b->at * WORD, n * WORD);
    bsp_sync();
}

static void step_put2(Bench *b, long n)
{
    bsp_put(b->right, b->src, b->dst, 0, n * WORD);
    bsp_sync();
}

static void step_hpput2(Bench *b, long n)
{
    bsp_hpput(b->right, b->src, b->dst, 0, n * WORD);
    bsp_sync();
}

static void step_get(Bench *b, long n)
{
    if (b->pid == 0)
        bsp_get(b->right, b->src, 0, b->dst + b->at, n * WORD);
    bsp_sync();
}

static void step_hpget(Bench *b, long n)
{
    if (b->pid == 0)
        bsp_hpget(b->right, b->src, 0, b->dst, n * WORD);
    bsp_sync();
}

static void step_get2(Bench *b, long n)
{
    bsp_get(b->right, b->src, 0, b->dst, n * WORD);
    bsp_sync();
}

static void step_hpget2(Bench *b, long n)
{
    bsp_hpget(b->right, b->src, 0, b->dst, n * WORD);
    bsp_sync();
}

/* In a halo exchange each process sends n words to each neighbour on the torus:
 * piece d of its area to neighbour d, where it becomes piece d, and reads what has come;
 * but not behind hpput, where its neighbours may be at the next exchange. */

static void step_halo_put(Bench *b, long n)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        bsp_put(b->around[d], b->src + d * n, b->dst, (b->at + d * n) * WORD, n * WORD);
    bsp_sync();
    look_at(b->dst + b->at, NEIGHBOURS * n);
}

static void step_halo_hpput(Bench *b, long n)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        bsp_hpput(b->around[d], b->src + d * n, b->dst, (b->at + d * n) * WORD, n * WORD);
    bsp_sync();
}

static void step_halo_send(Bench *b, long n)
{
    BSP_COUNT messages;
    BSP_SIZE bytes, length;
    int d;

    for (d = 0; d < NEIGHBOURS; d++)
        bsp_send(b->around[d], &d, b->src + d * n, n * WORD);
    bsp_sync();
    bsp_qsize(&messages, &bytes);
    for (long i = 0; i < (long)messages; i++) {
        bsp_get_tag(&length, &d);
        bsp_move(b->dst + d * n, n * WORD);
    }
}

/* n words from each process to each. */
static void step_alltoall_put(Bench *b, long n)
{
    for (int q = 0; q < b->nprocs; q++)
        bsp_put(q, b->src + q * n, b->dst, b->pid * n * WORD, n * WORD);
    bsp_sync();
}

/* Result says what the destination areas hold after a measure. */
typedef enum {
    NOTHING,      /* not checked */
    FROM_LEFT,    /* everywhere the words of the left-hand neighbour */
    FROM_RIGHT,   /* everywhere the words of the right-hand neighbour */
    PERMUTED,     /* those of the left-hand neighbour, permuted by where */
    ONE_WAY_PUT,  /* the words of process 0, on its right-hand neighbour */
    ONE_WAY_GET,  /* the words of that neighbour, on process 0 */
    HALO,         /* a piece of each neighbour on the torus */
    FROM_ALL      /* the words of each process for this one */
} Result;

typedef struct {
    const char *name;
    Step step;
    long n;       /* the step's argument */
    long ops;     /* operations, and words moved, per step of one process */
    long words;   /* in FROM_ALL of each process */
    Result result;
    long at;      /* first word of the target */
} Measure;

enum { K = 1000, MANY = 100 * K, KIB = MIB / 1024 /* in words */ };

#define SMALL(name, step, n, result) {name, step, n, n, n, result, 0}
#define LARGE(name, step, mib, result) LARGE_AT(name, step, mib, result, 0)
#define LARGE_AT(name, step, mib, result, at) {name, step, mib * MIB, 1, mib * MIB, result, at}
#define HALO_OF(name, step, kib) HALO_AT(name, step, kib, 0)
#define HALO_AT(name, step, kib, at) {name, step, kib * KIB, NEIGHBOURS, NEIGHBOURS * kib * KIB, HALO, at}

static const Measure measures[] = {
    {"empty", step_empty, 0, 0, 0, NOTHING, 0},
    SMALL("put8_1", step_put8, 1, FROM_LEFT),
    SMALL("put8_1000", step_put8, K, FROM_LEFT),
    SMALL("put8_100000", step_put8, MANY, FROM_LEFT),
    SMALL("put8_100000_random", step_put8_random, MANY, PERMUTED),
    SMALL("get8_1", step_get8, 1, FROM_RIGHT),
    SMALL("get8_1000", step_get8, K, FROM_RIGHT),
    SMALL("get8_100000", step_get8, MANY, FROM_RIGHT),
    SMALL("send8_1", step_send8, 1, FROM_LEFT),
    SMALL("send8_1000", step_send8, K, FROM_LEFT),
    SMALL("send8_100000", step_send8, MANY, FROM_LEFT),
    SMALL("send8_1_unread", step_send8_unread, 1, NOTHING),
    SMALL("send8_1000_unread", step_send8_unread, K, NOTHING),
    SMALL("send8_100000_unread", step_send8_unread, MANY, NOTHING),
    HALO_OF("halo_4KiB_put", step_halo_put, 4),
    HALO_OF("halo_4KiB_hpput", step_halo_hpput, 4),
    HALO_OF("halo_4KiB_send", step_halo_send, 4),
    HALO_OF("halo_8KiB_put", step_halo_put, 8),
    HALO_OF("halo_8KiB_hpput", step_halo_hpput, 8),
    HALO_OF("halo_8KiB_send", step_halo_send, 8),
    HALO_OF("halo_64KiB_put", step_halo_put, 64),
    HALO_OF("halo_64KiB_hpput", step_halo_hpput, 64),
    HALO_OF("halo_64KiB_send", step_halo_send, 64),
    {"alltoall_1KiB_put", step_alltoall_put, KIB, 1, KIB, FROM_ALL, 0},
    LARGE("put_1MiB", step_put, 1, ONE_WAY_PUT),
    LARGE("hpput_1MiB", step_hpput, 1, ONE_WAY_PUT),
    LARGE("put2_1MiB", step_put2, 1, FROM_LEFT),
    LARGE("hpput2_1MiB", step_hpput2, 1, FROM_LEFT),
    LARGE("get_1MiB", step_get, 1, ONE_WAY_GET),
    LARGE("hpget_1MiB", step_hpget, 1, ONE_WAY_GET),
    LARGE("get2_1MiB", step_get2, 1, FROM_RIGHT),
    LARGE("hpget2_1MiB", step_hpget2, 1, FROM_RIGHT),
    LARGE("put_64MiB", step_put, 64, ONE_WAY_PUT),
    LARGE("hpput_64MiB", step_hpput, 64, ONE_WAY_PUT),
    LARGE("put2_64MiB", step_put2, 64, FROM_LEFT),
    LARGE("hpput2_64MiB", step_hpput2, 64, FROM_LEFT),
    LARGE("get_64MiB", step_get, 64, ONE_WAY_GET),
    LARGE("hpget_64MiB", step_hpget, 64, ONE_WAY_GET),
    LARGE("get2_64MiB", step_get2, 64, FROM_RIGHT),
    LARGE("hpget2_64MiB", step_hpget2, 64, FROM_RIGHT),
    HALO_AT("halo_4KiB_put_at1", step_halo_put, 4, 1),
    HALO_AT("halo_4KiB_hpput_at1", step_halo_hpput, 4, 1),
    HALO_AT("halo_8KiB_put_at1", step_halo_put, 8, 1),
    HALO_AT("halo_8KiB_hpput_at1", step_halo_hpput, 8, 1),
    HALO_AT("halo_64KiB_put_at1", step_halo_put, 64, 1),
    HALO_AT("halo_64KiB_hpput_at1", step_halo_hpput, 64, 1),
    LARGE_AT("put_1MiB_at1", step_put, 1, ONE_WAY_PUT, 1),
    LARGE_AT("hpput_1MiB_at1", step_hpput, 1, ONE_WAY_PUT, 1),
    LARGE_AT("get_1MiB_at1", step_get, 1, ONE_WAY_GET, 1),
};

enum { MEASURES = sizeof measures / sizeof *measures };

/* moved is how many words a process gives away, and gets, in a step. */
static long moved(const Measure *m, int nprocs)
{
    return m->result == FROM_ALL ? m->words * nprocs : m->words;
}

long measure_words(const Options *opt, int nprocs)
{
    long words = 1;
    for (int m = 0; m < MEASURES; m++)
        if (moved(&measures[m], nprocs) > words && selected(opt->only, measures[m].name))
            words = moved(&measures[m], nprocs);
    return words;
}

/* wanted returns the word that must be at a place of the destination area, -1 if none. */
static double wanted(const Bench *b, const Measure *m, long at)
{
    switch (m->result) {
    case FROM_LEFT:
        return word(b->left, at);
    case FROM_RIGHT:
        return word(b->right, at);
    case ONE_WAY_PUT:
        return b->left == 0 ? word(0, at) : -1;
    case ONE_WAY_GET:
        return b->pid == 0 ? word(b->right, at) : -1;
    case HALO:
        return word(b->around[(at / m->n) ^ 1], at);
    case FROM_ALL:
        return word((int)(at / m->n), b->pid * m->n + at % m->n);
    default:
        return -1;
    }
}

/* verify stops the run unless the destination area holds what it should. */
static void verify(const Bench *b, const Measure *m)
{
    for (long i = 0; i < moved(m, b->nprocs); i++) {
        long at = m->result == PERMUTED ? b->where[i] : i;
        double want = m->result == PERMUTED ? word(b->left, i) : wanted(b, m, at);
        double got = b->dst[m->at + at];
        if (want >= 0 && got != want)
            bsp_abort("%s: process %d, word %ld is %g, want %g\n", m->name,
                      b->pid, at, got, want);
    }
}

/* permutation returns a pseudo-random permutation of 0..n-1. */
static long *permutation(long n)
{
    unsigned long long x = 20260101;
    long *perm = malloc(n * sizeof *perm);
    if (!perm)
        bsp_abort("out of memory\n");
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        long j = (long)((x >> 33) % (unsigned long long)(i + 1));
        perm[i] = i;
        perm[i] = perm[j];
        perm[j] = i;
    }
    return perm;
}

static void run_measure(Bench *b, const Measure *m)
{
    if (m->result == PERMUTED && !b->where)
        b->where = permutation(MANY);
    long words = moved(m, b->nprocs);
    b->at = m->at;
    memset(b->dst + b->at, 0xff, words * WORD);
    bsp_sync();

    Timing t = time_step(b, m->step, m->n, b->opt.seconds);
    verify(b, m);
    report(b, m->name, t, (double)words * WORD,
           m->result == FROM_ALL ? b->nprocs : m->ops);
}

void run_measures(Bench *b)
{
    for (int m = 0; m < MEASURES; m++)
        if (selected(b->opt.only, measures[m].name))
            run_measure(b, &measures[m]);
    free(b->where);
    b->where = NULL;
}
