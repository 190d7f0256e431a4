//go:build !staticrank

// Threads that a process makes, and state of the C library that belongs to the calling thread: the owner of a mutex, the
// result of pthread_self. A process is one thread of its program, and several threads of its rank may run it in turn.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

__thread process *migbsp_thread_of;

void migbsp_locks(int *lock) {
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

#define CALLER __builtin_return_address(0)
#define EXPORT __attribute__((visibility("default"), noinline))
#define NEXT(name) ((__typeof__(&name))migbsp_following(&(static_next), #name))

// A thread of a process. The process holds it until it is joined, or has ended if it is detached.
typedef struct {
	process *of;
	void *(*f)(void *);
	void *argument;
	pthread_t thread;
	int tid, detached, counted; // counted: its processor time is the process's
} made;

static void counts(void *p) {
	made *m = p;
	migbsp_thread_ran(m->of);
	m->counted = 1;
}

static void *begins(void *p) {
	made *m = p;
	void *result;
	migbsp_thread_of = m->of;
	migbsp_static_begins(m->of);
	m->thread = pthread_self();
	__atomic_store_n(&m->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	pthread_cleanup_push(counts, m);
	result = m->f(m->argument);
	pthread_cleanup_pop(1);
	return result;
}

// Memory of threads that are gone is kept for others, for threads that join others may still read it.
static made *spare;
static int sparing;

static made *fresh(void) {
	migbsp_locks(&sparing);
	made *m = spare;
	if (m)
		spare = m->argument;
	migbsp_unlocks(&sparing);
	return m ? m : __libc_malloc(sizeof *m);
}

// gone removes a thread that has ended from its process.
static void gone(made *m) {
	process *c = m->of;
	if (!migbsp_drops(c, HELD_THREAD, (uint64_t)m))
		return;
	m->thread = 0;
	migbsp_locks(&sparing);
	m->argument = spare;
	spare = m;
	migbsp_unlocks(&sparing);
	__atomic_sub_fetch(&c->threads, 1, __ATOMIC_ACQ_REL);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument) {
	static void *static_next;
	process *c = migbsp_who(CALLER);
	if (!c)
		return NEXT(pthread_create)(thread, attributes, f, argument);
	made *m = fresh();
	if (!m)
		return EAGAIN;
	int detached = 0;
	if (attributes)
		pthread_attr_getdetachstate(attributes, &detached);
	*m = (made){.of = c, .f = f, .argument = argument, .detached = detached == PTHREAD_CREATE_DETACHED};
	__atomic_add_fetch(&c->threads, 1, __ATOMIC_ACQ_REL);
	c->watched |= WATCHED_THREADS;
	if (migbsp_now())
		c->tid = (int)syscall(SYS_gettid);
	migbsp_holds(c, HELD_THREAD, (uint64_t)m, "pthread_create", CALLER);
	int wrong = NEXT(pthread_create)(&m->thread, attributes, begins, m);
	*thread = m->thread;
	if (wrong)
		gone(m);
	return wrong;
}

static made *of(process *c, pthread_t thread) {
	uint64_t all[512];
	for (int n = c ? migbsp_all(c, HELD_THREAD, all, 512) : 0, i = 0; i < n; i++)
		if (((made *)all[i])->thread == thread)
			return (made *)all[i];
	return 0;
}

#define JOINS(name, parameters, arguments) \
	EXPORT int name parameters { \
		static void *static_next; \
		made *m = of(migbsp_who(CALLER), thread); \
		int wrong = NEXT(name) arguments; \
		if (!wrong && m) \
			gone(m); \
		return wrong; \
	}

JOINS(pthread_join, (pthread_t thread, void **result), (thread, result))
JOINS(pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
JOINS(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until), (thread, result, until))
JOINS(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, const struct timespec *until), (thread, result, clock, until))

// itself reports whether a number of a thread is the process's that runs.
static int itself(pthread_t thread) {
	process *c = migbsp_now();
	return c && thread == (pthread_t)c;
}

EXPORT int pthread_detach(pthread_t thread) {
	static void *static_next;
	if (itself(thread))
		return 0;
	made *m = of(migbsp_who(CALLER), thread);
	int wrong = NEXT(pthread_detach)(thread);
	if (!wrong && m)
		m->detached = 1;
	return wrong;
}

// over reports whether a detached thread has ended.
static int over(const made *m) {
	int tid = __atomic_load_n(&m->tid, __ATOMIC_ACQUIRE);
	return m->detached && tid && syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;
}

static void dropEnded(process *c) {
	uint64_t all[512];
	for (int n = migbsp_all(c, HELD_THREAD, all, 512), i = 0; i < n; i++)
		if (over((made *)all[i]))
			gone((made *)all[i]);
	if (c->threads == 0)
		c->watched &= ~WATCHED_THREADS;
}

// migbsp_has_threads reports whether threads of a process may run.
int migbsp_has_threads(process *c) { return c->threads > 0; }

// migbsp_without_threads is for the child of a fork, which has none.
void migbsp_without_threads(process *c) {
	uint64_t all[512];
	for (int n; (n = migbsp_all(c, HELD_THREAD, all, 512)) > 0;)
		while (n > 0)
			migbsp_drops(c, HELD_THREAD, all[--n]);
	c->threads = 0;
}

// migbsp_threads_time returns the processor time of threads that have not been joined.
int64_t migbsp_threads_time(process *c) {
	uint64_t all[512];
	int64_t sum = 0;
	for (int n = c->threads ? migbsp_all(c, HELD_THREAD, all, 512) : 0, i = 0; i < n; i++) {
		struct timespec t;
		int tid = __atomic_load_n(&((made *)all[i])->tid, __ATOMIC_ACQUIRE);
		if (tid && !((made *)all[i])->counted && !clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &t))
			sum += t.tv_sec * 1000000000l + t.tv_nsec;
	}
	return sum;
}

