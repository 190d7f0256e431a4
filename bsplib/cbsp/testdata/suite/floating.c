/* Each process has its own rounding and its own floating-point exceptions, also those of long double.
 * link: -lm */
#define _GNU_SOURCE
#include <bsp.h>
#include <fenv.h>
#include <math.h>

#define CHECK(x) do { if (!(x)) bsp_abort("process %d, line %d: not so: %s", bsp_pid(), __LINE__, #x); } while (0)

int main(void) {
	const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	volatile double one = 1, three = 3, zero = 0;
	volatile long double lone = 1, lzero = 0, lthree = 3;
	bsp_begin(bsp_nprocs());
	int s = bsp_pid();
	bsp_sync();
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(modes[s % 4]);
	double third = one / three;
	long double lthird = lone / lthree;
	feclearexcept(FE_ALL_EXCEPT);
	bsp_sync();
	for (int i = 0; i < 5; i++) {
		if (s % 2)
			lone = 1 / lzero, lone = 1;
		if (s == 2)
			three = one / zero, three = 3;
		bsp_sync();
		CHECK(fegetround() == modes[s % 4] && one / three == third && lone / lthree == lthird);
		CHECK(!!fetestexcept(FE_DIVBYZERO) == (s > 0));
		feclearexcept(FE_INEXACT);
		bsp_sync();
		CHECK(!fetestexcept(FE_INEXACT | FE_INVALID | FE_OVERFLOW));
	}
	if (s == 0)
		feenableexcept(FE_DIVBYZERO);
	bsp_sync();
	CHECK(fegetexcept() == (s == 0 ? FE_DIVBYZERO : 0));
	if (s)
		lone = 1 / lzero;
	bsp_sync();
	volatile long double x = lthree * 2;
	CHECK(x == 6);
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
