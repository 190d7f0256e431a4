/* A function within a function is called by code on the stack. */
#include <bsp.h>
static int apply(int (*f)(int), int x) { return f(x); }
int main(void) {
	bsp_begin(bsp_nprocs());
	int base = bsp_pid();
	int add(int x) { return x + base; }
	int (*volatile f)(int) = add;
	for (int i = 0; i < 5; i++) {
		bsp_sync();
		if (apply(f, 2) != 2 + bsp_pid())
			bsp_abort("wrong");
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
}
