// The BSPlib layer of LPF, which names what migbsp.h has, and as much of LPF as starts a program for it.
//
// Process 0 runs the program's main. The others wait for what it has them execute: a section, or
// the end.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "include/lpf/bsplib.h"

#define SAME(theirs, ours) _Static_assert((int)(theirs) == (int)(ours), "a code of another name is another one")
SAME(BSPLIB_SUCCESS, MIGBSP_SUCCESS);
SAME(BSPLIB_ERR_OUT_OF_MEMORY, MIGBSP_NO_MEMORY);
SAME(BSPLIB_ERR_MEMORY_NOT_REGISTERED, MIGBSP_NOT_REGISTERED);
SAME(BSPLIB_ERR_PUSHREG_MISMATCH, MIGBSP_PUSHES_DIFFER);
SAME(BSPLIB_ERR_POPREG_MISMATCH, MIGBSP_POPS_DIFFER);
SAME(BSPLIB_ERR_TAGSIZE_MISMATCH, MIGBSP_TAGS_DIFFER);
SAME(BSPLIB_ERR_NULL_POINTER, MIGBSP_NULL);
SAME(BSPLIB_ERR_PID_OUT_OF_RANGE, MIGBSP_NO_PROCESS);
SAME(BSPLIB_ERR_MEMORY_ACCESS_OUT_OF_RANGE, MIGBSP_OUT_OF_RANGE);
SAME(BSPLIB_ERR_EMPTY_MESSAGE_QUEUE, MIGBSP_NO_MESSAGE);
SAME(BSPLIB_ERR_FATAL, MIGBSP_LEFT);

struct BSPlib {
	double created;
};

// sets says whether the size of tags is to change, which all processes say alike.
static void sets(process *c) { c->tagSets = c->tagNext != c->tagSend; }

// clear pops all registrations, at the next end of a superstep.
static void clear(process *c) {
	for (int64_t i = 0; i < c->nregs; i++)
		if (c->regs[i].live && !c->regs[i].popped) {
			c->regs[i].popped = 1;
			migbsp_act(c, 1, c->regs[i].id);
		}
	c->tagNext = 0;
}

// leave ends what all processes have begun together.
static bsplib_err_t leave(process *c) {
	clear(c);
	sets(c);
	return (bsplib_err_t)migbsp_leave(c);
}

// A task is what process 0 has the others execute, nothing at the end. Functions follow.
typedef struct {
	char *spmd;
	size_t functions;
} task;

// here is where a function of process 0 is in another process: in its slot, or as far from there as
// another one is.
static char *here(process *c, char *of, int64_t away) { return of + (IN_SLOTS(of) ? SLOT(c->pid) - SLOT(0) : away); }

static void section(process *c, lpf_spmd_t spmd, lpf_args_t args) {
	c->executes = 1;
	c->left = 0;
	spmd((lpf_t)&c->executes, (lpf_pid_t)c->pid, (lpf_pid_t)c->n, args);
	leave(c);
	if (c->bsplib)
		migbsp_release(c, c->bsplib);
	c->bsplib = 0;
	c->executes = 0;
}

// meet is the superstep between two tasks.
static void meet(process *c) {
	clear(c);
	c->tagReceive = c->tagSend = 0;
	c->left = 0;
	sets(c);
	migbsp_meet(c);
}

static void tell(process *c, task *t) {
	c->tagSend = 0;
	for (int pid = 1; pid < c->n; pid++)
		migbsp_send(pid, 0, t, sizeof *t + t->functions * sizeof(char *));
	meet(c);
}

static void finish(void *argument) {
	process *c = migbsp_now();
	(void)argument;
	if (c->executes) // it leaves in the middle, which is told as ever
		return;
	task last = {0};
	tell(c, &last);
	migbsp_finish(c);
}

static void begin(process *c, int64_t procs) {
	c->follows = 1;
	migbsp_enter(c, procs);
}

// migbsp_follow executes what process 0 tells. A process that has come there in main itself names the
// first function.
_Noreturn void migbsp_follow(process *c, char *first) {
	int64_t away = 0;
	begin(c, 0);
	for (;;) {
		void *text;
		size_t size;
		meet(c);
		task *t = migbsp_hpmove(0, &text, &size) == MIGBSP_SUCCESS ? migbsp_allocate(c, size) : 0;
		if (!t)
			migbsp_fail("lpf_exec: no memory is left");
		memcpy(t, text, size);
		if (!t->spmd)
			migbsp_finish(c);
		if (first)
			away = first - t->spmd;
		first = 0;
		char **functions = (char **)(t + 1);
		for (size_t i = 0; i < t->functions; i++)
			functions[i] = here(c, functions[i], away);
		lpf_args_t args = {.f_symbols = t->functions ? (lpf_func_t *)functions : 0, .f_size = t->functions};
		section(c, (lpf_spmd_t)here(c, t->spmd, away), args);
		migbsp_release(c, t);
	}
}

#define IN(otherwise) \
	process *c = migbsp_now(); \
	if (__builtin_expect(!c, 0)) \
		return otherwise; \
	c->site = (uintptr_t)__builtin_return_address(0)

