/* A process keeps the lock of its output across bsp_sync, and the functions that hold for a whole rank do not end it.
 * options: -D_FORTIFY_SOURCE=2 */
#define _GNU_SOURCE
#include <bsp.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	cpu_set_t all, one, now;
	flockfile(stdout);
	for (int i = 0; i < 5; i++) {
		bsp_sync();
		printf("%s", "");
	}
	funlockfile(stdout);
	nice(1);
	struct rlimit limit;
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &limit);
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	for (int i = 0, left = bsp_pid() % CPU_COUNT(&all); i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all) && left-- == 0)
			CPU_SET(i, &one);
	if (bsp_pid() > 0)
		sched_setaffinity(0, sizeof one, &one);
	for (int i = 0; i < 5; i++) {
		bsp_sync();
		sched_getaffinity(0, sizeof now, &now);
		if (bsp_pid() > 0 && !CPU_EQUAL(&now, &one)) /* ranks may differ */
			bsp_abort("process %d has %d processors", bsp_pid(), CPU_COUNT(&now));
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
