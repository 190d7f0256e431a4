// The primitives of BSPlib, of both dialects, and with codes for results.
//
// What a process does in a superstep is written into records, whose data are copied at the call,
// and given to the engine when it synchronises or the records are full. Errors have the texts
// that programs' tests know from BSPonMPI, and end the program, or in a call of migbsp.h are its
// result (refuse).
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"

#define LARGE 4096 // bytes from which a Put is given to the engine without a copy here
#define LOWEST 4096ul        // address that memory has
#define HIGHEST ((1ul << 47) - 1)
#define PAD8(n) (((n) + 7) & ~7l)

// GCC takes the model from the definition, not from the declaration in process.h: without it
// each primitive calls __tls_get_addr.
__thread process *volatile migbsp_running __attribute__((tls_model("initial-exec")));
uint64_t migbsp_slot = SLOT_SIZE;
int migbsp_procs = 1; // those that are to be had, before bsp_begin
int migbsp_directs;
int migbsp_returns; // a program that has begun MPI itself: all ranks go on in main after bsp_end

// in is the process, in a call that is allowed within the SPMD section only.
#define IN(name) INSIDE_CALL(name, __builtin_return_address(0))
#define INSIDE_CALL(name, from) \
	process *c = migbsp_running ? migbsp_running : migbsp_now(); \
	if (__builtin_expect(!c, 0)) \
		outside(name, ""); \
	c->site = (uintptr_t)(from); \
	if (__builtin_expect(!c->begun || c->ended, 0)) \
	migbsp_fail("%s: can only be called within SPMD section", name)

// bsp_errno is for include/errno.h.
int *bsp_errno(void) { return &errno; }

// outside ends the program: a thread that the program has started has called a primitive. The first such thread says
// so.
static __attribute__((noinline, noreturn, cold)) void outside(const char *name, const char *why) {
	static int said;
	while (__atomic_exchange_n(&said, 1, __ATOMIC_SEQ_CST))
		pause();
	fprintf(stderr, "%s: %s: called by a thread that is not a process%s%.*s\n", program_invocation_short_name, name, *why ? ": " : "", (int)strcspn(why, "\n"), why);
	_Exit(1);
}

static _Noreturn void aborts(const char *format, va_list args);

// refuse says what is wrong with a call. If it is one that returns codes it has no effect, and this
// code; any other ends the program.
static __attribute__((noinline, cold, format(printf, 3, 4))) void refuse(process *c, migbsp_code code, const char *format, ...) {
	va_list args;
	va_start(args, format);
	if (!c->coded)
		aborts(format, args);
	vsnprintf(c->text, sizeof c->text, format, args);
	va_end(args);
	c->code = code;
}

// grow has room for n + 1 of something, or refuses.
static int grow(process *c, void **at, int64_t n, int64_t *room, size_t each) {
	if (n < *room)
		return 1;
	int64_t larger = *room ? 2 * *room : 16;
	void *p = *at ? migbsp_resize(c, *at, (size_t)larger * each) : migbsp_allocate(c, (size_t)larger * each);
	if (!p) {
		refuse(c, MIGBSP_NO_MEMORY, "no memory is left for registrations");
		return 0;
	}
	*at = p;
	*room = larger;
	return 1;
}

// settle tells the last record how much a burst has made it grow.
static inline void settle(process *c) {
	if (__builtin_expect(c->burst.stop > 0, 0)) {
		record *last = (record *)(c->records + c->last);
		if (last->kind == REC_SENDS)
			last->offset = c->burst.offset;
		else
			last->size = c->burst.offset - last->offset;
		c->used = (int64_t)((char *)c->burst.base - c->records) + c->burst.offset;
		c->burst.stop = 0;
	}
}

// migbsp_after ends a process other than 0 when the function returns that bsp_init has named.
_Noreturn void migbsp_after(process *c) {
	if (!c->begun)
		migbsp_fail("bsp_init: spmd function did not contain SPMD section");
	if (!c->ended && !c->multicore)
		migbsp_fail("bsp_init: spmd function did not end with call to bsp_end");
	migbsp_exit(0);
}

static void init(process *c, void (*spmd)(void)) {
	migbsp_opens(c);
	if (c->spmd || c->begun) {
		refuse(c, MIGBSP_MISPLACED, "bsp_init: May be called only once");
		return;
	}
	if (!spmd) {
		refuse(c, MIGBSP_NULL, "bsp_init: Pointer to function must not point to NULL");
		return;
	}
	c->spmd = spmd;
	if (c->pid > 0 && !migbsp_returns) {
		c->coded = 0;
		spmd();
		migbsp_after(c);
	}
}

void bsp_init(void (*spmd)(void), int argc, char **argv) {
	process *c = migbsp_now();
	(void)argc, (void)argv;
	if (!c)
		outside("bsp_init", "");
	c->site = (uintptr_t)__builtin_return_address(0);
	init(c, spmd);
}

void migbsp_enter(process *c, int64_t procs) {
	migbsp_opens(c);
	if (c->begun) {
		refuse(c, MIGBSP_MISPLACED, "bsp_begin: May be called only once");
		return;
	}
	if (procs < 1 && c->pid == 0) {
		refuse(c, MIGBSP_NO_PROCESS, "bsp_begin: The requested number of processes must be strictly greater than 0. Instead, it was %ld", (long)procs);
		return;
	}
	c->a = procs;
	migbsp_stop(c, OP_BEGIN);
	c->begun = 1;
	c->began = c->lastTime = now();
}

void bsp_begin(int procs) {
	process *c = migbsp_now();
	if (!c)
		outside("bsp_begin", "");
	c->site = (uintptr_t)__builtin_return_address(0);
	migbsp_enter(c, procs);
}

