//go:build !staticrank

// How a process runs: on its own stack, from a resume until it has something for the engine. No
// function of Go is called while a process's stack is in use.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "inside.h"

// Where the C++ library keeps what is thrown and caught on a thread.
static void *(*exceptionsOf)(void);

// The thread may be another one after a switch: the compiler must not take errno for what it was before.
static __attribute__((noinline)) int wrong(void) {
	__asm__ volatile("");
	return errno;
}
static __attribute__((noinline)) void setWrong(int to) {
	__asm__ volatile("");
	errno = to;
}

static __attribute__((noinline)) void *self(void) {
	__asm__ volatile("");
	return (void *)pthread_self();
}

__attribute__((noinline)) process *migbsp_now(void) {
	__asm__ volatile("");
	return migbsp_running;
}

// migbsp_other returns the other process whose memory an address is, -1 if there is none.
int migbsp_other(process *c, const void *at) {
	int pid = IN_SLOTS(at) ? (int)(((uintptr_t)at - SLOT_BASE) / migbsp_slot) : c->pid;
	return pid == c->pid ? -1 : pid;
}

static __attribute__((noinline)) void run(process *c) {
	__asm__ volatile("");
	migbsp_running = c;
}

// The value that functions with a protected stack compare differs between ranks. While a
// process runs it is this one.
#define CANARY 0x00a7c3e1942f6b58ul

#ifdef __x86_64__
static inline uintptr_t canary(void) {
	uintptr_t v;
	__asm__ volatile("movq %%fs:0x28, %0" : "=r"(v));
	return v;
}
static inline void setCanary(uintptr_t v) { __asm__ volatile("movq %0, %%fs:0x28" : : "r"(v)); }
#else
static inline uintptr_t canary(void) { return 0; }
static inline void setCanary(uintptr_t v) { (void)v; }
#endif

// Memory of this thread for what its processes have for the engine.
#define ROOM (1l << 20)
static __thread char *room;
static __thread int64_t roomSize;

extern void *__libc_realloc(void *, size_t);

// migbsp_long makes that memory have a size at least, or returns 0.
int migbsp_long(process *c, int64_t size) {
	migbsp_stop(c, OP_FLUSH);
	char *larger = __libc_realloc(room, (size_t)size);
	if (!larger)
		return 0;
	room = c->records = larger;
	roomSize = c->limit = size;
	return 1;
}

#define TOO_DEEP "stack overflow: the stack of a process has %lu MiB"

// onStack reports whether the process has stopped on its own stack.
static inline int onStack(process *c) { return (uintptr_t)((char *)c->sp - (SLOT(c->pid) + STACK_TOP - STACK_SIZE)) < STACK_SIZE; }

// onHandlers reports whether an address is on this thread's stack for signal handlers.
static int onHandlers(char *at) {
	stack_t handlers;
	return !sigaltstack(0, &handlers) && !(handlers.ss_flags & SS_DISABLE) && (uintptr_t)(at - (char *)handlers.ss_sp) < handlers.ss_size;
}

// elsewhere checks a process that has stopped on another stack than its own, as programs with coroutines do: one in
// its heap or its data moves with it, and a mapping keeps it where it is.
static void elsewhere(process *c) {
	char *sp = c->sp, *base = SLOT(c->pid), *low = base + STACK_TOP - STACK_SIZE;
	int meets = c->op == OP_SYNC || c->op == OP_BEGIN || c->op == OP_END;
	if (!c->sp || (!meets && c->op != OP_FLUSH))
		return;
	if (sp < low && sp >= c->top)
		snprintf(c->text, sizeof c->text, TOO_DEEP, STACK_SIZE >> 20);
	else if (meets && onHandlers(sp))
		snprintf(c->text, sizeof c->text, "called by a signal handler: set a flag there, and call it in the program");
	else if (meets && c->open == 0 && (sp < base || sp >= low))
		snprintf(c->text, sizeof c->text, "called on a stack at %p that is no memory of the process: take it from malloc or mmap", c->sp);
	else
		return;
	c->syncs -= c->op == OP_SYNC;
	c->op = OP_ABORT;
}

