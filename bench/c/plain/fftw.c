/* fftw.c: Fourier transforms forward and back by FFTW 3, on one core. The plans are
 * measured (FFTW_MEASURE), which does not count.
 *
 * usage: fftw LOG2N ITERATIONS */
#include "fft_check.h"

#include <fftw3.h>

int main(int argc, char **argv)
{
    size_t n = (size_t)1 << argument(argc, argv, 1);
    int iterations = argument(argc, argv, 2);
    Complex *x = fftw_malloc(n * sizeof *x), *y = fftw_malloc(n * sizeof *y);
    if (!x || !y || n > 1 << 30)
        fail("out of memory");
    fftw_plan forward = fftw_plan_dft_1d((int)n, (fftw_complex *)x, (fftw_complex *)y, FFTW_FORWARD, FFTW_MEASURE);
    fftw_plan back = fftw_plan_dft_1d((int)n, (fftw_complex *)y, (fftw_complex *)x, FFTW_BACKWARD, FFTW_MEASURE);
    fill(x, n);
    double began = seconds();
    for (int i = 0; i < iterations; i++) {
        fftw_execute(forward);
        fftw_execute(back);
        for (size_t k = 0; k < n; k++)
            x[k] = (Complex){x[k].re / (double)n, x[k].im / (double)n};
    }
    printf("time %.6g s\n", seconds() - began);
    check_return(x, n, iterations);
    fill(x, n);
    fftw_execute(forward);
    check_spectrum(y, n);
    fftw_destroy_plan(back);
    fftw_destroy_plan(forward);
    fftw_free(y);
    fftw_free(x);
    return 0;
}
