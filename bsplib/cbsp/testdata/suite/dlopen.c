/* dlopen of a needed library gives the process's own copy; of the program itself, its own symbols.
 * link: -lgslcblas -lz */
#include <bsp.h>
#include <dlfcn.h>
#include <zlib.h>

int counter;
double cblas_ddot(int, const double *, int, const double *, int);

int main(void) {
	bsp_begin(bsp_nprocs());
	double x[2] = {1, 2};
	if (cblas_ddot(2, x, 1, x, 1) != 5 || !zlibVersion())
		bsp_abort("libraries");
	void *self = dlopen(0, RTLD_NOW), *z = dlopen("libz.so.1", RTLD_NOW), *again = dlopen("libgslcblas.so.0", RTLD_LAZY);
	for (int i = 0; i < 5; i++) {
		bsp_sync();
		if (dlsym(self, "counter") != &counter || dlsym(z, "zlibVersion") != zlibVersion || dlsym(again, "cblas_ddot") != cblas_ddot)
			bsp_abort("another copy");
		if (dlopen("no_such_library.so", RTLD_NOW) || !strstr(dlerror(), "no_such_library"))
			bsp_abort("a missing library");
	}
	dlclose(z);
	dlclose(again);
	dlclose(self);
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
