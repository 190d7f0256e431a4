//go:build !staticrank

// Signals of a process: its handlers, the signals that it blocks, those that are pending, its alarm. A signal that its
// own instruction causes it handles wherever it runs (caught in coroutine.c). Other signals reach the rank: a handler
// keeps its process there, and is called on the stack of the process, or when it runs next.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "inside.h"

typedef uint64_t set; // of signals: bit n-1 is signal n

struct handlers {
	struct { void (*call)(int); int flags; set mask; } all[NSIG];
	set blocked, pending; // pending: since the process ran last
	pid_t thread;         // that runs it, 0 between two turns
	timer_t timer; // of its alarm, for its thread; there while the process runs
	int armed;
	struct itimerspec left; // of the alarm, between two turns,
	struct timespec since;  // from this time on
	stack_t stack; // which the process has named, and is not used
};

static struct sigaction before[NSIG]; // of the rank
static process *owners[NSIG];         // the process that has set a handler last
static int ignored[NSIG];             // by a process
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static __thread set ofThread; // blocked between two turns

#define BIT(n) ((set)1 << ((n) - 1))

static set bits(const sigset_t *s) {
	set b;
	memcpy(&b, s, sizeof b);
	return b;
}

static sigset_t *signals(set b, sigset_t *to) {
	sigemptyset(to);
	memcpy(to, &b, sizeof b);
	return to;
}

#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGABRT) | BIT(SIGTRAP)) // migbsp_is_fault

// change has the thread block signals, but for those that its own instructions cause, and returns those that it blocked.
static set change(set to) {
	sigset_t new, old;
	pthread_sigmask(SIG_SETMASK, signals(to & ~FAULTS, &new), &old);
	return bits(&old);
}

// blocks finds the signals that a process blocks on its thread, which a handler that was left by a jump has changed.
static set blocks(struct handlers *h) {
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, 0, &now);
	return h->blocked = bits(&now) | (h->blocked & FAULTS);
}

static struct handlers *its(process *c) {
	struct handlers *h = c->handlers;
	if (!h) {
		if (!(h = c->handlers = migbsp_zeroed(c, sizeof *h)))
			migbsp_fail("no memory is left");
		sigset_t now;
		pthread_sigmask(SIG_BLOCK, 0, &now);
		ofThread = h->blocked = bits(&now);
		h->thread = gettid();
	}
	return h;
}

static int handles(process *c, int number) { return c && c->handlers && c->handlers->all[number].call != SIG_DFL; }
static int owned(process *c, int number) { return handles(c, number) && c->handlers->all[number].call != SIG_IGN; }

// calls calls the handler of the process that runs, if it has one.
static void calls(process *c, int number, siginfo_t *info, void *context) {
	struct handlers *h = c->handlers;
	void (*call)(int) = h->all[number].call;
	int flags = h->all[number].flags;
	if (call == SIG_IGN)
		return;
	if (flags & (int)SA_RESETHAND)
		h->all[number].call = SIG_DFL;
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, 0, &now);
	set old = change(bits(&now) | h->all[number].mask | (flags & SA_NODEFER ? 0 : BIT(number)));
	if (flags & SA_SIGINFO)
		((void (*)(int, siginfo_t *, void *))(uintptr_t)call)(number, info, context);
	else
		call(number);
	change(old);
}

// ended notes that an alarm has come.
static void ended(struct handlers *h, int number) {
	if (number != SIGALRM || !h->armed || h->left.it_interval.tv_sec || h->left.it_interval.tv_nsec)
		return;
	h->armed = 0;
	timer_delete(h->timer);
	migbsp_unpins();
}

// migbsp_handled has a process handle a signal, if it does, and reports whether it does.
int migbsp_handled(process *c, int number, siginfo_t *info, void *context) {
	if (!owned(c, number))
		return 0;
	pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, 0); // the handler may jump out
	calls(c, number, info, context);
	return 1;
}