typedef struct { thrd_start_t f; void *argument; } plain;

static void *startsPlain(void *p) {
	plain given = *(plain *)p;
	__libc_free(p);
	return (void *)(intptr_t)given.f(given.argument);
}

static int own_thrd_create(thrd_t *thread, thrd_start_t f, void *argument) {
	plain *p = __libc_malloc(sizeof *p);
	if (!p)
		return thrd_nomem;
	*p = (plain){f, argument};
	int wrong = pthread_create(thread, 0, startsPlain, p);
	if (wrong)
		__libc_free(p);
	return wrong == 0 ? thrd_success : wrong == ENOMEM ? thrd_nomem : thrd_error;
}

static int own_thrd_join(thrd_t thread, int *result) {
	void *r;
	int wrong = pthread_join(thread, &r);
	if (!wrong && result)
		*result = (int)(intptr_t)r;
	return wrong ? thrd_error : thrd_success;
}

static int own_thrd_detach(thrd_t thread) { return pthread_detach(thread) ? thrd_error : thrd_success; }

// own_pthread_exit ends a process when its threads have ended.
static _Noreturn void own_pthread_exit(void *result) {
	process *c = migbsp_now();
	if (!c)
		pthread_exit(result);
	uint64_t all[512];
	for (int n; (n = migbsp_all(c, HELD_THREAD, all, 512)) > 0; sched_yield()) {
		for (int i = 0; i < n; i++)
			if (!((made *)all[i])->detached)
				pthread_join(((made *)all[i])->thread, 0);
		dropEnded(c);
	}
	migbsp_exit(0);
}

static _Noreturn void own_thrd_exit(int result) { own_pthread_exit((void *)(intptr_t)result); }

// The names of a process for itself, which it keeps when it moves.

static pthread_t own_pthread_self(void) {
	process *c = migbsp_now();
	return c ? (pthread_t)c : pthread_self();
}

static pid_t own_gettid(void) {
	process *c = migbsp_now();
	if (!c)
		return (pid_t)syscall(SYS_gettid);
	if (!c->known)
		c->known = (int)syscall(SYS_gettid);
	return c->known;
}

static int own_pthread_getattr_np(pthread_t thread, pthread_attr_t *to) {
	process *c = migbsp_now();
	if (!itself(thread))
		return pthread_getattr_np(thread, to);
	int wrong = pthread_attr_init(to);
	return wrong ? wrong : pthread_attr_setstack(to, SLOT(c->pid) + STACK_TOP - STACK_SIZE, STACK_SIZE);
}

