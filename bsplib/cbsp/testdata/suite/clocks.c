/* No clock of a process goes backwards, where it moves and where other threads run it. Processor time is its own. */
#define _GNU_SOURCE
#include <bsp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

enum { CLOCKS = 11 };
static const clockid_t ids[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
static double last[CLOCKS];

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static void look(void) {
	double now[CLOCKS];
	int n = 0;
	struct timespec t;
	struct rusage u;
	struct tms used;
	for (; n < 6; n++) {
		CHECK(!clock_gettime(ids[n], &t));
		now[n] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	}
	now[n++] = (double)clock() / CLOCKS_PER_SEC;
	now[n++] = (double)times(&used);
	now[n++] = (double)(used.tms_utime + used.tms_stime);
	CHECK(!getrusage(RUSAGE_SELF, &u));
	now[n++] = seconds(u.ru_utime) + seconds(u.ru_stime);
	CHECK(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t));
	now[n++] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	for (int i = 0; i < n; i++) {
		if (now[i] < last[i])
			bsp_abort("clock %d has gone from %f to %f", i, last[i], now[i]);
		last[i] = now[i];
	}
}

static void works(double t) {
	for (double end = bsp_time() + t; bsp_time() < end;)
		;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	clock();
	works(0.02 * (1 + bsp_pid()));
	for (int i = 0; i < 20; i++) {
		look();
		works(bsp_pid() == i % 4 ? 0.01 : 0);
		bsp_sync();
	}
	double before = last[6];
	struct timespec until;
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &until));
	until.tv_nsec = until.tv_nsec / 2;
	CHECK(!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
	while (last[6] < before + 0.02) /* it goes on */
		look();
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