static void handOn(int number, siginfo_t *info, void *context) {
	struct sigaction *b = &before[number];
	if (ignored[number] || b->sa_handler == SIG_IGN)
		return;
	if (b->sa_handler == SIG_DFL) {
		signal(number, SIG_DFL);
		raise(number);
	} else
		b->sa_sigaction(number, info, context);
}

// send sends a signal for a process to the thread that runs it, and reports whether there is one.
static int send(process *c, int number) {
	pid_t thread = __atomic_load_n(&c->handlers->thread, __ATOMIC_SEQ_CST);
	siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
	info.si_value.sival_ptr = c;
	return thread && syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, &info) == 0;
}

// taken reports whether a signal was pending, which it is no longer.
static int taken(struct handlers *h, int number) { return !!(__atomic_fetch_and(&h->pending, ~BIT(number), __ATOMIC_SEQ_CST) & BIT(number)); }

// forward has a process handle a signal where it runs, or when it runs next. It may begin or stop meanwhile.
static void forward(process *c, int number) {
	struct handlers *h = c->handlers;
	while (!send(c, number)) {
		__atomic_or_fetch(&h->pending, BIT(number), __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&h->thread, __ATOMIC_SEQ_CST) || !taken(h, number))
			return;
	}
}

// delivered is the rank's handler of signals that a process handles, ignores, waits for or has a timer for.
static void delivered(int number, siginfo_t *info, void *context) {
	process *c = migbsp_now(), *to = handles(c, number) ? c : owners[number];
	int saved = errno, named = (info->si_code == SI_TIMER || info->si_code == SI_QUEUE) && IN_SLOTS(info->si_value.sival_ptr);
	if (named)
		to = info->si_value.sival_ptr;
	else if (info->si_code == SI_TKILL && info->si_pid == getpid() && (c || migbsp_thread_of)) { // raised by this thread
		c = c ? c : migbsp_thread_of;
		to = handles(c, number) ? c : 0;
	}
	if (!to) {
		handOn(number, info, context);
		errno = saved;
		return;
	}
	struct handlers *h = to->handlers;
	if (to != c) { // on another thread
		forward(to, number);
		errno = saved;
		return;
	}
	ended(h, number);
	if (handles(c, number))
		calls(c, number, info, context);
	else
		migbsp_ends(c, number, context);
	errno = saved;
}

// install has a signal delivered to processes.
static void install(int number, int flags) {
	if (migbsp_is_fault(number))
		return;
	pthread_mutex_lock(&installing);
	struct sigaction now, own = {.sa_sigaction = delivered, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT))};
	if (!sigaction(number, 0, &now) && now.sa_sigaction != delivered)
		before[number] = now;
	sigaction(number, &own, 0);
	pthread_mutex_unlock(&installing);
}

static int handle(const char *name, void *caller, int number, const struct sigaction *action, struct sigaction *old) {
	process *c = migbsp_now();
	if (!c || number < 1 || number >= NSIG || number == SIGKILL || number == SIGSTOP)
		return sigaction(number, action, old);
	struct handlers *h = its(c);
	int had = owned(c, number);
	if (old) {
		memset(old, 0, sizeof *old);
		old->sa_handler = h->all[number].call;
		old->sa_flags = h->all[number].flags;
		signals(h->all[number].mask, &old->sa_mask);
	}
	if (!action)
		return 0;
	int ignores = h->all[number].call == SIG_IGN;
	h->all[number].call = action->sa_handler;
	h->all[number].flags = action->sa_flags;
	h->all[number].mask = bits(&action->sa_mask);
	if (migbsp_is_fault(number))
		return 0;
	int has = owned(c, number);
	__atomic_add_fetch(&ignored[number], (action->sa_handler == SIG_IGN) - ignores, __ATOMIC_RELAXED);
	if (has)
		owners[number] = c;
	else if (owners[number] == c)
		owners[number] = 0;
	if (action->sa_handler != SIG_DFL)
		install(number, action->sa_flags);
	if (has && !had)
		migbsp_pins(name, caller);
	if (had && !has)
		migbsp_unpins();
	return 0;
}