// Functions of the thread that runs the process.
#define OF_THREAD(name, parameters, arguments) \
	static int own_##name parameters { \
		if (itself(thread)) \
			thread = pthread_self(); \
		return name arguments; \
	}

OF_THREAD(pthread_kill, (pthread_t thread, int number), (thread, number))
OF_THREAD(pthread_sigqueue, (pthread_t thread, int number, const union sigval value), (thread, number, value))
OF_THREAD(pthread_getaffinity_np, (pthread_t thread, size_t n, cpu_set_t *set), (thread, n, set))
OF_THREAD(pthread_getschedparam, (pthread_t thread, int *policy, struct sched_param *to), (thread, policy, to))
OF_THREAD(pthread_getname_np, (pthread_t thread, char *name, size_t n), (thread, name, n))

// Functions that would change the thread of the rank have no effect.
#define NOT_OF_RANK(name, parameters, arguments) \
	static int own_##name parameters { return itself(thread) ? 0 : name arguments; }

NOT_OF_RANK(pthread_setname_np, (pthread_t thread, const char *name), (thread, name))
NOT_OF_RANK(pthread_setaffinity_np, (pthread_t thread, size_t n, const cpu_set_t *set), (thread, n, set))
NOT_OF_RANK(pthread_setschedparam, (pthread_t thread, int policy, const struct sched_param *to), (thread, policy, to))
NOT_OF_RANK(pthread_setschedprio, (pthread_t thread, int priority), (thread, priority))

static int own_pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
	if (!itself(thread))
		return pthread_getcpuclockid(thread, clock);
	*clock = CLOCK_THREAD_CPUTIME_ID;
	return 0;
}

// Locks that store the number of their owner's thread: recursive and error-checking mutexes, and locks of writers. The
// number is corrected when another thread runs the process. A mutex whose owner the kernel stores, and a locked stream,
// cannot be corrected, and must be unlocked before bsp_sync.

typedef struct owned {
	void *at;
	int *owner; // null if it is the thread's
	FILE *stream;
	int times;
} owned;

static int tidNow(void) {
	static __thread int tid;
	if (!tid)
		tid = (int)syscall(SYS_gettid);
	return tid;
}

static void owns(void *at, int *owner, FILE *stream) {
	process *c = migbsp_now();
	for (int64_t i = 0; i < c->nowned; i++)
		if (c->owned[i].at == at) {
			c->owned[i].times++;
			return;
		}
	if (c->nowned == c->cowned) {
		c->cowned = c->cowned ? 2 * c->cowned : 8;
		c->owned = c->owned ? migbsp_resize(c, c->owned, sizeof *c->owned * (size_t)c->cowned) : migbsp_allocate(c, sizeof *c->owned * (size_t)c->cowned);
		if (!c->owned)
			migbsp_fail("pthread_mutex_lock: no memory is left");
	}
	c->owned[c->nowned++] = (owned){at, owner, stream, 1};
	c->unmovable += !owner;
	c->tid = tidNow();
	c->watched |= WATCHED_OWNED;
}

static void disowns(void *at) {
	process *c = migbsp_now();
	for (int64_t i = 0; i < c->nowned; i++)
		if (c->owned[i].at == at) {
			if (--c->owned[i].times > 0)
				return;
			c->unmovable -= !c->owned[i].owner;
			c->owned[i] = c->owned[--c->nowned];
			if (c->nowned == 0)
				c->watched &= ~WATCHED_OWNED;
			return;
		}
}

// By the kind of a mutex, which the C library has beside its owner.
#define OF_TYPE(m) ((m)->__data.__kind & 3)       // recursive 1, checks errors 2
#define OF_KERNEL(m) ((m)->__data.__kind & 0x70) // robust, with inheritance or protection of priorities
static inline int noted(const pthread_mutex_t *m) { return OF_KERNEL(m) || OF_TYPE(m) == 1 || OF_TYPE(m) == 2; }