void migbsp_finish(process *c) {
	if (!c->begun)
		migbsp_fail("bsp_end: called without calling bsp_begin() before");
	if (c->ended)
		migbsp_fail("bsp_end: may not be called multiple times");
	settle(c);
	migbsp_stop(c, OP_END);
	c->ended = 1;
	c->word = 0;
	if (c->pid > 0 && !migbsp_returns)
		migbsp_exit(0);
}

void bsp_end(void) {
	process *c = migbsp_now();
	if (!c)
		outside("bsp_end", "");
	c->site = (uintptr_t)__builtin_return_address(0);
	migbsp_finish(c);
}

static _Noreturn void aborts(const char *format, va_list args) {
	process *c = migbsp_now();
	if (!c) { // a thread of the program
		fprintf(stderr, "%s: ", program_invocation_short_name);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
		_Exit(1);
	}
	vsnprintf(c->text, sizeof c->text, format, args);
	size_t n = strlen(c->text);
	while (n > 0 && c->text[n - 1] == '\n')
		n--;
	snprintf(c->text + n, sizeof c->text - n, "%s", migbsp_refused(c));
	migbsp_flush();
	for (;;)
		migbsp_stop(c, OP_ABORT);
}

_Noreturn void migbsp_fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	aborts(format, args);
}

void bsp_abort(const char *format, ...) {
	process *c = migbsp_now();
	va_list args;
	va_start(args, format);
	if (!c) {
		char text[1024];
		vsnprintf(text, sizeof text, format, args);
		outside("bsp_abort", text);
	}
	c->site = (uintptr_t)__builtin_return_address(0);
	aborts(format, args);
}

int bsp_nprocs(void) {
	process *c = migbsp_now();
	if (c && c->begun)
		return c->n;
	if (c)
		migbsp_opens(c);
	return migbsp_procs;
}

int bsp_pid(void) {
	IN("bsp_pid");
	return c->pid;
}

double bsp_time(void) {
	IN("bsp_time");
	return now() - c->began;
}

double bsp_dtime(void) {
	IN("bsp_dtime");
	double t = now(), since = t - c->lastTime;
	c->lastTime = t;
	return since;
}

// settled notes that live registrations have changed, of which there are n now.
static void settled(process *c, int64_t n) {
	c->nregs = c->hit = n; // no registration has been found yet: the newest of an address counts
	c->indexed = c->searches = 0;
}

// The index is made at the search of this number since registrations have changed: it costs as much as some
// searches without it. Programs with few registrations have none.
#define SEARCHES 8
#define LEAST_INDEX 4