static int own_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
	return handle("sigaction", __builtin_return_address(0), number, action, old);
}

static void (*own_signal(int number, void (*call)(int)))(int) {
	struct sigaction old, action = {.sa_handler = call, .sa_flags = SA_RESTART};
	return handle("signal", __builtin_return_address(0), number, &action, &old) ? SIG_ERR : old.sa_handler;
}

static void (*own___sysv_signal(int number, void (*call)(int)))(int) {
	struct sigaction old, action = {.sa_handler = call, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
	return handle("signal", __builtin_return_address(0), number, &action, &old) ? SIG_ERR : old.sa_handler;
}

static int own_siginterrupt(int number, int interrupts) {
	struct sigaction action;
	if (own_sigaction(number, 0, &action))
		return -1;
	action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	return own_sigaction(number, &action, 0);
}

// The stack of handlers is the thread's.
static int own_sigaltstack(const stack_t *to, stack_t *old) {
	process *c = migbsp_now();
	if (!c)
		return sigaltstack(to, old);
	struct handlers *h = its(c);
	if (old) {
		*old = h->stack;
		old->ss_flags = h->stack.ss_sp ? 0 : SS_DISABLE;
	}
	if (to)
		h->stack = to->ss_flags & SS_DISABLE ? (stack_t){0} : *to;
	return 0;
}

// kills reports whether a signal that a process does not handle ends it.
static int kills(int number) {
	static const set harmless = BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT) | BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU);
	struct sigaction now;
	return !(harmless & BIT(number)) && !ignored[number] && !(sigaction(number, 0, &now) == 0 && now.sa_handler == SIG_IGN);
}

// deliver has the process that runs handle pending signals.
static void deliver(process *c, set which) {
	struct handlers *h = c->handlers;
	for (int n = 1; n < NSIG; n++) {
		if (!(which & BIT(n)) || !taken(h, n))
			continue;
		siginfo_t info = {.si_signo = n, .si_code = SI_USER};
		ended(h, n);
		if (handles(c, n))
			calls(c, n, &info, 0);
		else if (kills(n))
			migbsp_fail("%s", strsignal(n));
	}
}

// Signals that are blocked.

