/* BLAS and LAPACK by their Fortran names: products and solutions of each process.
 * link: -llapack -lblas */
#include <bsp.h>
#include <math.h>
#include <stdlib.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *);

int main(void) {
	bsp_begin(bsp_nprocs());
	int n = 100 + 20 * bsp_pid(), one = 1, info, *pivots = malloc(n * sizeof *pivots);
	double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = malloc(n * n * sizeof *c), *x = malloc(n * sizeof *x), yes = 1, no = 0;
	for (int s = 0; s < 6; s++) {
		for (int i = 0; i < n * n; i++)
			a[i] = (i * 7 + s) % 13 + (i % (n + 1) ? 0 : 20. * n), b[i] = i % (n + 1) ? 0 : 2;
		bsp_sync();
		dgemm_("N", "N", &n, &n, &n, &yes, a, &n, b, &n, &no, c, &n);
		for (int i = 0; i < n * n; i++)
			if (fabs(c[i] - 2 * a[i]) > 1e-9)
				bsp_abort("product: %g, not %g", c[i], 2 * a[i]);
		bsp_sync();
		for (int i = 0; i < n; i++) {
			x[i] = 0;
			for (int j = 0; j < n; j++)
				x[i] += a[i + j * n] * j;
		}
		dgesv_(&n, &one, a, &n, pivots, x, &n, &info);
		for (int i = 0; i < n; i++)
			if (info || fabs(x[i] - i) > 1e-6)
				bsp_abort("solution %d: %g", i, x[i]);
		bsp_sync();
		double values[3], work[20], m[9] = {2, 0, 0, 0, 3, 4, 0, 4, 9};
		int three = 3, room = 20;
		dsyev_("N", "U", &three, m, &three, values, work, &room, &info);
		if (info || fabs(values[0] - 1) > 1e-12 || fabs(values[1] - 2) > 1e-12 || fabs(values[2] - 11) > 1e-12)
			bsp_abort("eigenvalues %g %g %g", values[0], values[1], values[2]);
		bsp_sync();
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
