/* bench.h: what the parts of bspbench share. */
#ifndef MIGBSP_BENCH_H
#define MIGBSP_BENCH_H

#include "dialect.h"
#include "loop.h"

enum { WORD = sizeof(double), MIB = 1024 * 1024 / WORD /* in words */ };

/* Options are parsed by process 0 only, then copied to all others byte by
 * byte: hence no pointers. */
typedef struct {
    double seconds;     /* spent on one measure */
    char library[64];   /* a label for the first line of output */
    char only[4096];    /* measures to run, see selected */
} Options;

/* Bench is the state of one process. No state is global, because a library may
 * run its processes as threads of one address space. */
typedef struct {
    int pid, nprocs;
    int right, left;    /* neighbours on the ring of processes */
    int around[NEIGHBOURS];  /* on the torus */
    Options opt;
    long words;         /* length of the two areas */
    double *src, *dst;  /* registered; src[i] == word(pid, i) throughout */
    long at;            /* first word of dst that the measure writes */
    long *where;        /* a pseudo-random permutation of 0..99999, or NULL */
    double vote;        /* registered, see agree */
} Bench;

/* A Step is one superstep of n operations, bsp_sync included. Every process
 * calls it with the same n. */
typedef void (*Step)(Bench *b, long n);

/* word is the i-th word that process pid sends; exact in a double. */
double word(int pid, long i);

/* agree returns process 0's x on every process. Collective, one superstep. */
double agree(Bench *b, double x);

/* time_step repeats a step for about the given seconds and returns the same
 * timing on every process. Collective. */
Timing time_step(Bench *b, Step step, long n, double seconds);

/* measure_words returns the area length that the selected measures need. */
long measure_words(const Options *opt, int nprocs);

/* run_measures times, verifies and prints each selected measure. */
void run_measures(Bench *b);

/* report prints a row, on process 0. */
void report(const Bench *b, const char *measure, Timing t, double bytes, double ops);

#endif