#define LOCKS(name, parameters, arguments) \
	static int own_##name parameters { \
		int wrong = name arguments; \
		if ((!wrong || wrong == EOWNERDEAD) && __builtin_expect(noted(m), 0) && migbsp_now()) \
			owns(m, OF_KERNEL(m) ? 0 : &m->__data.__owner, 0); \
		return wrong; \
	}

LOCKS(pthread_mutex_lock, (pthread_mutex_t * m), (m))
LOCKS(pthread_mutex_trylock, (pthread_mutex_t * m), (m))
LOCKS(pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *until), (m, until))

static int own_pthread_mutex_unlock(pthread_mutex_t *m) {
	int is = __builtin_expect(noted(m), 0) && migbsp_now(), wrong = pthread_mutex_unlock(m);
	if (is && !wrong)
		disowns(m);
	return wrong;
}

static int code(int wrong) { return wrong == 0 ? thrd_success : wrong == EBUSY ? thrd_busy : wrong == ETIMEDOUT ? thrd_timedout : thrd_error; }
static int own_mtx_lock(mtx_t *m) { return code(own_pthread_mutex_lock((pthread_mutex_t *)m)); }
static int own_mtx_trylock(mtx_t *m) { return code(own_pthread_mutex_trylock((pthread_mutex_t *)m)); }
static int own_mtx_timedlock(mtx_t *m, const struct timespec *until) { return code(own_pthread_mutex_timedlock((pthread_mutex_t *)m, until)); }
static int own_mtx_unlock(mtx_t *m) { return code(own_pthread_mutex_unlock((pthread_mutex_t *)m)); }

#define WRITES(name, parameters, arguments) \
	static int own_##name parameters { \
		int wrong = name arguments; \
		if (!wrong && migbsp_now()) \
			owns(m, &m->__data.__cur_writer, 0); \
		return wrong; \
	}

WRITES(pthread_rwlock_wrlock, (pthread_rwlock_t * m), (m))
WRITES(pthread_rwlock_trywrlock, (pthread_rwlock_t * m), (m))
WRITES(pthread_rwlock_timedwrlock, (pthread_rwlock_t * m, const struct timespec *until), (m, until))

static int own_pthread_rwlock_unlock(pthread_rwlock_t *m) {
	int wrong = pthread_rwlock_unlock(m);
	if (!wrong && migbsp_now())
		disowns(m);
	return wrong;
}

// A process takes the locks of its standard streams, which lie in its slot, along.
static void own_flockfile(FILE *f) {
	flockfile(f);
	if (migbsp_now() && !IN_SLOTS(f))
		owns(f, 0, f);
}

static int own_ftrylockfile(FILE *f) {
	int wrong = ftrylockfile(f);
	if (!wrong && migbsp_now() && !IN_SLOTS(f))
		owns(f, 0, f);
	return wrong;
}

static void own_funlockfile(FILE *f) {
	if (migbsp_now())
		disowns(f);
	funlockfile(f);
}

// Deadlines by clocks of the process.
#define UNTIL(name, parameters, arguments) \
	static int own_##name parameters { \
		struct timespec t = *given, *until = &t; \
		migbsp_of_host(clock, until); \
		return name arguments; \
	}

UNTIL(pthread_cond_clockwait, (pthread_cond_t * m, pthread_mutex_t *with, clockid_t clock, const struct timespec *given), (m, with, clock, until))
UNTIL(pthread_rwlock_clockrdlock, (pthread_rwlock_t * m, clockid_t clock, const struct timespec *given), (m, clock, until))
UNTIL(sem_clockwait, (sem_t * m, clockid_t clock, const struct timespec *given), (m, clock, until))

static int own_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *given) {
	struct timespec t = *given;
	migbsp_of_host(clock, &t);
	int wrong = pthread_mutex_clocklock(m, clock, &t);
	if (!wrong && noted(m) && migbsp_now())
		owns(m, OF_KERNEL(m) ? 0 : &m->__data.__owner, 0);
	return wrong;
}