static int own_pthread_sigmask(int how, const sigset_t *to, sigset_t *old) {
	process *c = migbsp_now();
	if (!c)
		return pthread_sigmask(how, to, old);
	struct handlers *h = its(c);
	set from = blocks(h);
	if (to && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	if (old)
		signals(from, old);
	if (!to)
		return 0;
	set now = bits(to), fixed = BIT(SIGKILL) | BIT(SIGSTOP);
	h->blocked = (how == SIG_BLOCK ? from | now : how == SIG_UNBLOCK ? from & ~now : now) & ~fixed;
	change(h->blocked);
	deliver(c, ~h->blocked);
	return 0;
}

static int own_sigprocmask(int how, const sigset_t *to, sigset_t *old) {
	int wrong = own_pthread_sigmask(how, to, old);
	if (wrong)
		errno = wrong;
	return wrong ? -1 : 0;
}

// The older functions.

static int mask(int how, int number) {
	sigset_t one;
	sigemptyset(&one);
	return sigaddset(&one, number) ? -1 : own_sigprocmask(how, &one, 0);
}

static int own_sighold(int number) { return mask(SIG_BLOCK, number); }
static int own_sigrelse(int number) { return mask(SIG_UNBLOCK, number); }
static int own_sigignore(int number) { return own_signal(number, SIG_IGN) == SIG_ERR ? -1 : 0; }

static void (*own_sigset(int number, void (*call)(int)))(int) {
	sigset_t old;
	own_sigprocmask(SIG_BLOCK, 0, &old);
	void (*before_)(int) = SIG_HOLD;
	struct sigaction was, action = {.sa_handler = call};
	if (handle("sigset", __builtin_return_address(0), number, call == SIG_HOLD ? 0 : &action, &was) || mask(call == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, number))
		return SIG_ERR;
	return sigismember(&old, number) ? before_ : was.sa_handler;
}

static int own_sigblock(int bits_) {
	sigset_t to, old;
	own_sigprocmask(SIG_BLOCK, signals((unsigned)bits_, &to), &old);
	return (int)bits(&old);
}

static int own_sigsetmask(int bits_) {
	sigset_t to, old;
	own_sigprocmask(SIG_SETMASK, signals((unsigned)bits_, &to), &old);
	return (int)bits(&old);
}

static int own_siggetmask(void) { return own_sigblock(0); }

static int own_sigpending(sigset_t *to) {
	process *c = migbsp_now();
	if (sigpending(to))
		return -1;
	if (c && c->handlers)
		signals((bits(to) | c->handlers->pending) & c->handlers->blocked, to);
	return 0;
}

// raised sends the thread the signals that came for the process while it did not run.
static void raised(process *c, set which) {
	struct handlers *h = c->handlers;
	for (int n = 1; n < NSIG; n++)
		if (which & BIT(n) && taken(h, n))
			forward(c, n);
}

static int own_sigsuspend(const sigset_t *to) {
	process *c = migbsp_now();
	if (!c)
		return sigsuspend(to);
	its(c);
	set old = change(~(set)0);
	raised(c, ~bits(to));
	int r = sigsuspend(to);
	int saved = errno;
	change(old);
	errno = saved;
	return r;
}

static int own_sigpause(int bits_) {
	sigset_t to;
	return own_sigsuspend(signals((unsigned)bits_, &to));
}

static int own___xpg_sigpause(int number) {
	sigset_t to;
	own_sigprocmask(SIG_BLOCK, 0, &to);
	sigdelset(&to, number);
	return own_sigsuspend(&to);
}

static int own_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *to) {
	process *c = migbsp_now();
	if (!c || !to)
		return ppoll(fds, n, limit, to);
	its(c);
	set old = change(~(set)0);
	raised(c, ~bits(to));
	int r = ppoll(fds, n, limit, to), saved = errno;
	change(old);
	errno = saved;
	return r;
}

static int own_pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit, const sigset_t *to) {
	process *c = migbsp_now();
	if (!c || !to)
		return pselect(n, in, out, other, limit, to);
	its(c);
	set old = change(~(set)0);
	raised(c, ~bits(to));
	int r = pselect(n, in, out, other, limit, to), saved = errno;
	change(old);
	errno = saved;
	return r;
}

// waits has signals that come from outside go to the process that waits.
static int waits(const sigset_t *for_, siginfo_t *info, const struct timespec *limit) {
	process *c = migbsp_now();
	if (!c)
		return sigtimedwait(for_, info, limit);
	struct handlers *h = its(c);
	process *old[NSIG] = {0};
	for (int n = 1; n < 32; n++)
		if (bits(for_) & BIT(n) && !migbsp_is_fault(n)) {
			install(n, SA_RESTART);
			old[n] = owners[n];
			owners[n] = c;
		}
	raised(c, bits(for_));
	int n = sigtimedwait(for_, info, limit);
	if (n > 0)
		ended(h, n);
	for (int i = 1; i < 32; i++)
		if (bits(for_) & BIT(i) && !migbsp_is_fault(i))
			owners[i] = old[i];
	return n;
}

static int own_sigtimedwait(const sigset_t *for_, siginfo_t *info, const struct timespec *limit) { return waits(for_, info, limit); }
static int own_sigwaitinfo(const sigset_t *for_, siginfo_t *info) { return waits(for_, info, 0); }

static int own_sigwait(const sigset_t *for_, int *number) {
	int n;
	while ((n = waits(for_, 0, 0)) < 0 && errno == EINTR)
		;
	if (n < 0)
		return errno;
	*number = n;
	return 0;
}

