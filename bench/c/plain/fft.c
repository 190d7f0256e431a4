/* fft.c: Fourier transforms forward and back with the passes of bench/c/fft_local.c,
 * which are those of apps/fft, on one core.
 *
 * usage: fft LOG2N ITERATIONS */
#include "fft_check.h"

void *allocate(size_t count, size_t size) { return allocate_zeros(count, size); }

int main(int argc, char **argv)
{
    size_t n = (size_t)1 << argument(argc, argv, 1);
    int iterations = argument(argc, argv, 2);
    Complex *x = allocate(n, sizeof *x), *y = allocate(n, sizeof *y);
    Plan *forward = open_plan(n, 0), *back = open_plan(n, 1);
    fill(x, n);
    double began = seconds();
    for (int i = 0; i < iterations; i++) {
        transform(forward, x, y);
        transform(back, y, x);
        for (size_t k = 0; k < n; k++)
            x[k] = (Complex){x[k].re / (double)n, x[k].im / (double)n};
    }
    printf("time %.6g s\n", seconds() - began);
    check_return(x, n, iterations);
    fill(x, n);
    transform(forward, x, y);
    check_spectrum(y, n);
    close_plan(back);
    close_plan(forward);
    free(y);
    free(x);
    return 0;
}