// migbsp_resume runs the process until it has something for the engine.
int migbsp_resume(uintptr_t p) {
	process *c = (process *)p;
	if (!room) {
		if (!(room = malloc(ROOM))) {
			strcpy(c->text, "no memory for records");
			return OP_ABORT;
		}
		roomSize = ROOM;
	}
	c->records = room;
	c->used = 0;
	c->limit = roomSize;
	c->last = -1;
	if (c->turn && migbsp_enters(c))
		return OP_ABORT;
	if (c->handlers)
		migbsp_takes_signals(c);
	uintptr_t old = canary();
	void *e = exceptionsOf ? exceptionsOf() : 0;
	if (e)
		memcpy(e, &c->exceptions, sizeof c->exceptions);
	if (migbsp_static_tls)
		memcpy(migbsp_static, c->tls, migbsp_static_tls);
	run(c);
	if (__builtin_expect(c->watched, 0) && !migbsp_turns(c)) {
		run(0);
		return OP_ABORT;
	}
	setCanary(CANARY);
	migbsp_switch(&c->caller, c->sp);
	setCanary(old);
	if (__builtin_expect(c->watched, 0))
		migbsp_rests(c);
	migbsp_prints(c, c->op == OP_SIGNAL);
	run(0);
	if (c->handlers)
		migbsp_leaves_signals(c);
	if (c->turn)
		migbsp_leaves(c);
	if (migbsp_static_tls)
		memcpy(c->tls, migbsp_static, migbsp_static_tls);
	if (e) {
		memcpy(&c->exceptions, e, sizeof c->exceptions);
		memset(e, 0, sizeof c->exceptions);
	}
	if (__builtin_expect(!onStack(c), 0))
		elsewhere(c);
	return (int)c->op;
}

// migbsp_inbox is memory of this thread for messages.
messages *migbsp_inbox(int64_t n) {
	static __thread messages *inbox;
	static __thread int64_t size;
	if (n > size) {
		messages *larger = __libc_realloc(inbox, (size_t)(2 * n) * sizeof *inbox);
		if (!larger)
			abort();
		inbox = larger;
		size = 2 * n;
	}
	return inbox;
}

// migbsp_stop gives the engine an operation and returns when that has been done.
void migbsp_stop(process *c, int op) {
	int before = wrong();
	if (__builtin_expect(migbsp_forked, 0))
		_exit(1);
	c->op = op;
	migbsp_settles(c);
	if (c->handlers)
		migbsp_hushes(c);
	void *thread = self();
	migbsp_back(&c->sp, c->caller);
	if (__builtin_expect(self() != thread, 0))
		migbsp_goes_on(c, thread);
	if (c->handlers)
		migbsp_signals(c);
	setWrong(before);
}

// migbsp_exit ends the process that runs.
_Noreturn void migbsp_exit(int code) {
	process *c = migbsp_now();
	if (!c)
		migbsp_ends_now(code);
	migbsp_leave_by(c, AT_THREAD_EXIT, code);
	migbsp_leave_by(c, AT_EXIT, code);
	if (!c->copied)
		migbsp_last();
	migbsp_flush();
	if (migbsp_forked)
		_exit(code);
	migbsp_closes(c);
	migbsp_unhandle(c);
	c->a = code;
	for (;;)
		migbsp_stop(c, OP_EXIT);
}

// migbsp_entry is where a process begins.
void migbsp_entry(void) {
	process *c = migbsp_now();
	migbsp_streams(c);
	migbsp_first();
	if (migbsp_executes && c->pid > 0)
		migbsp_follow(c, 0);
	migbsp_exit(c->main(c->argc, c->argv, c->environ));
}

// Clocks of hosts differ: a process takes along how long it has run.

void migbsp_departs(process *c) {
	double t = now();
	c->ran = t - c->began;
	c->ranLast = t - c->lastTime;
	migbsp_clocks_depart(c);
	if (c->watched & WATCHED_ACCESS)
		migbsp_access(c, 0);
}

void migbsp_arrives(process *c) {
	double t = now();
	c->began = t - c->ran;
	c->lastTime = t - c->ranLast;
	migbsp_clocks_arrive(c);
	migbsp_rebind(c);
	migbsp_recode(c);
	migbsp_comes(c);
	migbsp_rehandle(c);
}

// migbsp_opens finds out how many processes there can be. That is known when a process runs.
void migbsp_opens(process *c) { (void)c; }

// bsp_hook_on is for programs of which each process is one of the system's: migbsp.h.
void bsp_hook_on(int comm, void (*spmd)(void *), void *args) {
	migbsp_fail("migbsp_hook: link the program by  bspcc -static-rank");
}

int bsp_hook_number(void) { return 0; }

// A signal that a process's own instruction causes ends the process's turn as an operation does.
static const char *depth(process *c, char *at, char *text, size_t size) {
	char *top = SLOT(c->pid) + STACK_TOP, *low = top - STACK_SIZE;
	if (at < low && at >= low - GUARD_SIZE)
		snprintf(text, size, TOO_DEEP, STACK_SIZE >> 20);
	else if (c->refused && (uintptr_t)at < (uintptr_t)c->refused)
		snprintf(text, size, "access to memory at %p%s", (void *)at, migbsp_refused(c));
	else
		snprintf(text, size, "access to memory at %p", (void *)at);
	return text;
}

