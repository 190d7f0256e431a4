/* fft_verify.h: the vector that fft transforms, and what is wrong with what comes of
 * it. Errors are over what rounding may do: eps log2(n) times the size of the vector's
 * numbers. */
#ifndef MIGBSP_BENCH_FFT_VERIFY_H
#define MIGBSP_BENCH_FFT_VERIFY_H

#include "fft.h"

/* Share is what a process has of a vector of n numbers: every procs-th from pid on. */
typedef struct {
    size_t n, local;
    int pid, procs;
} Share;

/* fill makes the vector what it is at first. */
void fill(const Share *s, Complex *x);

/* return_error is that of the vector after so many transforms forward and back.
 * Collective. */
double return_error(const Share *s, const Complex *x, int iterations);

/* spectrum_error is that of the vector's transform at a few frequencies, beside the
 * definition. Collective. */
double spectrum_error(const Share *s, const Complex *y);

#endif