// CALL is a call of an instance.
#define CALL(otherwise) \
	IN(otherwise); \
	if (__builtin_expect(!bsplib || bsplib != c->bsplib, 0)) \
		return otherwise

lpf_err_t lpf_exec(lpf_t context, lpf_pid_t P, lpf_spmd_t spmd, lpf_args_t args) {
	IN(LPF_ERR_FATAL);
	int procs = migbsp_nprocs(); // from now on the process knows its number
	if (context != LPF_ROOT || c->executes || c->ended || P == 0 || !spmd || (c->begun && (!c->follows || P < (unsigned)c->n)))
		return LPF_ERR_FATAL;
	if (c->pid > 0)
		migbsp_follow(c, (char *)spmd);
	task *t = migbsp_allocate(c, sizeof *t + args.f_size * sizeof(char *));
	if (!t)
		return LPF_ERR_OUT_OF_MEMORY;
	*t = (task){(char *)spmd, args.f_size};
	if (args.f_size)
		memcpy(t + 1, args.f_symbols, args.f_size * sizeof(char *));
	if (!c->begun) {
		begin(c, P < (unsigned)procs ? (int64_t)P : procs);
		migbsp_leaver(finish, 0);
	}
	tell(c, t);
	migbsp_release(c, t);
	section(c, spmd, args);
	return LPF_SUCCESS;
}

bsplib_err_t bsplib_create(lpf_t context, lpf_pid_t pid, lpf_pid_t procs, int safe, size_t hp, bsplib_t *bsplib) {
	IN(BSPLIB_ERR_FATAL);
	(void)context, (void)safe, (void)hp;
	if (!bsplib)
		return BSPLIB_ERR_NULL_POINTER;
	if (!c->begun || c->ended || c->bsplib || pid != (lpf_pid_t)c->pid || procs != (lpf_pid_t)c->n)
		return BSPLIB_ERR_FATAL;
	c->bsplib = migbsp_allocate(c, sizeof *c->bsplib);
	if (!c->bsplib)
		return BSPLIB_ERR_OUT_OF_MEMORY;
	c->bsplib->created = migbsp_time();
	*bsplib = c->bsplib;
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_destroy(bsplib_t bsplib) {
	CALL(BSPLIB_ERR_FATAL);
	bsplib_err_t rc = leave(c);
	migbsp_release(c, c->bsplib);
	c->bsplib = 0;
	return rc;
}

double bsplib_time(bsplib_t bsplib) {
	CALL(0);
	return migbsp_time() - bsplib->created;
}

lpf_pid_t bsplib_nprocs(bsplib_t bsplib) {
	CALL(0);
	return (lpf_pid_t)c->n;
}

lpf_pid_t bsplib_pid(bsplib_t bsplib) {
	CALL(0);
	return (lpf_pid_t)c->pid;
}

bsplib_err_t bsplib_sync(bsplib_t bsplib) {
	CALL(BSPLIB_ERR_FATAL);
	sets(c);
	return (bsplib_err_t)migbsp_meet(c);
}

bsplib_err_t bsplib_push_reg(bsplib_t bsplib, const void *area, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_push_reg(area, size);
}

bsplib_err_t bsplib_pop_reg(bsplib_t bsplib, const void *area) {
	CALL(BSPLIB_ERR_FATAL);
	int64_t i = migbsp_newest(c, area, 0);
	if (i < 0)
		return BSPLIB_ERR_MEMORY_NOT_REGISTERED;
	c->regs[i].popped = 1;
	migbsp_act(c, 1, c->regs[i].id);
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_put(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_put((int)pid, from, to, offset, size);
}

bsplib_err_t bsplib_hpput(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_hpput((int)pid, from, to, offset, size);
}

bsplib_err_t bsplib_get(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_get((int)pid, from, offset, to, size);
}

bsplib_err_t bsplib_hpget(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_hpget((int)pid, from, offset, to, size);
}

size_t bsplib_set_tagsize(bsplib_t bsplib, size_t size) {
	CALL(0);
	c->tagNext = (int64_t)size;
	return (size_t)c->tagSend;
}

bsplib_err_t bsplib_send(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_send((int)pid, tag, payload, size);
}

bsplib_err_t bsplib_hpsend(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size) {
	return bsplib_send(bsplib, pid, tag, payload, size);
}

bsplib_err_t bsplib_qsize(bsplib_t bsplib, size_t *messages, size_t *bytes) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_qsize(messages, bytes);
}

bsplib_err_t bsplib_get_tag(bsplib_t bsplib, size_t *status, void *tag) {
	CALL(BSPLIB_ERR_FATAL);
	size_t size = (size_t)-1;
	migbsp_get_tag(&size, tag);
	if (status)
		*status = size;
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_move(bsplib_t bsplib, void *payload, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return (bsplib_err_t)migbsp_move(payload, size);
}

size_t bsplib_hpmove(bsplib_t bsplib, const void **tag, const void **payload) {
	CALL((size_t)-1);
	void *t, *p;
	size_t size;
	if (migbsp_hpmove(&t, &p, &size) != MIGBSP_SUCCESS)
		return (size_t)-1;
	if (tag)
		*tag = c->tagReceive > 0 ? t : 0;
	if (payload)
		*payload = p;
	return size;
}
