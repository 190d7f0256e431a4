/* fft_check.h: the vector that the plain Fourier transforms begin with, and what is
 * checked of them. Errors are over what rounding may do; above 16 the program fails. */
#ifndef MIGBSP_BENCH_FFT_CHECK_H
#define MIGBSP_BENCH_FFT_CHECK_H

#include "../fft.h"
#include "plain.h"

#include <float.h>
#include <math.h>

static inline Complex original(size_t j) { return (Complex){uniform(2 * j) - 0.5, uniform(2 * j + 1) - 0.5}; }

static inline void fill(Complex *x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        x[j] = original(j);
}

static inline void check(double off, double size, size_t n)
{
    if (!(off <= 16 * DBL_EPSILON * log2((double)n) * size))
        fail("FAILED: the transform is wrong");
}

/* check_return compares x with what it was before it went forward and back. */
static inline void check_return(const Complex *x, size_t n, int iterations)
{
    for (size_t j = 0; j < n; j++) {
        Complex o = original(j);
        check(hypot(x[j].re - o.re, x[j].im - o.im), 0.7 * iterations, n);
    }
}

/* spectrum is the transform of the vector at a frequency, by its definition. Terms are
 * added up in blocks, as short sums lose fewer digits. */
static inline Complex spectrum(size_t frequency, size_t n)
{
    enum { BLOCK = 512 };
    Complex sum = {0, 0};
    for (size_t first = 0; first < n; first += BLOCK) {
        Complex part = {0, 0};
        for (size_t j = first; j < first + BLOCK && j < n; j++) {
            double angle = -2 * M_PI * (double)(j * frequency % n) / (double)n;
            Complex term = times(original(j), (Complex){cos(angle), sin(angle)});
            part = (Complex){part.re + term.re, part.im + term.im};
        }
        sum = (Complex){sum.re + part.re, sum.im + part.im};
    }
    return sum;
}

/* check_spectrum compares y at a few frequencies with what it should be, which is of
 * the size of sqrt(n). */
static inline void check_spectrum(const Complex *y, size_t n)
{
    const size_t some[] = {0, 1, n / 2, n - 1, mix(1) % n, mix(2) % n};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        Complex want = spectrum(some[i], n);
        check(hypot(y[some[i]].re - want.re, y[some[i]].im - want.im), sqrt((double)n), n);
    }
}

#endif
