/* plain.h: what the plain programs share. */
#ifndef MIGBSP_BENCH_PLAIN_H
#define MIGBSP_BENCH_PLAIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* seconds is a clock that only goes forward. */
static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* fail ends the program with a line. */
static inline void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static inline void *allocate_zeros(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (!p)
        fail("out of memory");
    return p;
}

/* argument is a whole number of the command line, from 1 on. */
static inline int argument(int argc, char **argv, int i)
{
    int n = i < argc ? atoi(argv[i]) : 0;
    if (n < 1)
        fail("expected numbers from 1 on: see the head of the source");
    return n;
}

/* mix is a bijection that changes about half the bits for each bit of x that
 * changes; uniform makes a number in [0, 1) of it. Those of apps/. */
static inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline double uniform(uint64_t i) { return (double)(mix(i) >> 11) * 0x1p-53; }

#endif
