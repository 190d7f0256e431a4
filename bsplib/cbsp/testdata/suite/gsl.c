/* GSL: an error handler, random numbers, a spline and an integration of each process.
 * link: -lgsl -lgslcblas */
#include <bsp.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_log.h>
#include <gsl/gsl_spline.h>
#include <math.h>

static int mistakes;
static void even(const char *reason, const char *file, int line, int code) { mistakes += 1; }
static void odd(const char *reason, const char *file, int line, int code) { mistakes += 100; }
static double f(double x, void *p) { return exp(-x * x) * *(int *)p; }

int main(void) {
	bsp_begin(bsp_nprocs());
	int pid = bsp_pid() + 1;
	gsl_set_error_handler(pid % 2 ? odd : even);
	gsl_rng *r = gsl_rng_alloc(gsl_rng_taus), *again = gsl_rng_alloc(gsl_rng_taus);
	gsl_rng_set(r, pid);
	gsl_rng_set(again, pid);
	double x[20], y[20], sum = 0;
	for (int i = 0; i < 20; i++)
		x[i] = i, y[i] = i * pid;
	gsl_interp_accel *a = gsl_interp_accel_alloc();
	gsl_spline *s = gsl_spline_alloc(gsl_interp_cspline, 20);
	gsl_spline_init(s, x, y, 20);
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(100);
	for (int i = 0; i < 10; i++) {
		bsp_sync();
		gsl_sf_log(-1); // calls the handler twice
		if (gsl_rng_get(r) != gsl_rng_get(again))
			bsp_abort("random numbers differ");
		if (fabs(gsl_spline_eval(s, i + .5, a) - (i + .5) * pid) > 1e-9)
			bsp_abort("spline");
		double result, error;
		gsl_function g = {f, &pid};
		gsl_integration_qagi(&g, 1e-9, 1e-9, 100, w, &result, &error);
		if (fabs(result - pid * sqrt(M_PI)) > 1e-6)
			bsp_abort("integral %g", result);
		gsl_matrix *m = gsl_matrix_alloc(pid + 1, pid + 1);
		gsl_matrix_set_identity(m);
		gsl_permutation *p = gsl_permutation_alloc(pid + 1);
		int sign;
		gsl_linalg_LU_decomp(m, p, &sign);
		sum += gsl_linalg_LU_det(m, sign);
		bsp_sync();
		gsl_permutation_free(p);
		gsl_matrix_free(m);
	}
	if (mistakes != (pid % 2 ? 2000 : 20) || sum != 10)
		bsp_abort("%d errors were handled, sum %g", mistakes, sum);
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
