// The BSPlib layer of LPF, and as much of LPF as starts a program for it.
//
// Process 0 runs the program's main. The others wait for what it has them execute: a section, or
// the end. Calls check what the primitives would end the program for, and return a code. What
// processes have to agree on is agreed on as ever (agree.go), with a code for its result.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#define MIGBSP_INSIDE
#include "process.h"
#include "include/lpf/bsplib.h"

void mcbsp_put(unsigned, const void *, void *, size_t, size_t);
void mcbsp_hpput(unsigned, const void *, void *, size_t, size_t);
void mcbsp_get(unsigned, const void *, size_t, void *, size_t);
void mcbsp_hpget(unsigned, const void *, size_t, void *, size_t);
void mcbsp_send(unsigned, const void *, const void *, size_t);
void mcbsp_qsize(unsigned *, size_t *);
void mcbsp_get_tag(size_t *, void *);
void mcbsp_move(void *, size_t);
size_t mcbsp_hpmove(void **, void **);
double bsp_time(void);
int bsp_nprocs(void);

struct BSPlib {
	double created;
};

// synchronise ends a superstep. After others have left there is none to end.
static bsplib_err_t synchronise(process *c) {
	if (c->left)
		return BSPLIB_ERR_FATAL;
	c->tagSets = c->tagNext != c->tagSend;
	c->fault = 0;
	migbsp_sync(c);
	c->left = c->fault == BSPLIB_ERR_FATAL;
	return (bsplib_err_t)c->fault;
}

// migbsp_undo takes back what the process has pushed, popped and set, which others have not.
void migbsp_undo(process *c) {
	int64_t k = 0;
	for (int64_t i = 0; i < c->nregs; i++) {
		c->regs[i].popped = 0;
		if (c->regs[i].live)
			k++;
		else
			migbsp_release(c, c->regs[i].sizes);
	}
	c->pushed -= c->nregs - k;
	c->nregs = c->hit = k;
	c->nacts = 0;
	c->tagNext = c->tagSend;
}

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
	c->leaves = 1;
	bsplib_err_t rc = synchronise(c);
	c->leaves = 0;
	return rc;
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
	synchronise(c);
}

static void tell(process *c, task *t) {
	c->tagSend = 0;
	for (int pid = 1; pid < c->n; pid++)
		mcbsp_send((unsigned)pid, 0, t, sizeof *t + t->functions * sizeof(char *));
	meet(c);
}

static void finish(void *argument) {
	process *c = migbsp_now();
	(void)argument;
	if (c->executes) // it leaves in the middle, which is told as ever
		return;
	task last = {0};
	tell(c, &last);
	migbsp_end(c);
}

static void begin(process *c, int64_t procs) {
	c->lenient = 1;
	migbsp_begin(c, procs);
}

