/* OpenMP: each process has its own number of threads, also of a schedule and of nested regions.
 * options: -fopenmp
 * link: -lgomp */
#include <bsp.h>
#include <omp.h>

static int own;
#pragma omp threadprivate(own)

int main(void) {
	bsp_begin(bsp_nprocs());
	int pid = bsp_pid();
	omp_set_num_threads(1 + pid);
	omp_set_schedule(pid % 2 ? omp_sched_dynamic : omp_sched_static, 1 + pid);
	own = 100 + pid;
	for (int i = 0; i < 10; i++) {
		long sum = 0;
		int threads = 0;
		omp_sched_t kind;
		bsp_sync();
		omp_get_schedule(&kind, &(int){0});
		if (omp_get_max_threads() != 1 + pid || kind != (pid % 2 ? omp_sched_dynamic : omp_sched_static) || own != 100 + pid)
			bsp_abort("%d threads, schedule %d", omp_get_max_threads(), kind);
#pragma omp parallel for reduction(+ : sum, threads) schedule(runtime)
		for (int k = 0; k < 1000; k++) {
			sum += k * pid;
			threads += omp_get_num_threads() == 1 + pid;
		}
		if (sum != 499500l * pid || threads != 1000)
			bsp_abort("sum %ld, %d", sum, threads);
	}
	if (pid == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
