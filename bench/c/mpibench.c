/* mpibench.c: what a programmer would write by hand on MPI in place of a superstep.
 *
 * Measures, options and JSON lines are those of bspbench.c as far as they have a meaning
 * here; see README.md. A step ends as a superstep does, with a barrier: what it has sent
 * has arrived everywhere. With -persistent the messages are persistent requests, made
 * once, and no barrier follows them: each process has only what it waits for itself. */
#include "loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { WORD = sizeof(double), KIB = 1024 / WORD, MIB = 1024 * KIB };
enum { ENTRY = sizeof(int) + WORD };

typedef struct {
    double seconds;      /* spent on one measure */
    const char *library; /* a label for the first line of output */
    const char *only;    /* measures to run, see selected */
    int persistent;
} Options;

typedef struct {
    int pid, procs, right, left;
    int around[NEIGHBOURS];
    Options opt;
    double *src, *dst;   /* src[i] == word(pid, i) throughout */
    char *packed, *came; /* of words that travel with their places */
    MPI_Request request[2 * NEIGHBOURS];
    int requests;        /* that a step starts and waits for */
} Process;

/* A Step is what stands in place of a superstep. Every process calls it with the same n. */
typedef void (*Step)(Process *p, long n);

static void fail(const char *what)
{
    fprintf(stderr, "mpibench: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory)
        fail("out of memory");
    return memory;
}

static double word(int pid, long i)
{
    return pid * 1e9 + (double)i;
}

static void step_empty(Process *p, long n)
{
    (void)p, (void)n;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Requests are made by these for one step, or once for all if they are persistent. */

static void send_to(Process *p, const double *from, long n, int to, int tag)
{
    MPI_Request *r = &p->request[p->requests++];
    if (p->opt.persistent)
        MPI_Send_init(from, (int)n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, r);
    else
        MPI_Isend(from, (int)n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, r);
}

static void receive_from(Process *p, double *to, long n, int from, int tag)
{
    MPI_Request *r = &p->request[p->requests++];
    if (p->opt.persistent)
        MPI_Recv_init(to, (int)n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, r);
    else
        MPI_Irecv(to, (int)n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, r);
}

static void post_halo(Process *p, long n)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        receive_from(p, p->dst + d * n, n, p->around[d ^ 1], d);
    for (int d = 0; d < NEIGHBOURS; d++)
        send_to(p, p->src + d * n, n, p->around[d], d);
}

static void post_one_way(Process *p, long n)
{
    if (p->left == 0)
        receive_from(p, p->dst, n, 0, 0);
    if (p->pid == 0)
        send_to(p, p->src, n, p->right, 0);
}

static void post_both_ways(Process *p, long n)
{
    receive_from(p, p->dst, n, p->left, 0);
    send_to(p, p->src, n, p->right, 0);
}

static void finish(Process *p)
{
    MPI_Waitall(p->requests, p->request, MPI_STATUSES_IGNORE);
    if (!p->opt.persistent) {
        p->requests = 0;
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void exchange(Process *p, Step post, long n)
{
    if (p->opt.persistent)
        MPI_Startall(p->requests, p->request);
    else
        post(p, n);
    finish(p);
}

static void step_halo(Process *p, long n)
{
    exchange(p, post_halo, n);
    look_at(p->dst, NEIGHBOURS * n);
}

static void step_one_way(Process *p, long n) { exchange(p, post_one_way, n); }

static void step_both_ways(Process *p, long n) { exchange(p, post_both_ways, n); }

/* n words with their places, in one message to the right. */
static void step_words(Process *p, long n)
{
    char *at = p->packed;
    for (long i = 0; i < n; i++, at += ENTRY) {
        int place = (int)i;
        memcpy(at, &place, sizeof place);
        memcpy(at + sizeof place, p->src + i, WORD);
    }
    MPI_Request both[2];
    MPI_Irecv(p->came, (int)(n * ENTRY), MPI_BYTE, p->left, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(p->packed, (int)(n * ENTRY), MPI_BYTE, p->right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    at = p->came;
    for (long i = 0; i < n; i++, at += ENTRY) {
        int place;
        memcpy(&place, at, sizeof place);
        memcpy(p->dst + place, at + sizeof place, WORD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Collectives, without a barrier behind them. */

static void step_broadcast(Process *p, long n)
{
    MPI_Bcast(p->pid == 0 ? p->src : p->dst, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void step_allreduce(Process *p, long n)
{
    MPI_Allreduce(p->src, p->dst, (int)n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void step_alltoall(Process *p, long n)
{
    MPI_Alltoall(p->src, (int)n, MPI_DOUBLE, p->dst, (int)n, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* From process 0 to its neighbour and back: two steps, see run_measure. */

static void there_and_back(Process *p, long n, int fresh)
{
    for (int half = 0; half < 2; half++) {
        int from = half ? p->procs > 1 : 0, to = p->procs > 1 ? 1 - from : 0;
        double *into = p->dst;
        if (p->pid == to && p->pid != from) {
            if (fresh)
                into = allocate(n * WORD);
            MPI_Recv(into, (int)n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (p->pid == from && p->pid != to) {
            MPI_Send(p->src, (int)n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        }
        if (into != p->dst) {
            p->dst[0] = into[0], p->dst[n - 1] = into[n - 1];
            free(into);
        }
    }
}

static void step_send(Process *p, long n) { there_and_back(p, n, 0); }

static void step_send_fresh(Process *p, long n) { there_and_back(p, n, 1); }

/* Result says what the destination has after a measure. */
typedef enum { NOTHING, FROM_LEFT, ONE_WAY, HALO, FROM_ROOT, GREATEST, FROM_ALL, OF_PEER, ENDS_OF_PEER } Result;

typedef struct {
    const char *name;
    Step step, post;  /* post makes the requests of those that may be persistent */
    long n;           /* the step's argument */
    long words;       /* that a process sends in a step; in FROM_ALL to each */
    Result result;
} Measure;

#define HALO_OF(name, kib) {name, step_halo, post_halo, kib * KIB, NEIGHBOURS * kib * KIB, HALO}
#define SAME(name, step, post, n, result) {name, step, post, n, n, result}

static const Measure measures[] = {
    SAME("empty", step_empty, NULL, 0, NOTHING),
    SAME("words_1", step_words, NULL, 1, FROM_LEFT),
    SAME("words_1000", step_words, NULL, 1000, FROM_LEFT),
    SAME("words_100000", step_words, NULL, 100000, FROM_LEFT),
    HALO_OF("halo_4KiB", 4),
    HALO_OF("halo_8KiB", 8),
    HALO_OF("halo_64KiB", 64),
    SAME("oneway_1MiB", step_one_way, post_one_way, MIB, ONE_WAY),
    SAME("bothways_1MiB", step_both_ways, post_both_ways, MIB, FROM_LEFT),
    SAME("oneway_64MiB", step_one_way, post_one_way, 64 * MIB, ONE_WAY),
    SAME("bothways_64MiB", step_both_ways, post_both_ways, 64 * MIB, FROM_LEFT),
    SAME("broadcast_1MiB", step_broadcast, NULL, MIB, FROM_ROOT),
    SAME("allreduce_8B", step_allreduce, NULL, 1, GREATEST),
    SAME("allreduce_8KiB", step_allreduce, NULL, 8 * KIB, GREATEST),
    SAME("allreduce_1MiB", step_allreduce, NULL, MIB, GREATEST),
    SAME("alltoall_1KiB", step_alltoall, NULL, KIB, FROM_ALL),
    SAME("send_1MiB", step_send, NULL, MIB, OF_PEER),
    SAME("send_1MiB_fresh", step_send_fresh, NULL, MIB, ENDS_OF_PEER),
    SAME("send_64MiB", step_send, NULL, 64 * MIB, OF_PEER),
    SAME("send_64MiB_fresh", step_send_fresh, NULL, 64 * MIB, ENDS_OF_PEER),
};

enum { MEASURES = sizeof measures / sizeof *measures };

static int wanted(const Options *opt, const Measure *m)
{
    return selected(opt->only, m->name) && (!opt->persistent || m->post);
}

static long moved(const Process *p, const Measure *m)
{
    return m->result == FROM_ALL ? m->words * p->procs : m->words;
}

/* right_word returns the word that must be at a place of the destination, -1 if none. */
static double right_word(const Process *p, const Measure *m, long at)
{
    switch (m->result) {
    case FROM_LEFT:
        return word(p->left, at);
    case ONE_WAY:
        return p->left == 0 ? word(0, at) : -1;
    case HALO:
        return word(p->around[(at / m->n) ^ 1], at);
    case FROM_ROOT:
        return p->pid == 0 ? -1 : word(0, at);
    case GREATEST:
        return word(p->procs - 1, at);
    case FROM_ALL:
        return word((int)(at / m->n), p->pid * m->n + at % m->n);
    case ENDS_OF_PEER:
        if (at != 0 && at != m->n - 1)
            return -1; /* else as OF_PEER */
        /* fall through */
    case OF_PEER:
        return p->procs > 1 && p->pid < 2 ? word(1 - p->pid, at) : -1;
    default:
        return -1;
    }
}

static void verify(const Process *p, const Measure *m)
{
    char said[200];
    for (long i = 0; i < moved(p, m); i++) {
        double want = right_word(p, m, i);
        if (want >= 0 && p->dst[i] != want) {
            snprintf(said, sizeof said, "%s: process %d, word %ld is %g, want %g",
                     m->name, p->pid, i, p->dst[i], want);
            fail(said);
        }
    }
}

typedef struct {
    Process *p;
    const Measure *m;
} Steps;

static double batch(void *of, long k)
{
    const Steps *steps = of;
    MPI_Barrier(MPI_COMM_WORLD);
    double t = MPI_Wtime();
    for (long i = 0; i < k; i++)
        steps->m->step(steps->p, steps->m->n);
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime() - t;
    MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return t;
}

static void run_measure(Process *p, const Measure *m)
{
    long words = moved(p, m);
    for (long i = 0; i < words; i++)
        p->dst[i] = NAN;
    p->requests = 0;
    if (p->opt.persistent)
        m->post(p, m->n);

    Steps steps = {p, m};
    Timing t = time_batches(batch, &steps, p->opt.seconds);
    verify(p, m);
    if (p->opt.persistent)
        for (int i = 0; i < p->requests; i++)
            MPI_Request_free(&p->request[i]);
    if (m->result == OF_PEER || m->result == ENDS_OF_PEER)
        t.min /= 2, t.median /= 2;
    double ops = m->result == HALO ? NEIGHBOURS : m->step == step_words ? (double)m->n : words > 0;
    if (p->pid == 0)
        print_row((Row){m->name, p->procs, t, (double)words * WORD, ops});
}

static Options parse(int argc, char **argv)
{
    static const char usage[] =
        "usage: mpibench [-q] [-t seconds] [-persistent] [-library name] [-only list]\n"
        "  -q           quick: 0.05 s for each measure instead of 0.2 s\n"
        "  -t           seconds for each measure\n"
        "  -persistent  persistent requests without a barrier\n"
        "  -library     a name for the output\n"
        "  -only        comma-separated measures; halo_* means all that begin so";
    Options opt = {0.2, "MPI", "", 0};
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(flag, "-q"))
            opt.seconds = 0.05;
        else if (!strcmp(flag, "-persistent"))
            opt.persistent = 1;
        else if (!strcmp(flag, "-t") && value && atof(value) > 0)
            opt.seconds = atof(value), i++;
        else if (!strcmp(flag, "-library") && value)
            opt.library = value, i++;
        else if (!strcmp(flag, "-only") && value)
            opt.only = value, i++;
        else
            fail(usage);
    }
    return opt;
}

int main(int argc, char **argv)
{
    Process p = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.pid);
    MPI_Comm_size(MPI_COMM_WORLD, &p.procs);
    p.opt = parse(argc, argv);
    p.right = (p.pid + 1) % p.procs;
    p.left = (p.pid + p.procs - 1) % p.procs;
    torus(p.pid, p.procs, p.around);

    long words = 0, entries = 0;
    for (int m = 0; m < MEASURES; m++) {
        if (!wanted(&p.opt, &measures[m]))
            continue;
        if (moved(&p, &measures[m]) > words)
            words = moved(&p, &measures[m]);
        if (measures[m].step == step_words && measures[m].n > entries)
            entries = measures[m].n;
    }
    p.src = allocate(words * WORD);
    p.dst = allocate(words * WORD);
    p.packed = allocate(entries * ENTRY);
    p.came = allocate(entries * ENTRY);
    for (long i = 0; i < words; i++)
        p.src[i] = word(p.pid, i);
    if (p.pid == 0)
        print_header("mpibench.c", p.opt.library, p.procs);
    for (int m = 0; m < MEASURES; m++)
        if (wanted(&p.opt, &measures[m]))
            run_measure(&p, &measures[m]);
    free(p.came);
    free(p.packed);
    free(p.dst);
    free(p.src);
    MPI_Finalize();
    return 0;
}
