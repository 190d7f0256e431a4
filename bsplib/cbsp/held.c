//go:build !staticrank

// The things that keep a process on its rank: descriptors, streams, directories, child processes, libraries, and
// objects of the kernel. A process holds a thing from the call that returned it to the call that ended it.
//
// The executable defines each function of the C library that returns a descriptor, so that calls by libraries count as
// well. The list comes from the call graph of the library: all its functions that reach a system call for a descriptor
// and leave it open. A call of syscall is compared with the set of descriptors before it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

extern void *__libc_malloc(size_t);

typedef struct thing {
	int kind;
	const char *name; // of the function that returned it
	uintptr_t site;
	uint64_t key;
} thing;

// migbsp_who returns the process that runs, that has made this thread, or whose code calls; null if there is none.
process *migbsp_who(void *caller) {
	process *c = migbsp_now();
	if (!c)
		c = migbsp_thread_of;
	if (!c && IN_SLOTS(caller))
		c = migbsp_process((int)(((uintptr_t)caller - SLOT_BASE) / migbsp_slot));
	return c;
}

// describe stores the name and the place of the oldest thing for the account.
static void describe(process *c) {
	if (c->open == 0)
		return;
	c->pinSite = c->held->site;
	snprintf(c->pin, sizeof c->pin, "%s", c->held->name);
}

void migbsp_holds(process *c, int kind, uint64_t key, const char *name, void *caller) {
	migbsp_locks(&c->holding);
	if (c->open == c->cheld) {
		int64_t room = c->cheld ? 2 * c->cheld : 8;
		thing *larger = c->held ? migbsp_resize(c, c->held, sizeof *larger * (size_t)room) : migbsp_allocate(c, sizeof *larger * (size_t)room);
		if (!larger) {
			migbsp_unlocks(&c->holding);
			migbsp_refuses(caller, "%s: no memory is left", name);
		}
		c->held = larger;
		c->cheld = room;
	}
	c->held[c->open++] = (thing){kind, name, migbsp_is_code(c, (uintptr_t)caller) ? (uintptr_t)caller : c->site, key};
	describe(c);
	migbsp_unlocks(&c->holding);
}

// migbsp_pins keeps a process on its rank until the next migbsp_unpins.
void migbsp_pins(const char *what, void *caller) {
	process *c = migbsp_who(caller);
	if (c)
		migbsp_holds(c, HELD_OTHER, 0, what, caller);
}

void migbsp_unpins(void) { migbsp_drops(migbsp_now(), HELD_OTHER, 0); }

static int64_t find(process *c, int kind, uint64_t key) {
	for (int64_t i = c->open - 1; i >= 0; i--)
		if (c->held[i].kind == kind && c->held[i].key == key)
			return i;
	return -1;
}

// migbsp_drops ends a thing and reports whether the process has held it.
int migbsp_drops(process *c, int kind, uint64_t key) {
	if (!c || c->open == 0)
		return 0;
	migbsp_locks(&c->holding);
	int64_t i = find(c, kind, key);
	if (i >= 0) {
		memmove(c->held + i, c->held + i + 1, sizeof *c->held * (size_t)(--c->open - i));
		describe(c);
	}
	migbsp_unlocks(&c->holding);
	return i >= 0;
}

int migbsp_has(process *c, int kind, uint64_t key) {
	migbsp_locks(&c->holding);
	int has = find(c, kind, key) >= 0;
	migbsp_unlocks(&c->holding);
	return has;
}

// migbsp_all lists the things of a kind, most at most, and returns their number.
int migbsp_all(process *c, int kind, uint64_t *keys, int most) {
	int n = 0;
	migbsp_locks(&c->holding);
	for (int64_t i = 0; i < c->open && n < most; i++)
		if (c->held[i].kind == kind)
			keys[n++] = c->held[i].key;
	migbsp_unlocks(&c->holding);
	return n;
}

// sites notes the place in the program of a call from an address, which may be a library's.
static void sites(process *c, void *caller) {
	uintptr_t site = migbsp_site(c, (uintptr_t)caller, (uintptr_t)__builtin_frame_address(0));
	if (site)
		c->site = site;
}

int migbsp_failing;

// migbsp_thread_fails ends the run for an error of a thread at a place. The thread waits. The process is interrupted if it
// runs, and else does not run again.
_Noreturn void migbsp_thread_fails(const char *text, void *at) {
	process *c = migbsp_thread_of;
	if (!c) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
		_Exit(1);
	}
	if (!__atomic_exchange_n(&c->failed, 1, __ATOMIC_ACQ_REL)) {
		migbsp_failing = 1;
		snprintf(c->text, sizeof c->text, "in a thread of the program: %s", text);
		sites(c, at);
		syscall(SYS_tgkill, getpid(), c->tid, SIGABRT);
	}
	for (;;)
		pause();
}

