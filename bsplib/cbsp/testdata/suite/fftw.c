/* Each process has FFTW plans of its own, makes more between barriers, and transforms back and forth.
 * link: -lfftw3 */
#include <bsp.h>
#include <fftw3.h>
#include <math.h>

enum { N = 240 };

int main(void) {
	bsp_begin(bsp_nprocs());
	int n = N + 16 * bsp_pid();
	fftw_complex *x = fftw_alloc_complex(n), *y = fftw_alloc_complex(n);
	fftw_plan there = fftw_plan_dft_1d(n, x, y, FFTW_FORWARD, FFTW_MEASURE), back = 0;
	for (int s = 0; s < 8; s++) {
		for (int i = 0; i < n; i++)
			x[i][0] = sin(i + s + bsp_pid()), x[i][1] = i % 7;
		bsp_sync();
		fftw_execute(there);
		bsp_sync();
		if (!back)
			back = fftw_plan_dft_1d(n, y, x, FFTW_BACKWARD, FFTW_ESTIMATE);
		fftw_execute(back);
		bsp_sync();
		for (int i = 0; i < n; i++)
			if (fabs(x[i][0] / n - sin(i + s + bsp_pid())) > 1e-12 || fabs(x[i][1] / n - i % 7) > 1e-12)
				bsp_abort("step %d, element %d: %g", s, i, x[i][0] / n);
	}
	fftw_destroy_plan(there);
	fftw_destroy_plan(back);
	fftw_free(x);
	fftw_free(y);
	fftw_cleanup();
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
