/* fft.c: times Fourier transforms, forward and back, on BSPlib and checks them.
 *
 * Number j of the vector is with process j mod p. The algorithm is that of
 * apps/fft: transform the local numbers, pass number k on to the processes that
 * transform all numbers k, and so on in smaller and smaller groups. Prints one
 * JSON line; error and spectrum_error are those of fft_verify.c. */
#include "dialect.h"
#include "fft.h"
#include "fft_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: fft [-log2n k] [-iterations i], on 2^j processes, at most half as many as numbers\n";

typedef struct {
    int log2n, iterations;
} Options;

/* Written by main before the processes start, read by process 0 only. */
static Options given = {20, 10};

enum { MOST_ROUNDS = 64 };

/* Round is the part of a transform between two redistributions; see
 * apps/fft/round.go. */
typedef struct {
    size_t length, size, member, base, stride, local, columns;
    Plan *plan[2];
    Roots roots[2];
} Round;

typedef struct {
    size_t n, local;
    int pid, rounds;
    Round round[MOST_ROUNDS];
    Complex *x;             /* registered */
    Complex *own, *packets;
} Fft;

void *allocate(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (!p)
        bsp_abort("fft: out of memory\n");
    return p;
}

static size_t most(size_t a, size_t b) { return a > b ? a : b; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static Round next_round(const Round *r)
{
    size_t share = most(1, r->size / r->local);
    Round n = {.length = r->size, .size = share, .columns = most(1, r->local / r->size),
               .base = r->base, .stride = r->stride, .member = r->member};
    n.local = n.length / n.size;
    if (n.size > 1) {
        n.base += r->member % r->local * r->stride;
        n.stride *= r->local;
        n.member = r->member / r->local;
    } else {
        n.base += r->member * r->stride;
        n.member = 0;
    }
    return n;
}

static void open_rounds(Fft *f, size_t procs)
{
    Round r = {.length = f->n, .size = procs, .member = (size_t)f->pid, .stride = 1,
               .local = f->local, .columns = 1};
    for (;; r = next_round(&r)) {
        for (int back = 0; back < 2; back++) {
            r.plan[back] = open_plan(r.local, back);
            r.roots[back] = open_roots(r.length, back);
        }
        f->round[f->rounds++] = r;
        if (r.size == 1)
            return;
    }
}

static void pack(Fft *f, const Round *r, int back, double scale)
{
    size_t packets = least(r->size, r->local), each = most(1, r->local / r->size), k = 0;
    for (size_t j = 0; j < each; j++)
        for (size_t i = 0; i < packets; i++, k++) {
            Complex y = times(f->own[k], root_at(&r->roots[back], k * r->member));
            f->packets[i * each + j] = (Complex){scale * y.re, scale * y.im};
        }
}

static void pass_on(Fft *f, const Round *r)
{
    size_t packets = least(r->size, r->local), each = most(1, r->local / r->size);
    size_t share = most(1, r->size / r->local), at = r->member / share * each;
    for (size_t i = 0; i < packets; i++) {
        int to = (int)(r->base + r->stride * (i + r->local * (r->member % share)));
        const Complex *packet = f->packets + i * each;
        if (to == f->pid)
            memcpy(f->x + at, packet, each * sizeof *packet);
        else
            bsp_hpput(to, packet, f->x, at * sizeof *packet, each * sizeof *packet);
    }
}

/* fft replaces the vector by its transform, or by its inverse. Collective. */
static void fft(Fft *f, int back)
{
    double scale = back ? 1 / (double)f->n : 1;
    for (int i = 0; i < f->rounds; i++) {
        Round *r = &f->round[i];
        if (i > 0 && r->size == 1) {
            transform_columns(r->plan[back], f->x, r->columns);
            return;
        }
        transform(r->plan[back], f->x, f->own);
        if (r->size == 1) {
            for (size_t k = 0; k < f->local; k++)
                f->x[k] = (Complex){scale * f->own[k].re, scale * f->own[k].im};
            return;
        }
        pack(f, r, back, scale);
        scale = 1;
        bsp_sync();
        pass_on(f, r);
        bsp_sync();
    }
}

static void run_process(const Options *opt)
{
    Fft f = {.n = (size_t)1 << opt->log2n, .pid = bsp_pid()};
    size_t procs = (size_t)bsp_nprocs();
    f.local = f.n / procs;
    if (procs & (procs - 1) || f.local < 2)
        bsp_abort("%s", usage);
    open_rounds(&f, procs);
    f.x = allocate(f.local, sizeof *f.x);
    f.own = allocate(f.local, sizeof *f.own);
    f.packets = allocate(f.local, sizeof *f.packets);
    Share share = {.n = f.n, .local = f.local, .pid = f.pid, .procs = (int)procs};
    fill(&share, f.x);
    bsp_push_reg(f.x, f.local * sizeof *f.x);
    bsp_sync();
    double start = bsp_time();
    for (int i = 0; i < opt->iterations; i++) {
        fft(&f, 0);
        fft(&f, 1);
        bsp_sync();
    }
    double seconds = bsp_time() - start, off = return_error(&share, f.x, opt->iterations);
    fill(&share, f.x);
    bsp_sync();
    fft(&f, 0);
    bsp_sync();
    double spectrum_off = spectrum_error(&share, f.x);
    if (f.pid == 0)
        printf("{\"measure\":\"fft\",\"n\":%zu,\"p\":%zu,\"iterations\":%d,\"seconds\":%.6g,\"gflops\":%.4g,"
               "\"error\":%.3g,\"spectrum_error\":%.3g}\n",
               f.n, procs, opt->iterations, seconds, 10.0 * (double)f.n * opt->log2n * opt->iterations / seconds * 1e-9,
               off, spectrum_off);
    if (!(off <= 16 && spectrum_off <= 16))
        bsp_abort("fft: FAILED, errors %g and %g\n", off, spectrum_off);
    bsp_pop_reg(f.x);
    bsp_sync();
    for (int i = 0; i < f.rounds; i++)
        for (int back = 0; back < 2; back++) {
            close_plan(f.round[i].plan[back]);
            close_roots(&f.round[i].roots[back]);
        }
    free(f.x);
    free(f.own);
    free(f.packets);
}

/* spmd is what every process runs; see bspbench.c for its shape. */
void spmd(void);
void spmd(void)
{
    bsp_begin((int)bsp_nprocs());
    Options opt;
    bsp_push_reg(&opt, sizeof opt);
    bsp_sync();
    if (bsp_pid() == 0) {
        opt = given;
        for (int q = 1; q < (int)bsp_nprocs(); q++)
            bsp_put(q, &opt, &opt, 0, sizeof opt);
    }
    bsp_pop_reg(&opt);
    bsp_sync();
    run_process(&opt);
    bsp_end();
}

int main(int argc, char **argv)
{
    bsp_init(spmd, argc, argv);
    for (int i = 1; i < argc; i += 2) {
        int value = i + 1 < argc ? atoi(argv[i + 1]) : 0;
        if (!strcmp(argv[i], "-log2n") && value > 0 && value < 40)
            given.log2n = value;
        else if (!strcmp(argv[i], "-iterations") && value > 0)
            given.iterations = value;
        else
            bsp_abort("%s", usage);
    }
    spmd();
    return 0;
}