// migbsp_refuses ends the run for a call that cannot be right.
_Noreturn void migbsp_refuses(void *caller, const char *format, ...) {
	va_list args;
	char text[500];
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	process *c = migbsp_now();
	if (!c)
		migbsp_thread_fails(text, caller);
	sites(c, caller);
	migbsp_fail("%s", text);
}

// migbsp_following returns the function of a name that is not this executable's, which f remembers.
void *migbsp_following(void **f, const char *name) {
	if (!*f && !(*f = dlsym(RTLD_NEXT, name)))
		migbsp_refuses(0, "%s: the C library of this host does not have it", name);
	return *f;
}

#define CALLER __builtin_return_address(0)

// Arguments in the registers of integers and pointers, with which functions of any prototype are called on.
#define WORDS long a, long b, long c, long d, long e, long f
typedef long called(long, long, long, long, long, long);

// EXPORT defines the function of the whole executable for a name, whose prototype the headers declare in another way.
#define EXPORT(type, name) \
	__attribute__((visibility("default"), noinline)) type exported_##name(WORDS) __asm__(#name); \
	type exported_##name(WORDS)

// NEXT calls the function that follows.
#define NEXT(type, name) \
	({ \
		static void *next; \
		((type(*)(WORDS))migbsp_following(&next, #name))(a, b, c, d, e, f); \
	})

static void opened(int descriptor, const char *name, void *caller) {
	process *c = descriptor > 2 ? migbsp_who(caller) : 0;
	if (c && !migbsp_has(c, HELD_DESCRIPTOR, (uint64_t)descriptor))
		migbsp_holds(c, HELD_DESCRIPTOR, (uint64_t)descriptor, name, caller);
}

static void *got(void *p, int kind, const char *name, void *caller) {
	process *c = p ? migbsp_who(caller) : 0;
	if (c)
		migbsp_holds(c, kind, (uint64_t)p, name, caller);
	return p;
}

// Functions that return a descriptor.
#define DESCRIPTOR(name) \
	EXPORT(int, name) { \
		int r = NEXT(int, name); \
		opened(r, #name, CALLER); \
		return r; \
	}

DESCRIPTOR(open)
DESCRIPTOR(open64)
DESCRIPTOR(__open)
DESCRIPTOR(__open64)
DESCRIPTOR(__open_2)
DESCRIPTOR(__open64_2)
DESCRIPTOR(openat)
DESCRIPTOR(openat64)
DESCRIPTOR(__openat_2)
DESCRIPTOR(__openat64_2)
DESCRIPTOR(open_by_handle_at)
DESCRIPTOR(creat)
DESCRIPTOR(creat64)
DESCRIPTOR(dup)
DESCRIPTOR(socket)
DESCRIPTOR(__socket)
DESCRIPTOR(accept)
DESCRIPTOR(accept4)
DESCRIPTOR(memfd_create)
DESCRIPTOR(eventfd)
DESCRIPTOR(epoll_create)
DESCRIPTOR(epoll_create1)
DESCRIPTOR(signalfd)
DESCRIPTOR(timerfd_create)
DESCRIPTOR(inotify_init)
DESCRIPTOR(inotify_init1)
DESCRIPTOR(fanotify_init)
DESCRIPTOR(pidfd_open)
DESCRIPTOR(pidfd_getfd)
DESCRIPTOR(open_tree)
DESCRIPTOR(fsopen)
DESCRIPTOR(fspick)
DESCRIPTOR(fsmount)
DESCRIPTOR(mq_open)
DESCRIPTOR(__mq_open_2)
DESCRIPTOR(shm_open)
DESCRIPTOR(mkstemp)
DESCRIPTOR(mkstemp64)
DESCRIPTOR(mkostemp)
DESCRIPTOR(mkostemp64)
DESCRIPTOR(mkstemps)
DESCRIPTOR(mkstemps64)
DESCRIPTOR(mkostemps)
DESCRIPTOR(mkostemps64)
DESCRIPTOR(posix_openpt)
DESCRIPTOR(getpt)

// A process that chooses the number of a descriptor must not replace one of the rank.
void migbsp_chooses(int descriptor, const char *name, void *caller) {
	process *c = migbsp_who(caller);
	if (c && !migbsp_forked && IN_SLOTS(caller) && descriptor > 2 && !migbsp_has(c, HELD_DESCRIPTOR, (uint64_t)descriptor) && fcntl(descriptor, F_GETFD) != -1)
		migbsp_refuses(caller, "%s: the descriptor %d is that of another process or of the rank: use a number that dup or fcntl(F_DUPFD) returns", name, descriptor);
}

#define CHOOSES(name) \
	EXPORT(int, name) { \
		migbsp_chooses((int)b, #name, CALLER); \
		int r = NEXT(int, name); \
		opened(r, #name, CALLER); \
		return r; \
	}

CHOOSES(dup2)
CHOOSES(__dup2)
CHOOSES(dup3)

#define DUPLICATES(name) \
	EXPORT(int, name) { \
		int r = NEXT(int, name); \
		if ((int)b == F_DUPFD || (int)b == F_DUPFD_CLOEXEC) \
			opened(r, #name, CALLER); \
		return r; \
	}

DUPLICATES(fcntl)
DUPLICATES(fcntl64)
DUPLICATES(__fcntl)

// Functions that return two descriptors, in an argument.
#define DESCRIPTORS(name, first, second) \
	EXPORT(int, name) { \
		int r = NEXT(int, name); \
		if (r == 0) { \
			opened(*(int *)(first), #name, CALLER); \
			opened(*(int *)(second), #name, CALLER); \
		} \
		return r; \
	}

DESCRIPTORS(pipe, a, a + 4)
DESCRIPTORS(__pipe, a, a + 4)
DESCRIPTORS(pipe2, a, a + 4)
DESCRIPTORS(socketpair, d, d + 4)
DESCRIPTORS(openpty, a, b)

// Descriptors that a message brings.
static void received(struct msghdr *message, const char *name, void *caller) {
	for (struct cmsghdr *h = CMSG_FIRSTHDR(message); h; h = CMSG_NXTHDR(message, h))
		if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS)
			for (size_t i = 0; i < (h->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
				int descriptor;
				memcpy(&descriptor, CMSG_DATA(h) + i * sizeof descriptor, sizeof descriptor);
				opened(descriptor, name, caller);
			}
}

EXPORT(ssize_t, recvmsg) {
	ssize_t r = NEXT(ssize_t, recvmsg);
	if (r >= 0 && ((struct msghdr *)b)->msg_controllen)
		received((struct msghdr *)b, "recvmsg", CALLER);
	return r;
}

EXPORT(int, recvmmsg) {
	int r = NEXT(int, recvmmsg);
	for (int i = 0; i < r; i++)
		received(&((struct mmsghdr *)b)[i].msg_hdr, "recvmmsg", CALLER);
	return r;
}

#define RETURNS(type, name, kind) \
	EXPORT(type, name) { return got(NEXT(void *, name), kind, #name, CALLER); }

RETURNS(void *, fopen, HELD_STREAM)
RETURNS(void *, fopen64, HELD_STREAM)
RETURNS(void *, _IO_fopen, HELD_STREAM)
RETURNS(void *, fdopen, HELD_STREAM)
RETURNS(void *, _IO_fdopen, HELD_STREAM)
RETURNS(void *, tmpfile, HELD_STREAM)
RETURNS(void *, tmpfile64, HELD_STREAM)
RETURNS(void *, popen, HELD_STREAM)
RETURNS(void *, _IO_popen, HELD_STREAM)
RETURNS(void *, fmemopen, HELD_STREAM)
RETURNS(void *, open_memstream, HELD_STREAM)
RETURNS(void *, open_wmemstream, HELD_STREAM)
RETURNS(void *, setmntent, HELD_STREAM)
RETURNS(void *, opendir, HELD_DIRECTORY)
RETURNS(void *, fdopendir, HELD_DIRECTORY)
RETURNS(void *, fts_open, HELD_DIRECTORY)
RETURNS(void *, fts64_open, HELD_DIRECTORY)
RETURNS(void *, sem_open, HELD_SEMAPHORE)

// fopencookie has an argument that is a structure.
__attribute__((visibility("default"))) FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions) {
	static void *next;
	FILE *(*f)(void *, const char *, cookie_io_functions_t) = (FILE * (*)(void *, const char *, cookie_io_functions_t)) migbsp_following(&next, "fopencookie");
	return got(f(cookie, mode, functions), HELD_STREAM, "fopencookie", CALLER);
}

#define REOPENS(name) \
	EXPORT(FILE *, name) { \
		FILE *old = (FILE *)c; \
		process *of = migbsp_who(CALLER); \
		if (of && (old == stdin || old == stdout || old == stderr)) \
			migbsp_holds(of, HELD_STREAM, (uint64_t)c, #name, CALLER); \
		FILE *r = NEXT(FILE *, name); \
		if (!r) \
			migbsp_drops(of, HELD_STREAM, (uint64_t)c); \
		return r; \
	}

REOPENS(freopen)
REOPENS(freopen64)

// Functions that end things.

// A process has no descriptors but the standard ones and its own: the others are the rank's.
static int closes(long descriptor, void *caller) {
	process *c = migbsp_who(caller);
	if (!c || descriptor < 3)
		return 1;
	if (migbsp_drops(c, HELD_DESCRIPTOR, (uint64_t)descriptor) || migbsp_forked || !IN_SLOTS(caller))
		return 1;
	errno = EBADF;
	return 0;
}

// migbsp_close closes a descriptor for a call from an address.
int migbsp_close(int descriptor, void *caller) {
	static void *next;
	return closes(descriptor, caller) ? ((int (*)(int))migbsp_following(&next, "close"))(descriptor) : -1;
}

EXPORT(int, close) { return closes((int)a, CALLER) ? NEXT(int, close) : -1; }
EXPORT(int, __close) { return closes((int)a, CALLER) ? NEXT(int, __close) : -1; }
EXPORT(int, mq_close) { return closes((int)a, CALLER) ? NEXT(int, mq_close) : -1; }

static void closeAll(process *c, unsigned from, unsigned to) {
	uint64_t all[256];
	for (int n = migbsp_all(c, HELD_DESCRIPTOR, all, 256), i = 0; i < n; i++)
		if (all[i] >= from && all[i] <= to)
			close((int)all[i]);
}

static void own_closefrom(int from) {
	process *c = migbsp_who(CALLER);
	if (c && !migbsp_forked)
		closeAll(c, from < 0 ? 0 : (unsigned)from, ~0u);
	else
		closefrom(from);
}

static int own_close_range(unsigned from, unsigned to, int flags) {
	process *c = migbsp_who(CALLER);
	if (!c || migbsp_forked)
		return close_range(from, to, flags);
	if (flags == 0)
		closeAll(c, from, to);
	return 0; // CLOSE_RANGE_CLOEXEC: a process executes no other program
}

static void dropStream(FILE *stream, void *caller) {
	process *c = migbsp_who(caller);
	if (!c || !stream || !migbsp_drops(c, HELD_STREAM, (uint64_t)stream))
		return;
	int before = errno, descriptor = fileno(stream);
	errno = before;
	if (descriptor > 2)
		migbsp_drops(c, HELD_DESCRIPTOR, (uint64_t)descriptor);
}

#define CLOSES_STREAM(name) \
	EXPORT(int, name) { \
		dropStream((FILE *)a, CALLER); \
		return NEXT(int, name); \
	}

CLOSES_STREAM(fclose)
CLOSES_STREAM(_IO_fclose)
CLOSES_STREAM(pclose)
CLOSES_STREAM(_IO_pclose)
CLOSES_STREAM(endmntent)

static int own_fcloseall(void) {
	process *c = migbsp_who(CALLER);
	uint64_t all[256];
	if (!c)
		return fcloseall();
	for (int n = migbsp_all(c, HELD_STREAM, all, 256), i = 0; i < n; i++)
		fclose((FILE *)all[i]);
	return fflush(0);
}

EXPORT(int, closedir) {
	process *of = migbsp_who(CALLER);
	if (migbsp_drops(of, HELD_DIRECTORY, (uint64_t)a))
		migbsp_drops(of, HELD_DESCRIPTOR, (uint64_t)dirfd((DIR *)a));
	return NEXT(int, closedir);
}

#define ENDS(name, kind) \
	EXPORT(int, name) { \
		migbsp_drops(migbsp_who(CALLER), kind, (uint64_t)a); \
		return NEXT(int, name); \
	}

ENDS(fts_close, HELD_DIRECTORY)
ENDS(fts64_close, HELD_DIRECTORY)
ENDS(sem_close, HELD_SEMAPHORE)

// Of the object and its libraries alone.

#define CALLS_ON(type, name) static type own_##name(WORDS)

// warns prints a line for the first dlopen of a library on this rank: its variables are not the process's.
static void warns(process *c, const char *path) {
	static struct seen { struct seen *next; char path[]; } *all;
	static int lock;
	migbsp_locks(&lock);
	struct seen *s = all;
	while (s && strcmp(s->path, path))
		s = s->next;
	if (!s && (s = __libc_malloc(sizeof *s + strlen(path) + 1))) {
		s->next = all;
		all = s;
		strcpy(s->path, path);
		fprintf(stderr, "%s: dlopen: processes of a rank share the variables of %s: link the program with it, or by  bspcc -static-rank\n", program_invocation_short_name, path);
	}
	migbsp_unlocks(&lock);
}

static void *own_dlopen(const char *path, int flags) {
	process *c = migbsp_who(CALLER);
	void *r = c ? migbsp_dlopen(path) : 0;
	if (r)
		return r;
	r = got(dlopen(path, flags), HELD_LIBRARY, "dlopen", CALLER);
	if (c && r && !(flags & RTLD_NOLOAD))
		warns(c, path);
	return r;
}

static void *own_dlmopen(Lmid_t space, const char *path, int flags) { return got(dlmopen(space, path, flags), HELD_LIBRARY, "dlmopen", CALLER); }

static int own_dlclose(void *library) {
	if (migbsp_is_handle(library))
		return 0;
	migbsp_drops(migbsp_who(CALLER), HELD_LIBRARY, (uint64_t)library);
	return dlclose(library);
}

static int own_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer) {
	process *c = migbsp_who(CALLER);
	int r = timer_create(clock, event, timer);
	if (c && r == 0 && event && event->sigev_notify == SIGEV_THREAD)
		__atomic_add_fetch(&c->threads, 1, __ATOMIC_ACQ_REL); // threads of the library, whose end is not known
	if (c && r == 0)
		migbsp_holds(c, HELD_TIMER, (uint64_t)*timer, "timer_create", CALLER);
	return r;
}

static int own_timer_delete(timer_t timer) {
	migbsp_drops(migbsp_who(CALLER), HELD_TIMER, (uint64_t)timer);
	return timer_delete(timer);
}

// Objects of System V are the host's.
#define IPC(name, kind) ((uint64_t)(unsigned)(name) << 2 | (kind))
#define GETS_IPC(name, kind) \
	CALLS_ON(int, name##get) { \
		process *of = migbsp_who(CALLER); \
		int r = NEXT(int, name##get); \
		if (of && r >= 0) \
			migbsp_holds(of, HELD_IPC, IPC(r, kind), #name "get", CALLER); \
		return r; \
	}

GETS_IPC(shm, 0)
GETS_IPC(sem, 1)
GETS_IPC(msg, 2)

#define CONTROLS_IPC(name, kind, command) \
	CALLS_ON(int, name##ctl) { \
		int r = NEXT(int, name##ctl); \
		if (r >= 0 && (int)(command) == IPC_RMID) \
			while (migbsp_drops(migbsp_who(CALLER), HELD_IPC, IPC((int)a, kind))) \
				; \
		return r; \
	}

CONTROLS_IPC(shm, 0, b)
CONTROLS_IPC(sem, 1, c)
CONTROLS_IPC(msg, 2, b)

CALLS_ON(void *, shmat) {
	void *r = NEXT(void *, shmat);
	return r == (void *)-1 ? r : got(r, HELD_SHARED, "shmat", CALLER);
}

CALLS_ON(int, shmdt) {
	migbsp_drops(migbsp_who(CALLER), HELD_SHARED, (uint64_t)a);
	return NEXT(int, shmdt);
}

// Child processes. A child of fork has no engine, and ends by itself.

int migbsp_forked;

static void bears(pid_t child, const char *name, void *caller) {
	process *c = child > 0 ? migbsp_who(caller) : 0;
	if (c)
		migbsp_holds(c, HELD_CHILD, (uint64_t)child, name, caller);
}

static pid_t forks(const char *name, void *caller) {
	process *c = migbsp_who(caller);
	if (!c)
		return fork();
	migbsp_flush(); // or both would print it
	migbsp_forks(c, FORK_PREPARE);
	if (c->threads)
		migbsp_locks(&c->lock);
	pid_t child = fork();
	if (c->threads)
		migbsp_unlocks(&c->lock);
	if (child == 0) {
		migbsp_forked = 1;
		migbsp_running = c; // also in the child of a thread, which is the child's only one
		migbsp_without_threads(c);
		uint64_t all[64];
		for (int n; (n = migbsp_all(c, HELD_CHILD, all, 64)) > 0;)
			while (n > 0)
				migbsp_drops(c, HELD_CHILD, all[--n]);
		__fpurge(stdout); // of other processes
		migbsp_discards(c);
	}
	migbsp_forks(c, child == 0 ? FORK_CHILD : FORK_PARENT);
	bears(child, name, caller);
	return child;
}

static pid_t own_fork(void) { return forks("fork", CALLER); }

CALLS_ON(int, clone) {
	int r = NEXT(int, clone);
	bears(r, "clone", CALLER);
	return r;
}

#define SPAWNS(name) \
	CALLS_ON(int, name) { \
		pid_t child = 0; \
		long given = a; \
		a = (long)&child; \
		int r = NEXT(int, name); \
		if (r == 0) { \
			bears(child, #name, CALLER); \
			if (given) \
				*(pid_t *)given = child; \
		} \
		return r; \
	}

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

CALLS_ON(int, forkpty) {
	int r = NEXT(int, forkpty);
	if (r == 0)
		migbsp_forked = 1;
	bears(r, "forkpty", CALLER);
	if (r > 0)
		opened(*(int *)a, "forkpty", CALLER);
	return r;
}

static int ended(int status) { return WIFEXITED(status) || WIFSIGNALED(status); }

// waits waits for a child of the process, any child if pid is -1. The rank may have children of other processes.
static pid_t waits(process *c, pid_t pid, int *status, int options, struct rusage *usage) {
	int unused, *to = status ? status : &unused;
	if (!c || migbsp_forked || (pid != -1 && pid != 0)) {
		pid_t r = wait4(pid, to, options, usage);
		if (r > 0 && ended(*to))
			migbsp_drops(c, HELD_CHILD, (uint64_t)r);
		return r;
	}
	for (long pause = 20000;; pause = pause < 1000000 ? 2 * pause : pause) {
		uint64_t all[256];
		int n = migbsp_all(c, HELD_CHILD, all, 256);
		if (n == 0) {
			errno = ECHILD;
			return -1;
		}
		for (int i = 0; i < n; i++) {
			pid_t r = waits(c, (pid_t)all[i], status, n == 1 ? options : options | WNOHANG, usage);
			if (r < 0 && errno == ECHILD) // the system has reaped it
				migbsp_drops(c, HELD_CHILD, all[i]);
			else if (r != 0 || n == 1)
				return r;
		}
		if (options & WNOHANG)
			return 0;
		nanosleep(&(struct timespec){.tv_nsec = pause}, 0);
	}
}

static pid_t own_wait(int *status) { return waits(migbsp_who(CALLER), -1, status, 0, 0); }
static pid_t own_waitpid(pid_t pid, int *status, int options) { return waits(migbsp_who(CALLER), pid, status, options, 0); }
static pid_t own_wait3(int *status, int options, struct rusage *usage) { return waits(migbsp_who(CALLER), -1, status, options, usage); }
static pid_t own_wait4(pid_t pid, int *status, int options, struct rusage *usage) { return waits(migbsp_who(CALLER), pid, status, options, usage); }

static int own_waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
	process *c = migbsp_who(CALLER);
	siginfo_t unused, *to = info ? info : &unused;
	to->si_pid = 0;
	if (c && !migbsp_forked && type == P_ALL) {
		uint64_t all[256];
		for (;;) {
			int n = migbsp_all(c, HELD_CHILD, all, 256);
			if (n == 0) {
				errno = ECHILD;
				return -1;
			}
			for (int i = 0; i < n; i++)
				if (own_waitid(P_PID, (id_t)all[i], to, options | WNOHANG) == 0 && to->si_pid)
					return 0;
			if (options & WNOHANG)
				return 0;
			nanosleep(&(struct timespec){.tv_nsec = 200000}, 0);
		}
	}
	int r = waitid(type, id, to, options);
	if (r == 0 && to->si_pid && !(options & WNOWAIT) && to->si_code != CLD_STOPPED && to->si_code != CLD_CONTINUED && to->si_code != CLD_TRAPPED)
		migbsp_drops(c, HELD_CHILD, (uint64_t)to->si_pid);
	return r;
}

// Functions that would replace the rank by another program.
#define REPLACES(name) \
	CALLS_ON(int, name) { \
		if (!migbsp_forked) \
			migbsp_refuses(CALLER, #name ": it would replace all processes of the rank: call it in a child of fork, or use posix_spawn"); \
		return NEXT(int, name); \
	}

REPLACES(execve)
REPLACES(execv)
REPLACES(execvp)
REPLACES(execvpe)
REPLACES(fexecve)
REPLACES(execveat)

// execs collects the arguments of execl and its like.
static int execs(const char *name, void *caller, const char *path, const char *first, va_list args, int environment) {
	const char *all[256] = {first};
	int n = 0;
	while (all[n] && n < 255)
		all[++n] = va_arg(args, const char *);
	char **with = environment ? va_arg(args, char **) : 0;
	if (!migbsp_forked)
		migbsp_refuses(caller, "%s: it would replace all processes of the rank: call it in a child of fork, or use posix_spawn", name);
	if (environment)
		return execve(path, (char **)all, with);
	return !strcmp(name, "execl") ? execv(path, (char **)all) : execvp(path, (char **)all);
}

#define EXECUTES(name, environment) \
	static int own_##name(const char *path, const char *first, ...) { \
		va_list args; \
		va_start(args, first); \
		int r = execs(#name, CALLER, path, first, args, environment); \
		va_end(args); \
		return r; \
	}

EXECUTES(execl, 0)
EXECUTES(execlp, 0)
EXECUTES(execle, 1)

static int own_daemon(int a, int b) {
	if (!migbsp_forked)
		migbsp_refuses(CALLER, "daemon: it would end all processes of the rank");
	return daemon(a, b);
}

// System calls by number. Where a process has a function of its own for a call, it is called. After other calls, except
// harmless ones, the process holds the descriptors that were not open before.

enum { MOST_DESCRIPTORS = 1024 };

// openNow marks the open ones of the first descriptors.
static void openNow(struct pollfd *all) {
	struct rlimit limit;
	unsigned n = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > MOST_DESCRIPTORS ? MOST_DESCRIPTORS : (unsigned)limit.rlim_cur;
	for (int i = 0; i < MOST_DESCRIPTORS; i++)
		all[i] = (struct pollfd){.fd = i, .revents = POLLNVAL};
	poll(all, n, 0);
}

static int harmless(long number) {
	static const short numbers[] = {SYS_futex, SYS_sched_yield, SYS_getcpu, SYS_getpid, SYS_getppid, SYS_getuid, SYS_tgkill, SYS_tkill, SYS_kill, SYS_getrandom, SYS_membarrier, SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_nanosleep, SYS_sched_getaffinity, SYS_madvise, SYS_mbind, SYS_get_mempolicy, SYS_set_mempolicy, SYS_gettimeofday, SYS_ioctl};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i] == number)
			return 1;
	return 0;
}

static long own_syscall(long number, long a, long b, long c, long d, long e, long f) {
	void *caller = CALLER;
	process *of = migbsp_who(caller);
	if (!of || harmless(number))
		return syscall(number, a, b, c, d, e, f);
	static const struct { short number; const char *name; } same[] = {
		{SYS_gettid, "gettid"}, {SYS_mmap, "mmap"}, {SYS_munmap, "munmap"}, {SYS_mremap, "mremap"}, {SYS_mprotect, "mprotect"},
		{SYS_execve, "execve"}, {SYS_wait4, "wait4"}, {SYS_waitid, "waitid"}, {SYS_shmat, "shmat"}, {SYS_shmdt, "shmdt"}, {SYS_shmget, "shmget"},
		{SYS_shmctl, "shmctl"}, {SYS_semget, "semget"}, {SYS_semctl, "semctl"}, {SYS_msgget, "msgget"}, {SYS_msgctl, "msgctl"}, {SYS_clock_gettime, "clock_gettime"},
		{SYS_getrusage, "getrusage"}, {SYS_times, "times"}, {SYS_close_range, "close_range"}, {SYS_exit, "_exit"}, {SYS_exit_group, "_exit"},
	};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (same[i].number == number) {
			called *function = (called *)migbsp_instead(same[i].name);
			long r = function(a, b, c, d, e, f);
			return number == SYS_mmap || number == SYS_mremap || number == SYS_shmat ? r : (int)r;
		}
	switch (number) {
	case SYS_close:
		return close((int)a);
	case SYS_brk: { // the kernel's returns the break
		static const char *const names[] = {"brk", "sbrk"};
		((called *)migbsp_instead(names[0]))(a, 0, 0, 0, 0, 0);
		return ((called *)migbsp_instead(names[1]))(0, 0, 0, 0, 0, 0);
	}
#ifdef SYS_fork
	case SYS_fork:
	case SYS_vfork:
		return forks("fork", caller);
#endif
	case SYS_clone:
	case SYS_clone3:
		migbsp_refuses(caller, "syscall: clone is not known here: use fork or pthread_create");
	}
	struct pollfd before[MOST_DESCRIPTORS], after[MOST_DESCRIPTORS];
	openNow(before);
	long r = syscall(number, a, b, c, d, e, f);
	int result = errno;
	openNow(after);
	for (int i = 3; i < MOST_DESCRIPTORS; i++) {
		if (before[i].revents & POLLNVAL && !(after[i].revents & POLLNVAL))
			opened(i, "syscall", caller);
		if (!(before[i].revents & POLLNVAL) && after[i].revents & POLLNVAL)
			migbsp_drops(of, HELD_DESCRIPTOR, (uint64_t)i);
	}
	errno = result;
	return r;
}

// MPI is the launcher's, where it has it: a program that begins it finds it begun, and leaves its end to the launcher.
// Communicators are the rank's, so that a program that uses MPI stays.

static void begins(const char *name, void *caller) {
	process *c = migbsp_who(caller);
	if (c && !migbsp_has(c, HELD_MPI, 0))
		migbsp_holds(c, HELD_MPI, 0, name, caller);
}

// needsMPI ends the run unless the rank's MPI has begun.
static void needsMPI(const char *name, void *caller) {
	int (*begun)(int *), has = 0;
	*(void **)&begun = dlsym(RTLD_DEFAULT, "MPI_Initialized");
	begins(name, caller);
	if (begun(&has) || !has)
		migbsp_refuses(caller, "%s: MPI has not begun: start the program by mpirun, with a launcher that was built for MPI, or link it by  bspcc -static-rank", name);
}

static int own_MPI_Init(int *argc, char ***argv) {
	needsMPI("MPI_Init", CALLER);
	return 0;
}

static int own_MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
	int (*level)(int *);
	*(void **)&level = dlsym(RTLD_DEFAULT, "MPI_Query_thread");
	needsMPI("MPI_Init_thread", CALLER);
	return level(given);
}

// A program that finds MPI begun may call other functions of MPI without MPI_Init.
static int own_MPI_Initialized(int *has) {
	int (*begun)(int *);
	*(void **)&begun = dlsym(RTLD_DEFAULT, "MPI_Initialized");
	int r = begun(has);
	if (*has)
		begins("MPI_Initialized", CALLER);
	return r;
}

static int own_MPI_Finalize(void) {
	migbsp_drops(migbsp_who(CALLER), HELD_MPI, 0);
	return 0;
}

// A program that has not asked whether MPI has begun may have handles of it too.
enum { BEGUN, HANDLE };

#define MAKES_HANDLE(name) \
	CALLS_ON(int, name) { \
		int r = NEXT(int, name); \
		got(r ? 0 : (void *)HANDLE, HELD_MPI, #name, CALLER); \
		return r; \
	}

MAKES_HANDLE(MPI_Comm_dup)
MAKES_HANDLE(MPI_Comm_split)
MAKES_HANDLE(MPI_Comm_split_type)
MAKES_HANDLE(MPI_Comm_create)
MAKES_HANDLE(MPI_Comm_create_group)
MAKES_HANDLE(MPI_Cart_create)
MAKES_HANDLE(MPI_Graph_create)
MAKES_HANDLE(MPI_Intercomm_create)
MAKES_HANDLE(MPI_Win_create)
MAKES_HANDLE(MPI_Win_allocate)
MAKES_HANDLE(MPI_Win_allocate_shared)
MAKES_HANDLE(MPI_File_open)
MAKES_HANDLE(MPI_Comm_group)
MAKES_HANDLE(MPI_Group_incl)
MAKES_HANDLE(MPI_Group_excl)
MAKES_HANDLE(MPI_Type_contiguous)
MAKES_HANDLE(MPI_Type_vector)
MAKES_HANDLE(MPI_Type_create_struct)
MAKES_HANDLE(MPI_Op_create)
MAKES_HANDLE(MPI_Info_create)

#define FREES_HANDLE(name) \
	CALLS_ON(int, name) { \
		migbsp_drops(migbsp_who(CALLER), HELD_MPI, HANDLE); \
		return NEXT(int, name); \
	}

FREES_HANDLE(MPI_Comm_free)
FREES_HANDLE(MPI_Win_free)
FREES_HANDLE(MPI_File_close)
FREES_HANDLE(MPI_Group_free)
FREES_HANDLE(MPI_Type_free)
FREES_HANDLE(MPI_Op_free)
FREES_HANDLE(MPI_Info_free)

// In Fortran.
static void own_mpi_init_(int *wrong) { *wrong = own_MPI_Init(0, 0); }
static void own_mpi_init_thread_(int *wanted, int *given, int *wrong) { *wrong = own_MPI_Init_thread(0, 0, *wanted, given); }
static void own_mpi_finalize_(int *wrong) { *wrong = own_MPI_Finalize(); }

CALLS_ON(void, mpi_initialized_) {
	NEXT(void, mpi_initialized_);
	if (*(int *)a)
		begins("mpi_initialized", CALLER);
}

#define NAME(name) {#name, own_##name}

const migbsp_function migbsp_held_names[] = {
	NAME(closefrom), NAME(close_range), NAME(fcloseall), NAME(dlopen), NAME(dlmopen), NAME(dlclose), NAME(timer_create), NAME(timer_delete),
	NAME(shmget), NAME(shmctl), NAME(shmat), NAME(shmdt), NAME(semget), NAME(semctl), NAME(msgget), NAME(msgctl),
	NAME(fork), {"vfork", own_fork}, {"__fork", own_fork}, {"__vfork", own_fork}, {"_Fork", own_fork}, NAME(clone), NAME(posix_spawn), NAME(posix_spawnp), NAME(forkpty),
	NAME(wait), NAME(waitpid), NAME(wait3), NAME(wait4), NAME(waitid), {"__wait", own_wait}, {"__waitpid", own_waitpid},
	NAME(execve), NAME(execv), NAME(execvp), NAME(execvpe), NAME(fexecve), NAME(execveat), NAME(execl), NAME(execlp), NAME(execle), NAME(daemon),
	NAME(syscall), NAME(MPI_Init), NAME(MPI_Init_thread), NAME(MPI_Initialized), NAME(MPI_Finalize),
	NAME(MPI_Comm_dup), NAME(MPI_Comm_split), NAME(MPI_Comm_split_type), NAME(MPI_Comm_create), NAME(MPI_Comm_create_group), NAME(MPI_Cart_create), NAME(MPI_Graph_create),
	NAME(MPI_Intercomm_create), NAME(MPI_Win_create), NAME(MPI_Win_allocate), NAME(MPI_Win_allocate_shared), NAME(MPI_File_open), NAME(MPI_Comm_group), NAME(MPI_Group_incl),
	NAME(MPI_Group_excl), NAME(MPI_Type_contiguous), NAME(MPI_Type_vector), NAME(MPI_Type_create_struct), NAME(MPI_Op_create), NAME(MPI_Info_create),
	NAME(MPI_Comm_free), NAME(MPI_Win_free), NAME(MPI_File_close), NAME(MPI_Group_free), NAME(MPI_Type_free), NAME(MPI_Op_free), NAME(MPI_Info_free),
	NAME(mpi_init_), NAME(mpi_init_thread_), NAME(mpi_initialized_), NAME(mpi_finalize_), {0, 0},
};