static int own_raise(int number) {
	process *c = migbsp_now();
	if (c && number > 0 && number < NSIG && number != SIGKILL && !(FAULTS & BIT(number)) && !handles(c, number) && !(c->handlers && blocks(c->handlers) & BIT(number)) && kills(number))
		migbsp_refuse(c, "%s", strsignal(number));
	return raise(number);
}

// A signal for this system process is the process's.
static int own_kill(pid_t id, int number) { return migbsp_now() && id == getpid() && number > 0 ? own_raise(number) : kill(id, number); }

// Alarms.

// timed makes the timer of an alarm, or sets its time anew.
static int timed(process *c, const struct itimerspec *to, int make) {
	struct handlers *h = c->handlers;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	event.sigev_value.sival_ptr = c;
	event._sigev_un._tid = gettid();
	return (make && timer_create(CLOCK_MONOTONIC, &event, &h->timer)) || timer_settime(h->timer, 0, to, 0) ? -1 : 0;
}

static int own_setitimer(int which, const struct itimerval *to, struct itimerval *old) {
	process *c = migbsp_now();
	if (!c)
		return setitimer(which, to, old);
	if (which != ITIMER_REAL)
		migbsp_refuse(c, "setitimer: processor time is that of all processes of a rank: link by  bspcc -static-rank");
	struct handlers *h = its(c);
	struct itimerspec new, was = {0};
	if (h->armed)
		timer_gettime(h->timer, &was);
	if (old) {
		TIMESPEC_TO_TIMEVAL(&old->it_value, &was.it_value);
		TIMESPEC_TO_TIMEVAL(&old->it_interval, &was.it_interval);
	}
	if (!to)
		return 0;
	TIMEVAL_TO_TIMESPEC(&to->it_value, &new.it_value);
	TIMEVAL_TO_TIMESPEC(&to->it_interval, &new.it_interval);
	int armed = to->it_value.tv_sec || to->it_value.tv_usec;
	h->left = new;
	if (armed) {
		install(SIGALRM, h->all[SIGALRM].flags);
		if (timed(c, &new, !h->armed))
			return -1;
		if (!h->armed)
			migbsp_pins("alarm", __builtin_return_address(0));
	} else if (h->armed) {
		timer_delete(h->timer);
		migbsp_unpins();
	}
	h->armed = armed;
	return 0;
}

static long long nanoseconds(const struct timespec *t) { return t->tv_sec * 1000000000ll + t->tv_nsec; }

static void stopAlarm(struct handlers *h) {
	timer_gettime(h->timer, &h->left);
	timer_delete(h->timer);
	clock_gettime(CLOCK_MONOTONIC, &h->since);
}

static void goOnAlarm(process *c) {
	struct handlers *h = c->handlers;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long long left = nanoseconds(&h->left.it_value) - nanoseconds(&now) + nanoseconds(&h->since);
	if (left < 1)
		left = 1;
	h->left.it_value = (struct timespec){left / 1000000000, left % 1000000000};
	if (timed(c, &h->left, 1))
		migbsp_fail("the alarm of the process is lost");
}

static int own_getitimer(int which, struct itimerval *now) { return migbsp_now() ? own_setitimer(which, 0, now) : getitimer(which, now); }