// migbsp_site returns the place in the program where code at an address was called, by the stack pointer of that
// code: the address itself if it is the program's, else the first address of the program's code on the stack, 0 if there
// is none.
uintptr_t migbsp_site(process *c, uintptr_t at, uintptr_t sp) {
	if (migbsp_is_code(c, at))
		return at;
	char *top = SLOT(c->pid) + STACK_TOP;
	if (sp % 8 || sp < (uintptr_t)(top - STACK_SIZE))
		return 0;
	for (uintptr_t *p = (uintptr_t *)sp; p < (uintptr_t *)sp + 4096 && p < (uintptr_t *)top; p++)
		if (migbsp_is_code(c, *p))
			return *p;
	return 0;
}

// The limit of core files that the user has set. The engine lowers it, because a failure of the engine
// itself needs none.
static struct rlimit cores;
static __attribute__((constructor)) void allowed(void) { getrlimit(RLIMIT_CORE, &cores); }

// dumps has the system write a core file where the user has allowed it (ulimit -c): of a copy of this rank,
// which returns to the instruction with the fault. Reports whether this is the copy.
static int dumps(int number) {
	if (cores.rlim_cur == 0)
		return 0;
	pid_t copy = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0); // no SIGCHLD for the program
	if (copy > 0)
		while (waitpid(copy, 0, __WALL) < 0 && errno == EINTR)
			;
	if (copy != 0)
		return 0;
	setrlimit(RLIMIT_CORE, &cores);
	struct sigaction none = {.sa_handler = SIG_DFL};
	sigaction(number, &none, 0);
	sigset_t mask;
	sigfillset(&mask);
	sigdelset(&mask, number);
	sigprocmask(SIG_SETMASK, &mask, 0);
	if (number == SIGABRT)
		raise(number);
	return 1;
}

// migbsp_called notes the place in the program's code of a call of a library, for errors.
__attribute__((noinline)) void migbsp_called(process *c) {
	uintptr_t from = migbsp_site(c, 0, (uintptr_t)__builtin_frame_address(0));
	if (from)
		c->site = from;
}

// placeOf returns the address of the instruction that a signal has interrupted.
static uintptr_t placeOf(const ucontext_t *u) {
#ifdef __x86_64__
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
	return u->uc_mcontext.pc;
#endif
}

// migbsp_ends ends the turn of a process that a signal has interrupted; the reason is the signal, or if number is 0
// it is in its text.
void migbsp_ends(process *c, int number, void *context) {
	ucontext_t *u = context;
#ifdef __x86_64__
	uintptr_t here = placeOf(u), sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#else
	uintptr_t here = placeOf(u), sp = u->uc_mcontext.sp;
#endif
	if (number)
		snprintf(c->text, sizeof c->text, "%s", strsignal(number));
	uintptr_t from = migbsp_site(c, here + 1, sp);
	if (from && !c->failed)
		c->site = from;
	c->op = OP_SIGNAL;
	c->sp = 0;
#ifdef __x86_64__
	u->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)c->caller;
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)migbsp_switched;
#else
	u->uc_mcontext.sp = (uintptr_t)c->caller;
	u->uc_mcontext.pc = (uintptr_t)migbsp_switched;
#endif
}

static void caught(int number, siginfo_t *info, void *context) {
	process *c = migbsp_now();
	if (c && migbsp_forked)
		_exit(128 + number);
	if (!c && migbsp_thread_of) {
		if (migbsp_handled(migbsp_thread_of, number, info, context) && number != SIGABRT)
			return;
		migbsp_thread_fails(strsignal(number), (char *)placeOf(context) + 1);
	}
	if (number == SIGABRT && migbsp_failing && (!c || !c->failed))
		return; // it is for another process, which has stopped meanwhile
	if (!c || (info->si_code <= 0 && number != SIGABRT)) {
		migbsp_hand_on(number, info, context);
		return;
	}
	if (!c->failed && migbsp_handled(c, number, info, context) && number != SIGABRT)
		return;
	if (dumps(number))
		return;
	char why[200] = "";
	if (number == SIGSEGV || number == SIGBUS)
		depth(c, info->si_addr, why, sizeof why);
	if (c->failed)
		;
	else if (number == SIGABRT)
		snprintf(c->text, sizeof c->text, "abort%s", migbsp_refused(c));
	else
		snprintf(c->text, sizeof c->text, "%s%s%s", strsignal(number), *why ? ": " : "", why);
	migbsp_ends(c, 0, context);
}

// migbsp_catch catches such signals, after Go's runtime has set its handlers.
void migbsp_catch(void) {
	for (int number = 1; number < NSIG; number++)
		if (migbsp_is_fault(number))
			migbsp_handle(number, caught);
	if (migbsp_throws)
		*(void **)&exceptionsOf = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
}
