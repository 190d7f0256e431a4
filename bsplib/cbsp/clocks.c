//go:build !staticrank

// Clocks of a process, which do not go backwards where it moves. Its processor time is the time in which it and its
// threads have run. Clocks of the host that count from its start go on from the value that they had where the process
// left. The time of day is the host's.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

enum { SECOND = 1000000000 };
static const clockid_t ofHost[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_BOOTTIME_ALARM};
enum { CHILDREN_USER = sizeof ofHost / sizeof *ofHost, CHILDREN_SYSTEM, COUNTERS };

// In nanoseconds.
struct clocks {
	int64_t ran, from;         // in turns that have ended; by the thread's clock, the beginning of this one
	int64_t before;            // of threads that have been joined
	int64_t offsets[COUNTERS]; // to the values of this host
	int64_t left[COUNTERS], leftAt; // values and the time of day where the process has left a rank
	int running;
};

static int64_t in(struct timespec t) { return t.tv_sec * SECOND + t.tv_nsec; }
static int64_t inMicroseconds(struct timeval t) { return t.tv_sec * SECOND + t.tv_usec * 1000; }
static struct timespec timespecOf(int64_t t) { return (struct timespec){t / SECOND, t % SECOND}; }
static struct timeval timevalOf(int64_t t) { return (struct timeval){t / SECOND, t % SECOND / 1000}; }

static int64_t reads(clockid_t clock) {
	struct timespec t;
	return clock_gettime(clock, &t) ? 0 : in(t);
}

// ofThread returns the processor time of a thread of the rank.
static int64_t ofThread(int tid) { return reads((clockid_t)(~(unsigned)tid << 3 | 6)); }

// its returns the clocks of a process, null if there is none.
static struct clocks *its(process *c) {
	if (c && !c->clocks && !(c->clocks = migbsp_zeroed(c, sizeof *c->clocks)))
		migbsp_fail("no memory is left");
	return c ? c->clocks : 0;
}

// counter returns the value of a counter of this host.
static int64_t counter(int i) {
	struct rusage u;
	if (i < CHILDREN_USER)
		return reads(ofHost[i]);
	getrusage(RUSAGE_CHILDREN, &u);
	return inMicroseconds(i == CHILDREN_USER ? u.ru_utime : u.ru_stime);
}

void migbsp_clocks_depart(process *c) {
	struct clocks *k = c->clocks;
	if (!k)
		return;
	k->leftAt = reads(CLOCK_REALTIME);
	for (int i = 0; i < COUNTERS; i++)
		k->left[i] = counter(i) + k->offsets[i];
}

// migbsp_clocks_arrive has the clocks go on. On the same host, where the time of day has gone on as much, they stay.
void migbsp_clocks_arrive(process *c) {
	struct clocks *k = c->clocks;
	if (!k)
		return;
	int64_t passed = reads(CLOCK_REALTIME) - k->leftAt;
	for (int i = 0; i < COUNTERS; i++) {
		int64_t here = counter(i), gone = here + k->offsets[i] - k->left[i];
		if (i >= CHILDREN_USER || gone < 0 || llabs(gone - passed) > SECOND / 10)
			k->offsets[i] = k->left[i] - here;
	}
}

void migbsp_clocks_turn(process *c) {
	c->clocks->from = reads(CLOCK_THREAD_CPUTIME_ID);
	c->clocks->running = 1;
}

void migbsp_clocks_rest(process *c) {
	c->clocks->ran += reads(CLOCK_THREAD_CPUTIME_ID) - c->clocks->from;
	c->clocks->running = 0;
}

// timed has the turns of a process measured from now on.
static void timed(process *c) {
	struct clocks *k = its(c);
	if (c->watched & WATCHED_CLOCKS || !migbsp_now())
		return;
	c->watched |= WATCHED_CLOCKS;
	c->tid = (int)gettid();
	k->running = 1; // from the beginning of the thread on, which is a value as good as any
}

static int64_t ranItself(process *c) {
	timed(c);
	return c->clocks->ran + (c->clocks->running ? ofThread(c->tid) - c->clocks->from : 0);
}

static int64_t ran(process *c) { return ranItself(c) + migbsp_threads_time(c) + c->clocks->before; }

