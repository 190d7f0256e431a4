/* fft.h: Fourier transforms of 2^k complex numbers on one processor. */
#ifndef MIGBSP_BENCH_FFT_H
#define MIGBSP_BENCH_FFT_H

#include <stddef.h>

typedef struct {
    double re, im;
} Complex;

static inline Complex times(Complex a, Complex b)
{
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* root is exp(-2 pi i k / n), or exp(+2 pi i k / n) if back. */
Complex root(size_t k, size_t n, int back);

/* Roots are all roots of one order, as products of two tables. */
typedef struct {
    size_t mask, low;
    int shift;
    Complex *high, *fine;
} Roots;

Roots open_roots(size_t n, int back);
void close_roots(Roots *r);

static inline Complex root_at(const Roots *r, size_t k)
{
    return times(r->high[(k & r->mask) >> r->shift], r->fine[k & r->low]);
}

/* A Plan transforms vectors of one length in one direction. */
typedef struct Plan Plan;

Plan *open_plan(size_t n, int back);
void close_plan(Plan *p);

/* transform replaces y by the transform of x, and spoils x. */
void transform(Plan *p, Complex *x, Complex *y);

/* transform_columns transforms in place the columns of a matrix with m numbers
 * in each row. Rows of a plan that is too long for the cache are refused. */
void transform_columns(Plan *p, Complex *x, size_t m);

/* allocate is malloc, and ends the program where there is no memory. */
void *allocate(size_t count, size_t size);

#endif