// migbsp_follow executes what process 0 tells. A process that has come there in main itself names the
// first function.
_Noreturn void migbsp_follow(process *c, char *first) {
	int64_t away = 0;
	begin(c, 0);
	for (;;) {
		void *tag, *text;
		meet(c);
		size_t size = mcbsp_hpmove(&tag, &text);
		task *t = size == (size_t)-1 ? 0 : migbsp_allocate(c, size);
		if (!t)
			migbsp_fail("lpf_exec: no memory is left");
		memcpy(t, text, size);
		if (!t->spmd)
			migbsp_end(c);
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
	int procs = bsp_nprocs(); // from now on the process knows its number
	if (context != LPF_ROOT || c->executes || c->ended || P == 0 || !spmd || (c->begun && (!c->lenient || P < (unsigned)c->n)))
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
	c->lenient = 1;
	c->bsplib->created = bsp_time();
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
	return bsp_time() - bsplib->created;
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
	return synchronise(c);
}

bsplib_err_t bsplib_push_reg(bsplib_t bsplib, const void *area, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	if (!area && size > 0)
		return BSPLIB_ERR_NULL_POINTER;
	if (size > INT64_MAX)
		return BSPLIB_ERR_OUT_OF_MEMORY;
	migbsp_push(c, area, (int64_t)size);
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_pop_reg(bsplib_t bsplib, const void *area) {
	CALL(BSPLIB_ERR_FATAL);
	int64_t i = c->nregs - 1;
	while (i >= 0 && (c->regs[i].address != area || c->regs[i].popped || !c->regs[i].live))
		i--;
	if (i < 0)
		return BSPLIB_ERR_MEMORY_NOT_REGISTERED;
	c->regs[i].popped = 1;
	migbsp_act(c, 1, c->regs[i].id);
	return BSPLIB_SUCCESS;
}

// check says what is wrong with a transfer to or from an area. What it has found is found at once
// by the primitive.
static inline bsplib_err_t check(process *c, lpf_pid_t pid, const void *own, const void *area, size_t offset, size_t size) {
	if (!own || !area)
		return BSPLIB_ERR_NULL_POINTER;
	int64_t i = c->hit;
	if (i >= c->nregs || c->regs[i].address != area || !c->regs[i].live)
		for (i = c->nregs - 1; i >= 0 && (c->regs[i].address != area || !c->regs[i].live); i--)
			;
	if (i < 0)
		return BSPLIB_ERR_MEMORY_NOT_REGISTERED;
	if (pid >= (lpf_pid_t)c->n)
		return BSPLIB_ERR_PID_OUT_OF_RANGE;
	size_t has = (size_t)c->regs[i].sizes[pid];
	if (offset > has || size > has - offset)
		return BSPLIB_ERR_MEMORY_ACCESS_OUT_OF_RANGE;
	c->hit = i;
	return BSPLIB_SUCCESS;
}

#define TRANSFER(own, area, call) \
	CALL(BSPLIB_ERR_FATAL); \
	if (size == 0) \
		return BSPLIB_SUCCESS; \
	bsplib_err_t rc = check(c, pid, own, area, offset, size); \
	if (rc == BSPLIB_SUCCESS) \
		call; \
	return rc

bsplib_err_t bsplib_put(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size) {
	TRANSFER(from, to, mcbsp_put(pid, from, to, offset, size));
}

bsplib_err_t bsplib_hpput(bsplib_t bsplib, lpf_pid_t pid, const void *from, void *to, size_t offset, size_t size) {
	TRANSFER(from, to, mcbsp_hpput(pid, from, to, offset, size));
}

bsplib_err_t bsplib_get(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size) {
	TRANSFER(to, from, mcbsp_get(pid, from, offset, to, size));
}

bsplib_err_t bsplib_hpget(bsplib_t bsplib, lpf_pid_t pid, const void *from, size_t offset, void *to, size_t size) {
	TRANSFER(to, from, mcbsp_hpget(pid, from, offset, to, size));
}

size_t bsplib_set_tagsize(bsplib_t bsplib, size_t size) {
	CALL(0);
	c->tagNext = (int64_t)size;
	return (size_t)c->tagSend;
}

static bsplib_err_t send_(process *c, lpf_pid_t pid, const void *tag, const void *payload, size_t size) {
	if ((!tag && c->tagSend > 0) || (!payload && size > 0))
		return BSPLIB_ERR_NULL_POINTER;
	if (pid >= (lpf_pid_t)c->n)
		return BSPLIB_ERR_PID_OUT_OF_RANGE;
	mcbsp_send(pid, tag, payload, size);
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_send(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return send_(c, pid, tag, payload, size);
}

bsplib_err_t bsplib_hpsend(bsplib_t bsplib, lpf_pid_t pid, const void *tag, const void *payload, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	return send_(c, pid, tag, payload, size);
}

bsplib_err_t bsplib_qsize(bsplib_t bsplib, size_t *messages, size_t *bytes) {
	CALL(BSPLIB_ERR_FATAL);
	unsigned n;
	mcbsp_qsize(&n, bytes);
	if (messages)
		*messages = n;
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_get_tag(bsplib_t bsplib, size_t *status, void *tag) {
	CALL(BSPLIB_ERR_FATAL);
	size_t size;
	mcbsp_get_tag(status ? status : &size, tag);
	return BSPLIB_SUCCESS;
}

bsplib_err_t bsplib_move(bsplib_t bsplib, void *payload, size_t size) {
	CALL(BSPLIB_ERR_FATAL);
	if (c->nmessages == 0)
		return BSPLIB_ERR_EMPTY_MESSAGE_QUEUE;
	if (!payload && size > 0)
		return BSPLIB_ERR_NULL_POINTER;
	mcbsp_move(payload, size);
	return BSPLIB_SUCCESS;
}

size_t bsplib_hpmove(bsplib_t bsplib, const void **tag, const void **payload) {
	CALL((size_t)-1);
	void *t, *p;
	size_t size = mcbsp_hpmove(&t, &p);
	if (size != (size_t)-1 && tag)
		*tag = c->tagReceive > 0 ? t : 0;
	if (size != (size_t)-1 && payload)
		*payload = p;
	return size;
}
