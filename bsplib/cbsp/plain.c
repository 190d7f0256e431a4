//go:build staticrank

// The one process of a program that is no object for a launcher, and has this library beside it:
// it runs where the program does, on the thread that makes the first call, and calls Go when it
// has something for the engine.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "inside.h"
#include "_cgo_export.h"

static process self;
static int claimed;
static __thread int inside __attribute__((tls_model("initial-exec"))); // it is in Go
static int opened; // the engine knows the process
static int hooks;  // sections on communicators so far
static void (*beforeEnd)(void);

static void leaving(int code, void *unused);
static void catches(void);

static __attribute__((noinline, cold)) process *claim(void) {
	if (__atomic_exchange_n(&claimed, 1, __ATOMIC_SEQ_CST))
		return 0;
	migbsp_running = &self;
	on_exit(leaving, 0);
	return &self;
}

process *migbsp_now(void) { return __builtin_expect(migbsp_running != 0, 1) ? &self : claim(); }

int migbsp_other(process *c, const void *at) { return -1; }
void *migbsp_allocate(process *c, size_t n) { return malloc(n); }
void *migbsp_resize(process *c, void *p, size_t n) { return realloc(p, n); }
void migbsp_release(process *c, void *p) { free(p); }
const char *migbsp_refused(process *c) { return ""; }

// migbsp_flush writes what the program has printed.
void migbsp_flush(void) {
	static void (*fortran)(int *);
	if (!fortran)
		*(void **)&fortran = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");
	if (fortran)
		fortran(0);
	fflush(0);
}

// ends ends the program for the engine, which has said why.
static _Noreturn void ends(int code) {
	if (beforeEnd)
		beforeEnd();
	migbsp_flush();
	_exit(code);
}

// migbsp_language is for programs whose calls come from an interpreter: what the program is called, a
// function that writes where a line of the program is, or for 0 where the call is, and one that is
// called before the engine ends the program. When the interpreter ends there are no such functions
// any more. Lines have the numbers that the program puts into migbsp_line.
static void (*where)(char *, size_t, size_t line);
#define LINES 65536
static char lines[LINES]; // whose addresses stand for them
size_t migbsp_line;

static void nowhere(char *text, size_t size, size_t line) { *text = 0; }

void migbsp_language(const char *name, void (*at)(char *, size_t, size_t), void (*before)(void)) {
	char *argv[] = {(char *)name};
	migbsp_go_arguments(1, argv);
	where = at ? at : nowhere;
	beforeEnd = before;
}

// migbsp_interpreted is where such a program is, 0 if it is none, and migbsp_where writes which place
// that is; false if it is none of these.
uintptr_t migbsp_interpreted(void) { return where ? (uintptr_t)&lines[migbsp_line % LINES] : 0; }

int migbsp_where(uintptr_t at, char *text, size_t size) {
	if (!where || at - (uintptr_t)lines >= LINES)
		return 0;
	where(text, size, at - (uintptr_t)lines);
	return 1;
}

// migbsp_area is the sizes that all processes have registered for an area, 0 if it is not registered.
const int64_t *migbsp_area(const void *address) {
	for (const registration *r = self.regs + self.nregs; r-- > self.regs;)
		if (r->address == address && r->live)
			return r->sizes;
	return 0;
}

// The memory of records has this size at least.
#define ROOM (1l << 20)

// migbsp_long makes that memory have a size at least, or returns 0.
int migbsp_long(process *c, int64_t size) {
	if (c->used > 0)
		migbsp_stop(c, OP_FLUSH);
	if (c->limit >= size)
		return 1;
	char *larger = realloc(c->records, (size_t)size);
	if (!larger)
		return 0;
	c->records = larger;
	c->limit = size;
	return 1;
}

static void room(process *c) {
	if (!migbsp_long(c, ROOM))
		migbsp_fail("no memory for %ld bytes of records", ROOM);
}

// migbsp_inbox is memory for messages.
messages *migbsp_inbox(int64_t n) {
	static messages *inbox;
	static int64_t size;
	if (n > size) {
		messages *larger = realloc(inbox, (size_t)(2 * n) * sizeof *inbox);
		if (!larger)
			abort();
		inbox = larger;
		size = 2 * n;
	}
	return inbox;
}

