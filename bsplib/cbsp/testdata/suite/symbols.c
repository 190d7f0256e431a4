/* dlsym, dladdr and dl_iterate_phdr find the process's program and libraries.
 * link: -lgslcblas */
#define _GNU_SOURCE
#include <bsp.h>
#include <dlfcn.h>
#include <link.h>

int counter, seen;
__thread int ofThread;
double cblas_ddot(int, const double *, int, const double *, int);

static int look(struct dl_phdr_info *info, size_t size, void *at) {
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)at - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			seen++;
	return 0;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	counter = ofThread = bsp_pid();
	double x[2] = {1, 2};
	for (int i = 0; i < 6; i++) {
		bsp_sync();
		int *found = dlsym(RTLD_DEFAULT, "counter"), *local = dlsym(RTLD_DEFAULT, "ofThread");
		if (found != &counter || local != &ofThread || *found != bsp_pid() || *local != bsp_pid())
			bsp_abort("another variable");
		double (*dot)(int, const double *, int, const double *, int) = dlsym(RTLD_DEFAULT, "cblas_ddot");
		if (dot != cblas_ddot || dot(2, x, 1, x, 1) != 5)
			bsp_abort("another function");
		Dl_info about;
		if (!dladdr(main, &about) || strcmp(about.dli_sname, "main") || about.dli_saddr != main || !dladdr(dot, &about) || !strstr(about.dli_fname, "cblas"))
			bsp_abort("dladdr: %s", about.dli_fname);
		if (dlsym(RTLD_DEFAULT, "no_such_name") || !dlerror())
			bsp_abort("found a missing name");
		seen = 0;
		dl_iterate_phdr(look, main);
		dl_iterate_phdr(look, dot);
		if (seen != 2)
			bsp_abort("seen %d times", seen);
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