// migbsp_thread_ran adds the time of a thread that ends.
void migbsp_thread_ran(process *c) {
	if (c->clocks)
		__atomic_add_fetch(&c->clocks->before, reads(CLOCK_THREAD_CPUTIME_ID), __ATOMIC_RELAXED);
}

#define CALLER __builtin_return_address(0)

static clock_t own_clock(void) {
	process *c = migbsp_who(CALLER);
	return c ? ran(c) / (SECOND / CLOCKS_PER_SEC) : clock();
}

static int own_clock_gettime(clockid_t clock, struct timespec *to) {
	process *c = migbsp_who(CALLER);
	int wrong = clock_gettime(clock, to);
	if (wrong || !c)
		return wrong;
	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		*to = timespecOf(ran(c));
	else if (clock == CLOCK_THREAD_CPUTIME_ID && migbsp_now())
		*to = timespecOf(ranItself(c));
	else
		for (int i = 0; i < CHILDREN_USER; i++)
			if (clock == ofHost[i] && its(c)->offsets[i])
				*to = timespecOf(in(*to) + its(c)->offsets[i]);
	return 0;
}

// migbsp_of_host makes a deadline by a clock of the process one of the host's clock.
void migbsp_of_host(clockid_t clock, struct timespec *deadline) {
	process *c = migbsp_who(0);
	for (int i = 0; i < CHILDREN_USER && c && c->clocks; i++)
		if (clock == ofHost[i] && c->clocks->offsets[i]) {
			int64_t t = in(*deadline) - c->clocks->offsets[i];
			*deadline = timespecOf(t > 0 ? t : 0);
		}
}

static int own_clock_nanosleep(clockid_t clock, int flags, const struct timespec *given, struct timespec *left) {
	struct timespec t = *given;
	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		migbsp_refuses(CALLER, "clock_nanosleep: processor time of a process cannot be waited for");
	if (flags & TIMER_ABSTIME)
		migbsp_of_host(clock, &t);
	return clock_nanosleep(clock, flags, &t, left);
}

static int own_clock_getcpuclockid(pid_t pid, clockid_t *clock) {
	if (!migbsp_who(CALLER) || (pid != 0 && pid != getpid()))
		return clock_getcpuclockid(pid, clock);
	*clock = CLOCK_PROCESS_CPUTIME_ID;
	return 0;
}

static int own_getrusage(int whose, struct rusage *to) {
	process *c = migbsp_who(CALLER);
	int wrong = getrusage(whose, to);
	if (wrong || !c)
		return wrong;
	if (whose == RUSAGE_CHILDREN) {
		to->ru_utime = timevalOf(inMicroseconds(to->ru_utime) + its(c)->offsets[CHILDREN_USER]);
		to->ru_stime = timevalOf(inMicroseconds(to->ru_stime) + its(c)->offsets[CHILDREN_SYSTEM]);
	} else if (whose == RUSAGE_SELF || migbsp_now()) {
		to->ru_utime = timevalOf(whose == RUSAGE_SELF ? ran(c) : ranItself(c));
		to->ru_stime = (struct timeval){0};
	}
	return 0;
}

static clock_t own_times(struct tms *to) {
	process *c = migbsp_who(CALLER);
	if (!c)
		return times(to);
	struct rusage self, children;
	struct timespec now;
	int64_t tick = SECOND / sysconf(_SC_CLK_TCK);
	own_clock_gettime(CLOCK_MONOTONIC, &now);
	own_getrusage(RUSAGE_SELF, &self);
	own_getrusage(RUSAGE_CHILDREN, &children);
	if (to)
		*to = (struct tms){inMicroseconds(self.ru_utime) / tick, 0, inMicroseconds(children.ru_utime) / tick, inMicroseconds(children.ru_stime) / tick};
	return in(now) / tick;
}

#define NAME(name) {#name, own_##name}

const migbsp_function migbsp_clock_names[] = {
	NAME(clock), NAME(clock_gettime), {"__clock_gettime", own_clock_gettime}, NAME(clock_nanosleep), NAME(clock_getcpuclockid), NAME(getrusage), NAME(times), {"__times", own_times}, {0, 0},
};
