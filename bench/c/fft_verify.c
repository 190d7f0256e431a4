/* fft_verify.c: see fft_verify.h. */
#include "dialect.h"
#include "fft_verify.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t mix(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform(uint64_t i) { return (double)(mix(i) >> 11) * 0x1p-53 - 0.5; }

/* place is that of a process's number i in the vector. */
static size_t place(const Share *s, size_t i) { return (size_t)s->pid + i * (size_t)s->procs; }

static Complex original(size_t j) { return (Complex){uniform(2 * j), uniform(2 * j + 1)}; }

void fill(const Share *s, Complex *x)
{
    for (size_t i = 0; i < s->local; i++)
        x[i] = original(place(s, i));
}

/* worse is the larger one, but NaN if either is. */
static double worse(double a, double b) { return b > a || isnan(b) ? b : a; }

/* share_all gives all processes the count numbers of each, one process after the
 * other. Collective; the caller frees them. */
static double *share_all(const Share *s, double *own, int count)
{
    size_t bytes = (size_t)count * sizeof *own;
    double *all = allocate((size_t)s->procs, bytes);
    bsp_push_reg(all, (size_t)s->procs * bytes);
    bsp_sync();
    for (int q = 0; q < s->procs; q++)
        bsp_put(q, own, all, (size_t)s->pid * bytes, bytes);
    bsp_sync();
    bsp_pop_reg(all);
    bsp_sync();
    return all;
}

/* largest is that of a number of all processes. Collective. */
static double largest(const Share *s, double own)
{
    double *all = share_all(s, &own, 1);
    for (int q = 0; q < s->procs; q++)
        own = worse(own, all[q]);
    free(all);
    return own;
}

double return_error(const Share *s, const Complex *x, int iterations)
{
    double off = 0;
    for (size_t i = 0; i < s->local; i++) {
        Complex o = original(place(s, i));
        off = worse(off, hypot(x[i].re - o.re, x[i].im - o.im));
    }
    return largest(s, off) / (DBL_EPSILON * log2((double)s->n) * 0.7 * iterations);
}

enum { FREQUENCIES = 16, BLOCK = 512 };

/* frequency is one of those that are looked at. */
static size_t frequency(const Share *s, int i)
{
    const size_t fixed[] = {0, 1, s->n / 2, s->n - 1};
    return i < 4 ? fixed[i] : mix((uint64_t)i) % s->n;
}

/* part is what a process's numbers give to the transform at a frequency. They are
 * added up in blocks, as short sums lose fewer digits. */
static Complex part(const Share *s, const Roots *roots, size_t frequency)
{
    Complex sum = {0, 0};
    for (size_t first = 0; first < s->local; first += BLOCK) {
        Complex some = {0, 0};
        for (size_t i = first; i < s->local && i < first + BLOCK; i++) {
            size_t j = place(s, i);
            Complex term = times(original(j), root_at(roots, j * frequency));
            some = (Complex){some.re + term.re, some.im + term.im};
        }
        sum = (Complex){sum.re + some.re, sum.im + some.im};
    }
    return sum;
}

double spectrum_error(const Share *s, const Complex *y)
{
    Complex parts[FREQUENCIES];
    Roots roots = open_roots(s->n, 0);
    for (int i = 0; i < FREQUENCIES; i++)
        parts[i] = part(s, &roots, frequency(s, i));
    close_roots(&roots);
    double off = 0, *all = share_all(s, &parts[0].re, 2 * FREQUENCIES);
    for (int i = 0; i < FREQUENCIES; i++) {
        size_t f = frequency(s, i);
        Complex want = {0, 0};
        for (int q = 0; q < s->procs; q++) {
            want.re += all[2 * (q * FREQUENCIES + i)];
            want.im += all[2 * (q * FREQUENCIES + i) + 1];
        }
        if (f % (size_t)s->procs != (size_t)s->pid)
            continue;
        Complex got = y[f / (size_t)s->procs];
        off = worse(off, hypot(got.re - want.re, got.im - want.im));
    }
    free(all);
    return largest(s, off) / (DBL_EPSILON * log2((double)s->n) * sqrt((double)s->n));
}