static unsigned own_alarm(unsigned seconds) {
	struct itimerval to = {.it_value.tv_sec = seconds}, old = {0};
	if (!migbsp_now())
		return alarm(seconds);
	own_setitimer(ITIMER_REAL, &to, &old);
	return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

static useconds_t own_ualarm(useconds_t first, useconds_t then) {
	struct itimerval to = {{then / 1000000, then % 1000000}, {first / 1000000, first % 1000000}}, old = {0};
	own_setitimer(ITIMER_REAL, &to, &old);
	return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}

// A handler may jump on the stack of the process: signals are blocked while another stack is in use.

// migbsp_takes_signals prepares the thread for a process that it is to run.
void migbsp_takes_signals(process *c) {
	ofThread = change(~(set)0);
	__atomic_store_n(&c->handlers->thread, gettid(), __ATOMIC_SEQ_CST);
}

// migbsp_signals has the process that runs again handle the signals that have come meanwhile.
void migbsp_signals(process *c) {
	struct handlers *h = c->handlers;
	if (h->armed)
		goOnAlarm(c);
	change(h->blocked);
	if (h->pending)
		deliver(c, ~h->blocked);
}

// migbsp_hushes blocks signals before the process stops.
void migbsp_hushes(process *c) {
	blocks(c->handlers);
	change(~(set)0);
}

// migbsp_leaves_signals takes pending signals of the process from the thread, and restores the thread's mask.
void migbsp_leaves_signals(process *c) {
	struct handlers *h = c->handlers;
	sigset_t now, one;
	siginfo_t info;
	__atomic_store_n(&h->thread, 0, __ATOMIC_SEQ_CST);
	if (h->armed)
		stopAlarm(h);
	sigpending(&now);
	for (int n = 1; n < NSIG; n++)
		if (bits(&now) & (h->blocked | BIT(SIGALRM)) & BIT(n) && sigtimedwait(signals(BIT(n), &one), &info, &(struct timespec){0}) == n)
			__atomic_or_fetch(&h->pending, BIT(n), __ATOMIC_SEQ_CST);
	change(ofThread);
}

// migbsp_unhandle takes a process's handlers away from the rank.
void migbsp_unhandle(process *c) {
	struct handlers *h = c->handlers;
	if (!h)
		return;
	for (int n = 1; n < NSIG; n++) {
		if (owners[n] == c)
			owners[n] = 0;
		if (h->all[n].call == SIG_IGN)
			__atomic_sub_fetch(&ignored[n], 1, __ATOMIC_RELAXED);
	}
	if (h->armed)
		timer_delete(h->timer);
	h->armed = 0;
	memset(h->all, 0, sizeof h->all);
}

// migbsp_rehandle has the rank that a process has come to ignore the signals that the process ignores.
void migbsp_rehandle(process *c) {
	struct handlers *h = c->handlers;
	for (int n = 1; h && n < NSIG; n++) {
		if (h->all[n].call == SIG_IGN)
			__atomic_add_fetch(&ignored[n], 1, __ATOMIC_RELAXED);
		if (h->all[n].call == SIG_IGN)
			install(n, SA_RESTART);
	}
}

// Jumps with the signals that were blocked.
_Noreturn void migbsp_longjmp(void *, int);

// migbsp_saves is the end of migbsp_sigsetjmp.
int migbsp_saves(struct __jmp_buf_tag *to, int mask) {
	to->__mask_was_saved = mask;
	if (mask)
		own_pthread_sigmask(SIG_SETMASK, 0, (sigset_t *)&to->__saved_mask);
	return 0;
}

_Noreturn void migbsp_siglongjmp(struct __jmp_buf_tag *to, int value) {
	if (to->__mask_was_saved)
		own_pthread_sigmask(SIG_SETMASK, (sigset_t *)&to->__saved_mask, 0);
	migbsp_longjmp(to, value);
}

uintptr_t migbsp_of_handlers(const char *name) {
	static const migbsp_name all[] = {
		OWN(sigaction), OWN(signal), ALIAS(bsd_signal, signal), OWN(__sysv_signal), ALIAS(sysv_signal, __sysv_signal), OWN(siginterrupt), OWN(sigaltstack),
		OWN(pthread_sigmask), OWN(sigprocmask), OWN(sigpending), OWN(sigsuspend), OWN(sigtimedwait), OWN(sigwaitinfo), OWN(sigwait),
		OWN(sighold), OWN(sigrelse), OWN(sigignore), OWN(sigset), OWN(sigblock), OWN(sigsetmask), OWN(siggetmask), OWN(sigpause), OWN(__xpg_sigpause), ALIAS(ssignal, signal),
		OWN(ppoll), OWN(pselect),
		OWN(raise), ALIAS(gsignal, raise), OWN(kill), OWN(setitimer), OWN(getitimer), OWN(alarm), OWN(ualarm),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