// slotOf returns the first place in the index for an address.
static inline uint64_t slotOf(process *c, const void *address) {
	return (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15ul >> 32 & (uint64_t)(c->cindex - 1);
}

// index_ makes the index, if there is memory for it.
static void index_(process *c) {
	int64_t length = 16;
	while (length < 2 * c->nregs)
		length *= 2;
	if (length > c->cindex || length < c->cindex / 4) {
		int32_t *other = migbsp_allocate(c, (size_t)length * sizeof *other);
		if (!other || length > INT32_MAX)
			return;
		if (c->index)
			migbsp_release(c, c->index);
		c->index = other;
		c->cindex = length;
	}
	memset(c->index, 0, (size_t)c->cindex * sizeof *c->index);
	for (int64_t i = 0; i < c->nregs && c->regs[i].live; i++) {
		uint64_t at = slotOf(c, c->regs[i].address);
		while (c->index[at] && c->regs[c->index[at] - 1].address != c->regs[i].address)
			at = (at + 1) & (uint64_t)(c->cindex - 1);
		c->index[at] = (int32_t)(i + 1);
	}
	c->indexed = 1;
}

// indexed returns the position of the newest live registration of an address by the index, or the position of the
// last registration if there is none.
static __attribute__((noinline)) int64_t indexed(process *c, const void *address) {
	if (!c->indexed && ++c->searches >= SEARCHES)
		index_(c);
	if (!c->indexed)
		return c->nregs - 1;
	uint64_t at = slotOf(c, address);
	while (c->index[at] && c->regs[c->index[at] - 1].address != address)
		at = (at + 1) & (uint64_t)(c->cindex - 1);
	return (int64_t)c->index[at] - 1;
}

// newest returns the position of the newest live registration of an address, -1 if there is none. Unless popped, it
// leaves out registrations that have been popped in this superstep.
static inline int64_t newest(process *c, const void *address, int popped) {
	int64_t i = c->nregs > LEAST_INDEX ? indexed(c, address) : c->nregs - 1;
	while (i >= 0 && (c->regs[i].address != address || !c->regs[i].live || (c->regs[i].popped && !popped)))
		i--;
	return i;
}

int64_t migbsp_newest(process *c, const void *address, int popped) { return newest(c, address, popped); }

// undo takes back what the process has pushed, popped and set, which others have not.
static void undo(process *c) {
	int64_t k = 0;
	for (int64_t i = 0; i < c->nregs; i++) {
		c->regs[i].popped = 0;
		if (c->regs[i].live)
			k++;
		else
			migbsp_release(c, c->regs[i].sizes);
	}
	c->pushed -= c->nregs - k;
	settled(c, k);
	c->nacts = 0;
	c->tagNext = c->tagSend;
}

// looksAhead notes whether the next message is of a word, for takesWord.
static void looksAhead(process *c) {
	c->word = c->nmessages > 0 && c->tagReceive <= 8 && c->inbox->size == 8 ? c->inbox : 0;
}

// meet ends the superstep, and lets what was pushed and popped take effect.
static void meet(process *c) {
	c->syncs++;
	settle(c);
	migbsp_stop(c, OP_SYNC);
	if (__builtin_expect(c->code, 0))
		undo(c);
	if (c->nacts > 0) {
		int64_t k = 0;
		for (int64_t i = 0; i < c->nregs; i++) {
			registration *r = &c->regs[i];
			if (r->popped) {
				if (r->sizes)
					migbsp_release(c, r->sizes);
				continue;
			}
			r->live = 1;
			c->regs[k++] = *r;
		}
		settled(c, k);
		c->nacts = 0;
	}
	c->tagReceive = c->tagSend;
	c->tagSend = c->tagNext;
	c->tagSets = 0;
	int64_t bytes = 0, n = c->nmessages;
	for (const messages *m = c->inbox; n > 0; n -= m->count, m++)
		if (c->tagReceive <= 8)
			bytes += m->count * m->size;
		else
			for (int64_t i = 0; i < m->count; i++)
				bytes += *(const int64_t *)(m->at + i * m->step);
	c->bytes = bytes;
	looksAhead(c);
}

void bsp_sync(void) {
	IN("bsp_sync");
	meet(c);
}

// possible reports whether there can be memory at an address.
static inline int possible(const void *at) { return (uintptr_t)at - LOWEST < HIGHEST - LOWEST; }

// migbsp_act notes that something is pushed or popped, or refuses.
int migbsp_act(process *c, int64_t pop, int64_t id) {
	if (!grow(c, (void **)&c->acts, c->nacts, &c->cacts, sizeof *c->acts))
		return 0;
	c->acts[c->nacts++] = (action){pop, id};
	return 1;
}

static void push(process *c, const void *address, int64_t size) {
	if (size < 0) {
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_push_reg: memory size must be positive");
		return;
	}
	if (size > 0 && !possible(address)) {
		refuse(c, MIGBSP_NULL, "bsp_push_reg: address %p has no memory, and can only be registered with a size of 0 bytes, not %ld", address, (long)size);
		return;
	}
	if (size > 0 && (uint64_t)size - 1 > HIGHEST - (uintptr_t)address) {
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_push_reg: no memory has %ld bytes from address %p on", (long)size, address);
		return;
	}
	int other = migbsp_other(c, address);
	if (other >= 0) {
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_push_reg: address %p is memory of process %d: a process registers its own", address, other);
		return;
	}
	if (!grow(c, (void **)&c->regs, c->nregs, &c->cregs, sizeof *c->regs))
		return;
	int64_t *sizes = migbsp_allocate(c, sizeof *sizes * (size_t)c->n * (migbsp_directs ? 2 : 1));
	if (!sizes) {
		refuse(c, MIGBSP_NO_MEMORY, "bsp_push_reg: no memory is left");
		return;
	}
	if (!migbsp_act(c, 0, c->pushed)) {
		migbsp_release(c, sizes);
		return;
	}
	c->regs[c->nregs++] = (registration){.address = address, .size = size, .area = -1, .id = c->pushed++, .sizes = sizes};
}

static void pop(process *c, const void *address) {
	if (!address) { // which one the others say
		migbsp_act(c, 1, -1);
		return;
	}
	int64_t i = c->nregs - 1;
	while (i >= 0 && !c->regs[i].live && (c->regs[i].address != address || c->regs[i].popped))
		i--;
	if (i >= 0 && c->regs[i].live)
		i = newest(c, address, 0);
	if (i < 0)
		refuse(c, MIGBSP_NOT_REGISTERED, "bsp_pop_reg: memory at address %p was not registered", address);
	else if (migbsp_act(c, 1, c->regs[i].id))
		c->regs[i].popped = 1;
}

// copyMany copies what is more than a word. Between about 2 KiB and 1 MiB memcpy of glibc uses REP
// MOVSB. If the target lies 1 to 15 bytes after the source modulo 4096, an AMD EPYC 9004 then copies
// 2.8 GB/s, and 17 to 28 in pieces that are too short for that instruction.
static __attribute__((noinline)) void copyMany(char *to, const char *from, size_t size) {
	const size_t piece = 2048;
	size_t distance = ((uintptr_t)to - (uintptr_t)from) & 4095;
	if (distance - 1 < 15 && size < 1l << 20)
		for (; size > piece; to += piece, from += piece, size -= piece)
			memcpy(to, from, piece);
	memcpy(to, from, size);
}

static inline void copy(void *to, const void *from, int64_t size) {
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		copyMany(to, from, (size_t)size);
}

// look finds the registration that an address means on process pid, and checks that it has size
// bytes from offset on; 0 if that was refused.
static __attribute__((noinline)) registration *look(process *c, const char *name, const char *verb, uint64_t pid, const void *address, int64_t offset, int64_t size) {
	const char *end = *verb == 'W' ? "destination" : "source", *End = *verb == 'W' ? "Destination" : "Source";
	int64_t i = newest(c, address, 1);
	int fresh = 0;
	for (int64_t k = c->nregs - 1; i < 0 && k >= 0 && !c->regs[k].live; k--)
		fresh |= c->regs[k].address == address;
	registration *r = i < 0 ? 0 : &c->regs[i];
	if (pid >= (uint64_t)c->n)
		refuse(c, MIGBSP_NO_PROCESS, "%s: The %s process ID does not exist", name, end);
	else if (offset < 0)
		refuse(c, MIGBSP_OUT_OF_RANGE, "%s: The offset was negative, which is illegal", name);
	else if (size < 0)
		refuse(c, MIGBSP_OUT_OF_RANGE, "%s: The size was negative, which is illegal", name);
	else if (!r && !address)
		refuse(c, MIGBSP_NULL, "%s: %s address cannot be identified by NULL", name, End);
	else if (!r && fresh)
		refuse(c, MIGBSP_NOT_REGISTERED, "%s: Remote address was just registered with a bsp_push_reg(%p), but it hasn't become effective yet, because bsp_sync() hasn't been performed yet", name, address);
	else if (!r)
		refuse(c, MIGBSP_NOT_REGISTERED, "%s: Remote address %p was not registered", name, address);
	else if (offset > r->sizes[pid] || size > r->sizes[pid] - offset)
		refuse(c, MIGBSP_OUT_OF_RANGE, "%s: %s %ld bytes beyond registered range of %ld bytes at process %d", name, verb, (long)(offset + size - r->sizes[pid]), (long)r->sizes[pid], (int)pid);
	else {
		c->hit = i;
		return r;
	}
	return 0;
}

static inline registration *find(process *c, const char *name, const char *verb, uint64_t pid, const void *address, int64_t offset, int64_t size) {
	if (__builtin_expect(c->hit < c->nregs && pid < (uint64_t)c->n, 1)) {
		registration *r = &c->regs[c->hit];
		if (__builtin_expect(r->address == address && r->live && offset >= 0 && size >= 0 && size <= r->sizes[pid] && offset <= r->sizes[pid] - size, 1))
			return r;
	}
	return look(c, name, verb, pid, address, offset, size);
}

// room is where a record of a size can be written.
static inline char *room(process *c, int64_t size) {
	settle(c);
	if (__builtin_expect(c->limit - c->used < size, 0))
		migbsp_stop(c, OP_FLUSH);
	char *at = c->records + c->used;
	c->last = c->used;
	c->used += size;
	return at;
}

// addressed writes a record with an address.
static inline void addressed(process *c, uint32_t kind, uint64_t pid, registration *r, int64_t offset, void *at, int64_t size) {
	record *p = (record *)room(c, (int64_t)sizeof *p + 8);
	*p = (record){kind, (uint32_t)pid, (uint64_t)r->area, offset, size};
	*(void **)(p + 1) = at;
}

// bursts has the record grow by a word where the next put fits to it.
static void bursts(process *c, record *last, const void *to, uint64_t pid, int64_t size) {
	int64_t next = last->offset + last->size, fit = size - next, room = c->limit - c->used;
	c->burst = (burst){next, next + ((fit < room ? fit : room) & ~7l), to, (int64_t)pid, (char *)(last + 1) - last->offset};
}

// grows does a put of a word that is the next one of a burst.
static inline int grows(int64_t pid, const void *from, const void *to, int64_t offset, int64_t size) {
	process *c = migbsp_running;
	if (!c || size != 8 || offset != c->burst.offset || offset >= c->burst.stop || to != c->burst.to || pid != c->burst.pid)
		return 0;
	memcpy(c->burst.base + offset, from, 8);
	c->burst.offset = offset + 8;
	return 1;
}

static inline void put(process *c, const char *name, uint64_t pid, const void *from, const void *to, int64_t offset, int64_t size, int unbuffered) {
	if (size == 0)
		return;
	registration *r = find(c, name, "Writes", pid, to, offset, size);
	if (!r)
		return;
	if (__builtin_expect(size >= LARGE, 0)) {
		(void)*(const volatile char *)from; // a wrong address is found here
		(void)((const volatile char *)from)[size - 1];
		addressed(c, unbuffered ? REC_HPPUT : REC_PUT_FROM, pid, r, offset, (void *)from, size);
		if (!unbuffered)
			migbsp_stop(c, OP_FLUSH);
		return;
	}
	settle(c);
	if (c->last >= 0) {
		record *last = (record *)(c->records + c->last);
		if (last->kind == REC_PUT && last->pid == pid && last->what == (uint64_t)r->area && last->offset + last->size == offset && c->limit - c->used >= size + 8) {
			copy((char *)(last + 1) + last->size, from, size);
			last->size += size;
			c->used = c->last + (int64_t)sizeof *last + PAD8(last->size);
			if (size == 8 && !(last->size & 7))
				bursts(c, last, to, pid, r->sizes[pid]);
			return;
		}
	}
	record *p = (record *)room(c, (int64_t)sizeof *p + PAD8(size));
	*p = (record){REC_PUT, (uint32_t)pid, (uint64_t)r->area, offset, size};
	copy(p + 1, from, size);
}

static inline void get(process *c, const char *name, uint64_t pid, const void *from, int64_t offset, void *to, int64_t size, int unbuffered) {
	if (size == 0)
		return;
	registration *r = find(c, name, "Reads", pid, from, offset, size);
	if (!r)
		return;
	if (__builtin_expect(!possible(to), 0)) {
		refuse(c, MIGBSP_NULL, "%s: destination address %p has no memory", name, to);
		return;
	}
	uint32_t kind = unbuffered ? REC_HPGET : REC_GET;
	if (c->last >= 0) {
		record *last = (record *)(c->records + c->last);
		if (last->kind == kind && last->pid == pid && last->what == (uint64_t)r->area && last->offset + last->size == offset && *(char **)(last + 1) + last->size == (char *)to) {
			last->size += size;
			return;
		}
	}
	addressed(c, kind, pid, r, offset, to, size);
}

// joins sends a message of a word that follows another one to the same process. If quick, it
// leaves tags of other than 4 or 8 bytes to the caller: without a call of memcpy the compiler
// saves no registers.
static inline __attribute__((always_inline)) int joins(int64_t pid, const void *tag, const void *payload, int64_t size, int quick) {
	process *c = migbsp_running;
	if (!c || size != 8 || c->burst.to != MESSAGES || pid != c->burst.pid || c->burst.offset >= c->burst.stop)
		return 0;
	uint64_t word = 0;
	int64_t tagSize = c->tagSend;
	if (tagSize == 4)
		memcpy(&word, tag, 4);
	else if (tagSize == 8)
		memcpy(&word, tag, 8);
	else if (quick)
		return 0;
	else if (tagSize > 0)
		memcpy(&word, tag, (size_t)tagSize);
	uint64_t *at = (uint64_t *)(c->burst.base + c->burst.offset);
	at[0] = word;
	memcpy(at + 1, payload, 8);
	c->burst.offset += 16;
	return 1;
}

// words begins a record of messages of a word.
static __attribute__((noinline)) void words(process *c, uint64_t pid, const void *tag, const void *payload) {
	record *p = (record *)room(c, (int64_t)sizeof *p + 16);
	*p = (record){.kind = REC_SENDS, .pid = (uint32_t)pid, .offset = 16, .size = 8};
	char *data = (char *)(p + 1);
	c->burst = (burst){0, (16 + (c->limit - c->used)) & ~15l, MESSAGES, (int64_t)pid, data};
	joins((int64_t)pid, tag, payload, 8, 0);
}

static int64_t set_tagsize(process *c, int64_t size) {
	int64_t old = c->tagNext;
	if (size < 0) {
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_set_tagsize: Tag size may not be negative");
		return old;
	}
	c->tagNext = size;
	c->tagSets++;
	return old;
}

static inline void send_(process *c, uint64_t pid, const void *tag, const void *payload, int64_t size) {
	if (__builtin_expect(pid >= (uint64_t)c->n, 0)) {
		refuse(c, MIGBSP_NO_PROCESS, "bsp_send: The source process ID does not exist");
		return;
	}
	if (__builtin_expect(size < 0, 0)) {
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_send: Payload size may not be negative");
		return;
	}
	if (size == 8 && c->tagSend <= 8) {
		words(c, pid, tag, payload);
		return;
	}
	if (size > (int64_t)HIGHEST || c->tagSend > (int64_t)HIGHEST) {
		refuse(c, MIGBSP_NO_MEMORY, "bsp_send: no memory for a message of %ld bytes with a tag of %ld", (long)size, (long)c->tagSend);
		return;
	}
	int64_t behind = c->tagSend > 8 ? c->tagSend : 0, n = PAD8(size) + PAD8(behind);
	if (__builtin_expect(n + (int64_t)sizeof(record) > c->limit, 0)) {
		settle(c);
		if (!migbsp_long(c, n + (int64_t)sizeof(record))) {
			refuse(c, MIGBSP_NO_MEMORY, "bsp_send: no memory for a message of %ld bytes with a tag of %ld", (long)size, (long)c->tagSend);
			return;
		}
	}
	record *p = (record *)room(c, (int64_t)sizeof *p + n);
	*p = (record){REC_SEND, (uint32_t)pid, (uint64_t)(behind ? size : 0), behind ? PAD8(size) + behind : size, size};
	if (size > 0)
		copy(p + 1, payload, size);
	if (behind)
		copy((char *)(p + 1) + PAD8(size), tag, behind);
	else if (c->tagSend > 0)
		copy(&p->what, tag, c->tagSend);
}

static inline messages *head(process *c) { return c->inbox; }
static inline const char *data(messages *m) { return m->at + m->room; }

// payloadOf is that of the next message: a tag of more than a word is behind it.
static inline int64_t payloadOf(process *c, messages *m) {
	return c->tagReceive > 8 ? *(const int64_t *)m->at : m->size;
}

static inline void take(process *c) {
	messages *m = head(c);
	c->bytes -= payloadOf(c, m);
	c->nmessages--;
	if (--m->count == 0) {
		c->inbox++;
		looksAhead(c);
	} else
		m->at += m->step;
}

// takesWord moves a message of a word, unless something is unusual.
static inline int takesWord(void *payload, int64_t size) {
	process *c = migbsp_running;
	messages *m;
	if (!c || size != 8 || !payload || !(m = c->word) || m->count == 1)
		return 0;
	memcpy(payload, data(m), 8);
	c->bytes -= 8;
	c->nmessages--;
	m->count--;
	m->at += m->step;
	return 1;
}

// tagsWord copies the tag, of 4 or 8 bytes, of a message of a word, unless something is unusual.
static inline int tagsWord(const void *status, void *tag) {
	process *c = migbsp_running;
	if (!c || !c->word || !status || !tag)
		return 0;
	if (c->tagReceive == 4)
		memcpy(tag, c->word->at, 4);
	else if (c->tagReceive == 8)
		memcpy(tag, c->word->at, 8);
	else
		return 0;
	return 1;
}

static inline void *tagOf(process *c, messages *m) {
	return c->tagReceive > 8 ? (void *)(data(m) + PAD8(*(const int64_t *)m->at)) : (void *)m->at;
}

static int64_t left(process *c) { return c->nmessages; }

static inline void move(process *c, void *payload, int64_t size) {
	if (size < 0)
		refuse(c, MIGBSP_OUT_OF_RANGE, "bsp_move: size argument may not be negative");
	else if (!payload && size)
		refuse(c, MIGBSP_NULL, "bsp_move: payload may not be NULL if reception_nbytes is non-zero");
	else if (!left(c))
		refuse(c, MIGBSP_NO_MESSAGE, "bsp_move: Message queue was empty");
	if (c->code)
		return;
	messages *m = head(c);
	int64_t n = payloadOf(c, m);
	if (n > size)
		n = size;
	if (n > 0)
		copy(payload, data(m), n);
	take(c);
}

static int64_t hpmove(process *c, void **tag, void **payload) {
	if (!tag || !payload)
		migbsp_fail("bsp_hpmove: pointer arugments may not be NULL");
	if (!left(c))
		return -1;
	messages *m = head(c);
	int64_t n = payloadOf(c, m);
	*tag = tagOf(c, m);
	*payload = (void *)data(m);
	take(c);
	return n;
}

// The dialect of 1998.

void bsp_push_reg(const void *address, int size) {
	IN("bsp_push_reg");
	push(c, address, size);
}

void bsp_pop_reg(const void *address) {
	IN("bsp_pop_reg");
	pop(c, address);
}

static __attribute__((noinline)) void putFrom(int64_t pid, const void *from, void *to, int64_t offset, int64_t size, void *site) {
	INSIDE_CALL("bsp_put", site);
	put(c, "bsp_put", (uint64_t)pid, from, to, offset, size, 0);
}

__attribute__((aligned(64))) void bsp_put(int pid, const void *from, void *to, int offset, int size) {
	if (!grows(pid, from, to, offset, size))
		putFrom(pid, from, to, offset, size, __builtin_return_address(0));
}

void bsp_hpput(int pid, const void *from, void *to, int offset, int size) {
	IN("bsp_hpput");
	put(c, "bsp_hpput", (uint64_t)(int64_t)pid, from, to, offset, size, 1);
}

void bsp_get(int pid, const void *from, int offset, void *to, int size) {
	IN("bsp_get");
	get(c, "bsp_get", (uint64_t)(int64_t)pid, from, offset, to, size, 0);
}

void bsp_hpget(int pid, const void *from, int offset, void *to, int size) {
	IN("bsp_hpget");
	get(c, "bsp_hpget", (uint64_t)(int64_t)pid, from, offset, to, size, 1);
}

void bsp_set_tagsize(int *size) {
	IN("bsp_set_tagsize");
	if (!size)
		migbsp_fail("bsp_set_tagsize: NULL ptr as argument is now allowed");
	*size = (int)set_tagsize(c, *size);
}

static __attribute__((noinline)) void sendFrom(int64_t pid, const void *tag, const void *payload, int64_t size, void *site) {
	if (joins(pid, tag, payload, size, 0))
		return;
	INSIDE_CALL("bsp_send", site);
	send_(c, (uint64_t)pid, tag, payload, size);
}

void bsp_send(int pid, const void *tag, const void *payload, int size) {
	if (!joins(pid, tag, payload, size, 1))
		sendFrom(pid, tag, payload, size, __builtin_return_address(0));
}

void bsp_qsize(int *messages, int *bytes) {
	IN("bsp_qsize");
	if (!messages || !bytes)
		migbsp_fail("bsp_qsize: both arguments may not be NULL");
	*messages = (int)left(c);
	*bytes = c->bytes > INT_MAX ? INT_MAX : (int)c->bytes;
}

static __attribute__((noinline)) void tagFrom(int *status, void *tag, void *site) {
	INSIDE_CALL("bsp_get_tag", site);
	if (!status)
		migbsp_fail("bsp_get_tag: first arguments may not be NULL");
	if (!tag && c->tagReceive > 0)
		migbsp_fail("bsp_get_tag: tag must point to a block of available memory of at least %ld bytes long", (long)c->tagReceive);
	if (!left(c)) {
		*status = -1;
		return;
	}
	*status = (int)payloadOf(c, head(c));
	if (c->tagReceive > 0)
		copy(tag, tagOf(c, head(c)), c->tagReceive);
}

void bsp_get_tag(int *status, void *tag) {
	if (tagsWord(status, tag))
		*status = 8;
	else
		tagFrom(status, tag, __builtin_return_address(0));
}

static __attribute__((noinline)) void moveFrom(void *payload, int64_t size, void *site) {
	INSIDE_CALL("bsp_move", site);
	move(c, payload, size);
}

void bsp_move(void *payload, int size) {
	if (!takesWord(payload, size))
		moveFrom(payload, size, __builtin_return_address(0));
}

int bsp_hpmove(void **tag, void **payload) {
	IN("bsp_hpmove");
	return (int)hpmove(c, tag, payload);
}

// The dialect of MulticoreBSP.

void mcbsp_init(void (*spmd)(void), int argc, char **argv) {
	process *c = migbsp_now();
	if (c)
		c->site = (uintptr_t)__builtin_return_address(0);
	bsp_init(spmd, argc, argv);
}

void mcbsp_begin(unsigned procs) {
	process *c = migbsp_now();
	if (!c)
		outside("bsp_begin", "");
	c->site = (uintptr_t)__builtin_return_address(0);
	c->multicore = 1;
	migbsp_opens(c);
	migbsp_enter(c, procs == 0 && c->pid == 0 ? migbsp_procs : (int64_t)procs);
}

void mcbsp_end(void) {
	process *c = migbsp_now();
	if (!c)
		outside("bsp_end", "");
	c->site = (uintptr_t)__builtin_return_address(0);
	migbsp_finish(c);
}

void mcbsp_abort(const char *format, ...) __attribute__((alias("bsp_abort")));

unsigned mcbsp_nprocs(void) { return (unsigned)bsp_nprocs(); }

unsigned mcbsp_pid(void) {
	IN("bsp_pid");
	return (unsigned)c->pid;
}

double mcbsp_time(void) {
	IN("bsp_time");
	return now() - c->began;
}

void mcbsp_sync(void) {
	IN("bsp_sync");
	meet(c);
}

void mcbsp_push_reg(void *address, size_t size) {
	IN("bsp_push_reg");
	push(c, address, (int64_t)size);
}

void mcbsp_pop_reg(void *address) {
	IN("bsp_pop_reg");
	pop(c, address);
}

void mcbsp_put(unsigned pid, const void *from, void *to, size_t offset, size_t size) {
	if (!grows(pid, from, to, (int64_t)offset, (int64_t)size))
		putFrom(pid, from, to, (int64_t)offset, (int64_t)size, __builtin_return_address(0));
}

void mcbsp_hpput(unsigned pid, const void *from, void *to, size_t offset, size_t size) {
	IN("bsp_hpput");
	put(c, "bsp_hpput", pid, from, to, (int64_t)offset, (int64_t)size, 1);
}

void mcbsp_get(unsigned pid, const void *from, size_t offset, void *to, size_t size) {
	IN("bsp_get");
	get(c, "bsp_get", pid, from, (int64_t)offset, to, (int64_t)size, 0);
}

void mcbsp_hpget(unsigned pid, const void *from, size_t offset, void *to, size_t size) {
	IN("bsp_hpget");
	get(c, "bsp_hpget", pid, from, (int64_t)offset, to, (int64_t)size, 1);
}

void mcbsp_direct_get(unsigned pid, const void *from, size_t offset, void *to, size_t size) {
	IN("bsp_direct_get");
	if (size == 0)
		return;
	registration *r = find(c, "bsp_direct_get", "Reads", pid, from, (int64_t)offset, (int64_t)size);
	if (!possible(to))
		migbsp_fail("bsp_direct_get: destination address %p has no memory", to);
	addressed(c, REC_GET_NOW, pid, r, (int64_t)offset, to, (int64_t)size);
	c->a = migbsp_directs ? r->sizes[c->n + (int64_t)pid] + (int64_t)offset : 0;
	migbsp_stop(c, OP_FLUSH);
}

void mcbsp_set_tagsize(size_t *size) {
	IN("bsp_set_tagsize");
	if (!size)
		migbsp_fail("bsp_set_tagsize: NULL ptr as argument is now allowed");
	*size = (size_t)set_tagsize(c, (int64_t)*size);
}

void mcbsp_send(unsigned pid, const void *tag, const void *payload, size_t size) {
	if (!joins(pid, tag, payload, (int64_t)size, 1))
		sendFrom(pid, tag, payload, (int64_t)size, __builtin_return_address(0));
}

void mcbsp_hpsend(unsigned pid, const void *tag, const void *payload, size_t size) {
	IN("bsp_hpsend");
	send_(c, pid, tag, payload, (int64_t)size);
}

void mcbsp_qsize(unsigned *messages, size_t *bytes) {
	IN("bsp_qsize");
	if (!messages)
		migbsp_fail("bsp_qsize: the first argument may not be NULL");
	*messages = (unsigned)left(c);
	if (bytes)
		*bytes = (size_t)c->bytes;
}

static __attribute__((noinline)) void mcTagFrom(size_t *status, void *tag, void *site) {
	INSIDE_CALL("bsp_get_tag", site);
	if (!status)
		migbsp_fail("bsp_get_tag: first arguments may not be NULL");
	if (!left(c)) {
		*status = (size_t)-1;
		return;
	}
	*status = (size_t)payloadOf(c, head(c));
	if (tag && c->tagReceive > 0)
		copy(tag, tagOf(c, head(c)), c->tagReceive);
}

void mcbsp_get_tag(size_t *status, void *tag) {
	if (tagsWord(status, tag))
		*status = 8;
	else
		mcTagFrom(status, tag, __builtin_return_address(0));
}

void mcbsp_move(void *payload, size_t size) {
	int64_t most = size > INT64_MAX ? INT64_MAX : (int64_t)size;
	if (!takesWord(payload, most))
		moveFrom(payload, most, __builtin_return_address(0));
}

size_t mcbsp_hpmove(void **tag, void **payload) {
	IN("bsp_hpmove");
	return (size_t)hpmove(c, tag, payload);
}

// With codes: migbsp.h.

// A call between CODED and result returns a code. It is refused outside of the section.
#define CODED(name) \
	process *c = migbsp_now(); \
	if (__builtin_expect(!c, 0)) \
		return MIGBSP_MISPLACED; \
	c->site = (uintptr_t)__builtin_return_address(0); \
	c->coded = 1; \
	if (__builtin_expect(!c->begun || c->ended, 0)) { \
		refuse(c, MIGBSP_MISPLACED, "%s: can only be called within SPMD section", name); \
		return result(c); \
	}

static inline migbsp_code result(process *c) {
	migbsp_code code = (migbsp_code)c->code;
	c->coded = c->code = 0;
	return code;
}

#define RESULT(call) \
	call; \
	return result(c)

static migbsp_code null(process *c, const char *name) {
	RESULT(refuse(c, MIGBSP_NULL, "%s: an address is NULL", name));
}

const char *migbsp_why(void) {
	process *c = migbsp_now();
	return c ? c->text : "called by a thread that is not a process";
}

migbsp_code migbsp_init(void (*spmd)(void), int argc, char **argv) {
	process *c = migbsp_now();
	(void)argc, (void)argv;
	if (!c)
		return MIGBSP_MISPLACED;
	c->site = (uintptr_t)__builtin_return_address(0);
	c->coded = 1;
	RESULT(init(c, spmd));
}

migbsp_code migbsp_begin(int procs) {
	process *c = migbsp_now();
	if (!c)
		return MIGBSP_MISPLACED;
	c->site = (uintptr_t)__builtin_return_address(0);
	c->coded = 1;
	RESULT(migbsp_enter(c, procs));
}

// migbsp_meet ends a superstep, and says what does not fit. After others have left there is none to end.
migbsp_code migbsp_meet(process *c) {
	c->coded = 1;
	if (!c->left) {
		meet(c);
		c->left = c->code == MIGBSP_LEFT;
	} else
		refuse(c, MIGBSP_LEFT, "bsp_sync: Some processes have left");
	return result(c);
}

// migbsp_leave has the others, if they go on, know that the process does not.
migbsp_code migbsp_leave(process *c) {
	c->leaves = 1;
	migbsp_code code = migbsp_meet(c);
	c->leaves = 0;
	return code;
}

migbsp_code migbsp_end(void) {
	CODED("bsp_end");
	migbsp_code code = migbsp_leave(c);
	migbsp_finish(c);
	return code;
}

int migbsp_nprocs(void) { return bsp_nprocs(); }

int migbsp_pid(void) {
	process *c = migbsp_now();
	return c && c->begun && !c->ended ? c->pid : -1;
}

double migbsp_time(void) {
	process *c = migbsp_now();
	return c && c->begun && !c->ended ? now() - c->began : -1;
}

migbsp_code migbsp_sync(void) {
	CODED("bsp_sync");
	return migbsp_meet(c);
}

migbsp_code migbsp_push_reg(const void *area, size_t size) {
	CODED("bsp_push_reg");
	if (!area && size > 0)
		return null(c, "bsp_push_reg");
	RESULT(push(c, area, (int64_t)size));
}

migbsp_code migbsp_pop_reg(const void *area) {
	CODED("bsp_pop_reg");
	RESULT(pop(c, area));
}

migbsp_code migbsp_put(int pid, const void *from, void *to, size_t offset, size_t size) {
	if (from && grows(pid, from, to, (int64_t)offset, (int64_t)size))
		return MIGBSP_SUCCESS;
	CODED("bsp_put");
	if (size > 0 && (!from || !to))
		return null(c, "bsp_put");
	RESULT(put(c, "bsp_put", (uint64_t)(int64_t)pid, from, to, (int64_t)offset, (int64_t)size, 0));
}

migbsp_code migbsp_hpput(int pid, const void *from, void *to, size_t offset, size_t size) {
	CODED("bsp_hpput");
	if (size > 0 && (!from || !to))
		return null(c, "bsp_hpput");
	RESULT(put(c, "bsp_hpput", (uint64_t)(int64_t)pid, from, to, (int64_t)offset, (int64_t)size, 1));
}

migbsp_code migbsp_get(int pid, const void *from, size_t offset, void *to, size_t size) {
	CODED("bsp_get");
	if (size > 0 && (!from || !to))
		return null(c, "bsp_get");
	RESULT(get(c, "bsp_get", (uint64_t)(int64_t)pid, from, (int64_t)offset, to, (int64_t)size, 0));
}

migbsp_code migbsp_hpget(int pid, const void *from, size_t offset, void *to, size_t size) {
	CODED("bsp_hpget");
	if (size > 0 && (!from || !to))
		return null(c, "bsp_hpget");
	RESULT(get(c, "bsp_hpget", (uint64_t)(int64_t)pid, from, (int64_t)offset, to, (int64_t)size, 1));
}

migbsp_code migbsp_set_tagsize(size_t *size) {
	CODED("bsp_set_tagsize");
	if (!size)
		return null(c, "bsp_set_tagsize");
	RESULT(*size = (size_t)set_tagsize(c, (int64_t)*size));
}

migbsp_code migbsp_send(int pid, const void *tag, const void *payload, size_t size) {
	if (payload && tag && joins(pid, tag, payload, (int64_t)size, 0))
		return MIGBSP_SUCCESS;
	CODED("bsp_send");
	if (payload && c->tagSend == 0 && joins(pid, tag, payload, (int64_t)size, 0))
		return result(c);
	if ((!tag && c->tagSend > 0) || (!payload && size > 0))
		return null(c, "bsp_send");
	RESULT(send_(c, (uint64_t)(int64_t)pid, tag, payload, (int64_t)size));
}

migbsp_code migbsp_qsize(size_t *messages, size_t *bytes) {
	CODED("bsp_qsize");
	if (messages)
		*messages = (size_t)left(c);
	if (bytes)
		*bytes = (size_t)c->bytes;
	return result(c);
}

migbsp_code migbsp_get_tag(size_t *size, void *tag) {
	CODED("bsp_get_tag");
	if (!left(c)) {
		RESULT(refuse(c, MIGBSP_NO_MESSAGE, "bsp_get_tag: Message queue was empty"));
	}
	if (size)
		*size = (size_t)payloadOf(c, head(c));
	if (tag && c->tagReceive > 0)
		copy(tag, tagOf(c, head(c)), c->tagReceive);
	return result(c);
}

migbsp_code migbsp_move(void *payload, size_t size) {
	CODED("bsp_move");
	RESULT(move(c, payload, size > INT64_MAX ? INT64_MAX : (int64_t)size));
}

migbsp_code migbsp_hpmove(void **tag, void **payload, size_t *size) {
	CODED("bsp_hpmove");
	void *at[2];
	int64_t n = hpmove(c, &at[0], &at[1]);
	if (n < 0) {
		RESULT(refuse(c, MIGBSP_NO_MESSAGE, "bsp_hpmove: Message queue was empty"));
	}
	if (tag)
		*tag = at[0];
	if (payload)
		*payload = at[1];
	if (size)
		*size = (size_t)n;
	return result(c);
}