static int own_pthread_rwlock_clockwrlock(pthread_rwlock_t *m, clockid_t clock, const struct timespec *given) {
	struct timespec t = *given;
	migbsp_of_host(clock, &t);
	int wrong = pthread_rwlock_clockwrlock(m, clock, &t);
	if (!wrong && migbsp_now())
		owns(m, &m->__data.__cur_writer, 0);
	return wrong;
}

// The clock of a condition variable is a bit in __wrefs.
static int own_pthread_cond_timedwait(pthread_cond_t *m, pthread_mutex_t *with, const struct timespec *given) {
	struct timespec t = *given;
	migbsp_of_host(m->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &t);
	return pthread_cond_timedwait(m, with, &t);
}

// migbsp_turns is called before a process runs that is watched, by the thread that runs it, and reports whether it can
// run.
int migbsp_turns(process *c) {
	int before = c->tid;
	c->tid = tidNow();
	for (int64_t i = 0; i < c->nowned && c->tid != before; i++)
		if (c->owned[i].owner && *c->owned[i].owner == before)
			*c->owned[i].owner = c->tid;
	if (c->watched & WATCHED_CLOCKS)
		migbsp_clocks_turn(c);
	if (c->watched & WATCHED_ACCESS)
		migbsp_access(c, 1);
	return !c->failed;
}

// migbsp_rests is called when it has stopped.
void migbsp_rests(process *c) {
	if (c->watched & WATCHED_CLOCKS)
		migbsp_clocks_rest(c);
	if (c->watched & WATCHED_THREADS)
		dropEnded(c);
	if (__builtin_expect(c->unmovable > 0 && c->op == OP_SYNC, 0)) {
		snprintf(c->text, sizeof c->text, "bsp_sync: a stream that is locked, or a mutex that is robust or has a protocol, belongs to a thread of the system: unlock it before");
		c->syncs--;
		c->op = OP_ABORT;
	}
	for (int64_t i = 0; i < c->nowned && c->op >= OP_EXIT && c->op != OP_FLUSH; i++) // or the rank could not end
		for (; c->owned[i].stream && c->owned[i].times > 0; c->owned[i].times--)
			funlockfile(c->owned[i].stream);
}

#define NAME(name) {#name, own_##name}

const migbsp_function migbsp_thread_names[] = {
	NAME(thrd_create), NAME(thrd_join), NAME(thrd_detach), NAME(thrd_exit), NAME(pthread_exit), NAME(pthread_self), {"thrd_current", own_pthread_self}, NAME(gettid),
	NAME(pthread_getattr_np), NAME(pthread_kill), NAME(pthread_sigqueue), NAME(pthread_getaffinity_np), NAME(pthread_getschedparam), NAME(pthread_getname_np),
	NAME(pthread_setname_np), NAME(pthread_setaffinity_np), NAME(pthread_setschedparam), NAME(pthread_setschedprio), NAME(pthread_getcpuclockid),
	NAME(pthread_mutex_lock), NAME(pthread_mutex_trylock), NAME(pthread_mutex_timedlock), NAME(pthread_mutex_clocklock), NAME(pthread_mutex_unlock),
	{"__pthread_mutex_lock", own_pthread_mutex_lock}, {"__pthread_mutex_trylock", own_pthread_mutex_trylock}, {"__pthread_mutex_unlock", own_pthread_mutex_unlock},
	NAME(mtx_lock), NAME(mtx_trylock), NAME(mtx_timedlock), NAME(mtx_unlock),
	NAME(pthread_rwlock_wrlock), NAME(pthread_rwlock_trywrlock), NAME(pthread_rwlock_timedwrlock), NAME(pthread_rwlock_clockwrlock), NAME(pthread_rwlock_clockrdlock), NAME(pthread_rwlock_unlock),
	{"__pthread_rwlock_wrlock", own_pthread_rwlock_wrlock}, {"__pthread_rwlock_unlock", own_pthread_rwlock_unlock},
	NAME(flockfile), NAME(ftrylockfile), NAME(funlockfile), {"_IO_flockfile", own_flockfile}, {"_IO_funlockfile", own_funlockfile},
	NAME(pthread_cond_clockwait), NAME(pthread_cond_timedwait), NAME(sem_clockwait), {0, 0},
};