// migbsp_opens has the engine begin, which then says how many processes there can be.
void migbsp_opens(process *c) {
	if (opened || c->begun)
		return;
	opened = 1;
	int (*begun)(int *), has = 0;
	*(void **)&begun = dlsym(RTLD_DEFAULT, "MPI_Initialized");
	migbsp_returns = begun && !begun(&has) && has;
	inside = 1;
	int code = migbsp_go_open(c);
	inside = 0;
	catches();
	if (code >= 0) {
		c->ended = c->begun = 1;
		exit(code);
	}
	room(c);
}

// migbsp_is says which process it is, or is going to be.
void migbsp_is(process *c, int pid) { c->pid = pid; }

// migbsp_stop gives the engine an operation and returns when that has been done.
void migbsp_stop(process *c, int op) {
	migbsp_opens(c);
	c->op = op;
	inside = 1;
	int code = migbsp_go(op);
	inside = 0;
	c->used = 0;
	c->last = -1;
	if (code < 0)
		return;
	if (op == OP_BEGIN && code == 0) { // fewer processes than ranks
		c->ended = c->begun = 1;
		exit(0);
	}
	ends(code);
}

_Noreturn void migbsp_exit(int code) { exit(code); }

// leaving is called when the program ends by itself.
static void leaving(int code, void *unused) {
	process *c = &self;
	if (!migbsp_running || !opened || c->ended)
		return;
	if (c->begun && c->multicore && code == 0) {
		migbsp_stop(c, OP_END);
		c->ended = 1;
		return;
	}
	c->a = code;
	migbsp_stop(c, OP_EXIT);
}

static void leaves(int code, void *f) { ((void (*)(void *))(uintptr_t)f)(0); }

// migbsp_leaver has the C library call a function at the end, without an argument.
void migbsp_leaver(void (*f)(void *), void *argument) { on_exit(leaves, (void *)(uintptr_t)f); }

// migbsp_main runs a program whose arguments begin with flags of the engine.
int migbsp_main(int argc, char **argv, char **environment, int (*program)(int, char **, char **)) {
	int n = migbsp_go_arguments(argc, argv);
	if (n > 0) {
		argv[n] = argv[0];
		argv += n;
		argc -= n;
	}
	if (n < 0 || (n > 0 && migbsp_go_asks()))
		migbsp_opens(migbsp_now()); // which says what is wrong
	if (migbsp_go_executes()) { // where process 0 has others execute functions, these do not run the program's main
		process *c = migbsp_now();
		migbsp_opens(c);
		if (c->pid > 0)
			migbsp_follow(c, 0);
	}
	return program(argc, argv, environment);
}

// bsp_hook_number tells sections apart.
int bsp_hook_number(void) { return hooks; }

// bsp_hook_on runs a function as a process of those on the ranks of a communicator, which has
// that name in Fortran. All ranks of it call it, and it returns when all have ended.
void bsp_hook_on(int comm, void (*spmd)(void *), void *args) {
	process *c = migbsp_now();
	if (!c) {
		fprintf(stderr, "migbsp_hook: called by a thread that is not a process\n");
		ends(1);
	}
	if (opened && !c->ended)
		migbsp_fail("migbsp_hook: within a section, or before its bsp_begin");
	for (int64_t i = 0; i < c->nregs; i++)
		free(c->regs[i].sizes);
	free(c->regs);
	free(c->acts);
	free(c->index);
	char *records = c->records;
	int64_t limit = c->limit;
	memset(c, 0, sizeof *c);
	c->records = records;
	c->limit = limit;
	c->last = -1;
	c->site = (uintptr_t)__builtin_return_address(0);
	opened = 1;
	hooks++;
	room(c);
	inside = 1;
	int code = migbsp_go_hook(c, comm);
	inside = 0;
	catches();
	if (code >= 0)
		ends(code);
	c->begun = 1;
	c->began = c->lastTime = now();
	spmd(args);
	migbsp_stop(c, OP_END);
	c->ended = 1;
	c->word = 0;
}

