// What must be so before Go's runtime begins, which cannot say it in a line.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NEEDED (800ul << 20) // addresses that Go's runtime reserves, and a little more

static __attribute__((constructor(101))) void enough(void) {
	void *at = mmap(0, NEEDED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rlimit limit;
	if (at != MAP_FAILED) {
		munmap(at, NEEDED);
		return;
	}
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		fprintf(stderr, "%s: %lu MiB of addresses are needed, and cannot be had\n", program_invocation_short_name, NEEDED >> 20);
	else
		fprintf(stderr, "%s: %lu MiB of addresses are needed, and all are limited to %lu MiB (ulimit -v)\n", program_invocation_short_name, NEEDED >> 20, (unsigned long)limit.rlim_cur >> 20);
	_exit(2);
}
