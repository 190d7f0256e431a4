/* MPFR and GMP: thread-local default precision, cached constants and memory functions.
 * link: -lmpfr -lgmp */
#include <bsp.h>
#include <mpfr.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	mpfr_set_default_prec(100 + 64 * bsp_pid());
	mpfr_t pi, x;
	char first[400], text[400];
	mpfr_init(pi);
	mpfr_const_pi(pi, MPFR_RNDN);
	mpfr_snprintf(first, sizeof first, "%.90Rf", pi);
	mpz_t n;
	mpz_init_set_ui(n, 1);
	for (int i = 1; i <= 30; i++) {
		bsp_sync();
		if (mpfr_get_default_prec() != 100 + 64 * bsp_pid())
			bsp_abort("the precision is %ld", (long)mpfr_get_default_prec());
		mpfr_init(x);
		mpfr_const_pi(x, MPFR_RNDN);
		if (mpfr_cmp(x, pi))
			bsp_abort("another pi");
		mpfr_clear(x);
		mpz_mul_ui(n, n, i);
	}
	mpfr_snprintf(text, sizeof text, "%.90Rf", pi);
	if (strcmp(first, text) || strncmp(text, "3.14159265358979323846264338", 28))
		bsp_abort("%s", text);
	gmp_snprintf(text, sizeof text, "%Zd", n);
	if (strcmp(text, "265252859812191058636308480000000"))
		bsp_abort("30! = %s", text);
	mpz_clear(n);
	mpfr_clear(pi);
	mpfr_free_cache();
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