// A signal that the program's own instruction causes ends the run as an error does, unless the
// program, or a tool such as a sanitizer, handles it.
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define FAULTS (sizeof faults / sizeof *faults)
static int handled[NSIG];

// Before Go's runtime sets its handlers.
static __attribute__((constructor(101))) void look(void) {
	for (size_t i = 0; i < FAULTS; i++) {
		struct sigaction action;
		handled[faults[i]] = !sigaction(faults[i], 0, &action) && (action.sa_flags & SA_SIGINFO || action.sa_handler != SIG_DFL);
	}
}

static char last[1 << 18] __attribute__((aligned(16))); // a stack for the end

static _Noreturn void faulted(void) {
	for (;;)
		migbsp_stop(&self, OP_SIGNAL);
}

// isOwn reports whether an address is in this library.
static int isOwn(uintptr_t at) {
	Dl_info own, its;
	return dladdr((void *)(uintptr_t)isOwn, &own) && dladdr((void *)at, &its) && own.dli_fbase == its.dli_fbase;
}

static void caught(int number, siginfo_t *info, void *context) {
	ucontext_t *u = context;
	if (!migbsp_running || inside || !opened || self.ended || (info->si_code <= 0 && number != SIGABRT)) {
		migbsp_hand_on(number, info, context);
		return;
	}
#ifdef __x86_64__
	uintptr_t here = (uintptr_t)u->uc_mcontext.gregs[REG_RIP], sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#else
	uintptr_t here = u->uc_mcontext.pc, sp = u->uc_mcontext.sp;
#endif
	char why[160] = "";
	uintptr_t at = (uintptr_t)info->si_addr;
	int deep = 0;
	if (number == SIGSEGV || number == SIGBUS) {
		if ((deep = at - (sp - (1 << 16)) < 1 << 17))
			snprintf(why, sizeof why, ": stack overflow: the stack is as large as ulimit -s allows");
		else
			snprintf(why, sizeof why, ": access to memory at %p", (void *)at);
	}
	snprintf(self.text, sizeof self.text, "%s%s", number == SIGABRT ? "abort" : strsignal(number), why);
	if (number != SIGABRT && !isOwn(here) && (deep || !isOwn(*(uintptr_t *)sp))) // else its caller, which a primitive has noted
		self.site = here + 1;
#ifdef __x86_64__
	u->uc_mcontext.gregs[REG_RSP] = (greg_t)((uintptr_t)last + sizeof last - 8);
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)faulted;
#else
	u->uc_mcontext.sp = (uintptr_t)last + sizeof last;
	u->uc_mcontext.pc = (uintptr_t)faulted;
#endif
}

// catches catches them, after Go's runtime has set its handlers.
static void catches(void) {
	static int done;
	if (done++)
		return;
	static char stack[1 << 16];
	stack_t now;
	if (!sigaltstack(0, &now) && now.ss_flags & SS_DISABLE)
		sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, 0);
	for (size_t i = 0; i < FAULTS; i++)
		if (!handled[faults[i]])
			migbsp_handle(faults[i], caught);
}

// Who watches the ranks of a host is this library too, in a process of its own, whose program is
// not to run (package watch). Go's runtime has begun before, for it comes first in the library.
static __attribute__((constructor)) void watches(int argc, char **argv) {
	if (argc > 0 && argv && !strcmp(argv[0], "migbsp-watch"))
		for (;;)
			pause();
}

struct found {
	uintptr_t at, bias;
	char *path;
	size_t size;
};

static int find(struct dl_phdr_info *info, size_t size, void *to) {
	struct found *f = to;
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];
		if (p->p_type == PT_LOAD && f->at - info->dlpi_addr - p->p_vaddr < p->p_memsz) {
			f->bias = info->dlpi_addr;
			snprintf(f->path, f->size, "%s", *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
			return 1;
		}
	}
	return 0;
}

// migbsp_module finds the file that the code at an address is from, and returns by how much its
// addresses differ. The path is empty if it is none.
uintptr_t migbsp_module(uintptr_t at, char *path, size_t size) {
	struct found f = {at, 0, path, size};
	*path = 0;
	dl_iterate_phdr(find, &f);
	return f.bias;
}
