//go:build !staticrank

// Memory that a process has from mmap and sbrk. A private mapping without a file lies in the heap, and the break in
// front of the heap's end, so that both move. Other mappings keep the process where it is.
//
// Parts of the memory of a process may have another access than reading and writing. They lose it where the process
// departs, and get it when the process runs again.
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"

// Kinds of ranges: blocks of the heap, mappings outside of the slot, mappings of something else within it, and parts
// with another access.
enum { BLOCK, OUTSIDE, WITHIN, ACCESS };

typedef struct {
	int kind, access;
	char *from, *to;
	char *block; // a BLOCK's memory in the heap
} range;

struct mappings {
	range *all;
	int64_t n, room;
	int lock;
	int lost; // access, since the process has departed
};

static char *upTo(char *p, size_t n) { return (char *)(((uintptr_t)p + n + migbsp_page - 1) & -migbsp_page); }

static struct mappings *its(process *c) {
	if (!c->mappings && !(c->mappings = migbsp_zeroed(c, sizeof *c->mappings)))
		migbsp_fail("no memory is left");
	return c->mappings;
}

static void add(process *c, range r) {
	struct mappings *m = its(c);
	if (m->n == m->room) {
		m->room = m->room ? 2 * m->room : 16;
		m->all = m->all ? migbsp_resize(c, m->all, sizeof r * (size_t)m->room) : migbsp_allocate(c, sizeof r * (size_t)m->room);
		if (!m->all)
			migbsp_fail("mmap: no memory is left");
	}
	m->all[m->n++] = r;
}

// removes takes a part out of the ranges of a kind, and reports whether there was any.
static int removes(process *c, int kind, char *from, char *to) {
	struct mappings *m = its(c);
	int any = 0;
	for (int64_t i = m->n - 1; i >= 0; i--) {
		range r = m->all[i];
		if (r.kind != kind || r.from >= to || r.to <= from)
			continue;
		any = 1;
		m->all[i] = m->all[--m->n];
		if (r.from < from)
			add(c, (range){kind, r.access, r.from, from, r.block});
		if (r.to > to)
			add(c, (range){kind, r.access, to, r.to, r.block});
	}
	return any;
}

// settles has the process stay while it has mappings that do not move.
static void settles(process *c, const char *name, void *caller) {
	int stays = 0;
	for (int64_t i = 0; i < c->mappings->n; i++)
		stays |= c->mappings->all[i].kind == OUTSIDE || c->mappings->all[i].kind == WITHIN;
	if (stays && !migbsp_has(c, HELD_MAPPING, 0))
		migbsp_holds(c, HELD_MAPPING, 0, name, caller);
	if (!stays)
		migbsp_drops(c, HELD_MAPPING, 0);
}

enum { USUAL = PROT_READ | PROT_WRITE };

static void accessIs(process *c, char *from, char *to, int access) {
	removes(c, ACCESS, from, to);
	if (access != USUAL) {
		add(c, (range){ACCESS, access, from, to, 0});
		c->watched |= WATCHED_ACCESS;
	}
}

// migbsp_access gives the parts of a process's memory their own access, or that of all others.
void migbsp_access(process *c, int own) {
	struct mappings *m = c->mappings;
	if (!m || (own && !m->lost))
		return;
	m->lost = !own;
	for (int64_t i = 0; i < m->n; i++)
		if (m->all[i].kind == ACCESS)
			mprotect(m->all[i].from, (size_t)(m->all[i].to - m->all[i].from), own ? m->all[i].access : USUAL);
}

#define CALLER __builtin_return_address(0)

enum { OF_BLOCK = MAP_PRIVATE | MAP_ANONYMOUS };
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

// within reports whether memory is the process's.
static int within(process *c, const char *p) { return p >= SLOT(c->pid) && p < SLOT(c->pid) + migbsp_slot; }

static char *block(process *c, size_t n, int access) {
	int64_t before = c->refused;
	char *p = migbsp_pages(c, n);
	if (!p) {
		c->refused = before;
		return 0;
	}
	add(c, (range){BLOCK, 0, p, p + n, p});
	if (access != USUAL && !mprotect(p, n, access))
		accessIs(c, p, p + n, access);
	return p;
}

static void *maps(process *c, char *p, size_t n, int access, int flags, int fd, off_t offset, void *caller) {
	size_t whole = (size_t)(upTo(0, n) - (char *)0);
	int fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE), private = (flags & (OF_BLOCK | MAP_SHARED | MAP_HUGETLB | MAP_GROWSDOWN)) == OF_BLOCK;
	if (private && whole && !fixed && !(flags & MAP_32BIT)) {
		char *q = block(c, whole, access);
		if (q)
			return q;
	}
	if (fixed && IN_SLOTS(p) && (!within(c, p) || !within(c, p + whole - 1)))
		migbsp_refuses(caller, "mmap: the memory at %p is not the process's", (void *)p);
	char *q = mmap(p, n, access, flags, fd, offset);
	if (q == MAP_FAILED)
		return q;
	if (!within(c, q)) {
		removes(c, OUTSIDE, q, q + whole);
		add(c, (range){OUTSIDE, 0, q, q + whole, 0});
	} else {
		removes(c, WITHIN, q, q + whole);
		accessIs(c, q, q + whole, private ? access : USUAL);
		if (!private)
			add(c, (range){WITHIN, 0, q, q + whole, 0});
	}
	settles(c, "mmap", caller);
	return q;
}

static void *own_mmap(void *p, size_t n, int access, int flags, int fd, off_t offset) {
	process *c = migbsp_who(CALLER);
	if (!c)
		return mmap(p, n, access, flags, fd, offset);
	migbsp_locks(&its(c)->lock);
	void *q = maps(c, p, n, access, flags, fd, offset, CALLER);
	migbsp_unlocks(&its(c)->lock);
	return q;
}

// unmaps frees the parts of blocks between two addresses.
static void unmaps(process *c, char *from, char *to) {
	struct mappings *m = its(c);
	if (removes(c, WITHIN, from, to) | removes(c, ACCESS, from, to))
		mmap(from, (size_t)(to - from), USUAL, OF_BLOCK | MAP_FIXED | MAP_NORESERVE, -1, 0);
	for (int64_t i = m->n - 1; i >= 0; i--) {
		range r = m->all[i];
		if (r.kind != BLOCK || r.from >= to || r.to <= from)
			continue;
		char *low = r.from > from ? r.from : from, *high = r.to < to ? r.to : to;
		m->all[i] = m->all[--m->n];
		migbsp_cut(c, r.from, low, high);
		if (r.from < low)
			add(c, (range){BLOCK, 0, r.from, low, r.from});
		if (r.to > high)
			add(c, (range){BLOCK, 0, high, r.to, high});
	}
}

static int own_munmap(void *p, size_t n) {
	process *c = migbsp_who(CALLER);
	char *from = p, *to = upTo(from, n);
	if (!c || (uintptr_t)p % migbsp_page || n == 0 || (!within(c, from) && IN_SLOTS(from)))
		return munmap(p, n);
	int wrong = 0;
	migbsp_locks(&its(c)->lock);
	if (within(c, from))
		unmaps(c, from, to);
	else if (!(wrong = munmap(p, n)))
		removes(c, OUTSIDE, from, to);
	settles(c, "munmap", CALLER);
	migbsp_unlocks(&its(c)->lock);
	return wrong;
}

static int own_mprotect(void *p, size_t n, int access) {
	process *c = migbsp_who(CALLER);
	int wrong = mprotect(p, n, access);
	if (wrong || !c || !within(c, p))
		return wrong;
	migbsp_locks(&its(c)->lock);
	accessIs(c, p, upTo(p, n), access);
	migbsp_unlocks(&its(c)->lock);
	return 0;
}

static void *remaps(process *c, char *p, size_t old, size_t n, int flags, char *to, void *caller) {
	if (!within(c, p)) {
		char *q = mremap(p, old, n, flags, to);
		if (q != MAP_FAILED) {
			if (!(flags & MREMAP_DONTUNMAP))
				removes(c, OUTSIDE, p, upTo(p, old));
			removes(c, OUTSIDE, q, upTo(q, n));
			add(c, (range){OUTSIDE, 0, q, upTo(q, n), 0});
			settles(c, "mremap", caller);
		}
		return q;
	}
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		migbsp_refuses(caller, "mremap: MREMAP_FIXED and MREMAP_DONTUNMAP are for mappings of files: use memcpy");
	if (upTo(p, n) <= upTo(p, old)) {
		if (upTo(p, n) < upTo(p, old))
			unmaps(c, upTo(p, n), upTo(p, old));
		return p;
	}
	char *q = flags & MREMAP_MAYMOVE ? block(c, (size_t)(upTo(0, n) - (char *)0), USUAL) : 0;
	if (!q) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	memcpy(q, p, old);
	unmaps(c, p, upTo(p, old));
	return q;
}

static void *own_mremap(void *p, size_t old, size_t n, int flags, ...) {
	process *c = migbsp_who(CALLER);
	va_list args;
	va_start(args, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : 0;
	va_end(args);
	if (!c)
		return mremap(p, old, n, flags, to);
	migbsp_locks(&its(c)->lock);
	void *q = remaps(c, p, old, n, flags, to, CALLER);
	migbsp_unlocks(&its(c)->lock);
	return q;
}

// The break begins in the middle of the free part of the heap, which is the end of the heap from then on.
static int own_brk(void *to) {
	process *c = migbsp_who(CALLER);
	if (!c)
		return brk(to);
	if (!c->breakFrom) {
		uintptr_t top = (uintptr_t)c->top, end = (uintptr_t)c + migbsp_heap;
		c->breakFrom = c->breakAt = upTo((char *)(top + (end - top) / 2), 0);
	}
	if ((char *)to < c->breakFrom || (char *)to > (char *)c + migbsp_heap) {
		errno = ENOMEM;
		return -1;
	}
	if ((char *)to < c->breakAt)
		memset(to, 0, (size_t)(c->breakAt - (char *)to));
	c->breakAt = to;
	return 0;
}

static void *own_sbrk(intptr_t n) {
	process *c = migbsp_who(CALLER);
	if (!c)
		return sbrk(n);
	if (!c->breakFrom)
		own_brk(0);
	char *before = c->breakAt;
	return n == 0 || own_brk(before + n) == 0 ? before : (void *)-1;
}

#define NAME(name) {#name, own_##name}

const migbsp_function migbsp_mapping_names[] = {
	NAME(mmap), {"mmap64", own_mmap}, {"__mmap", own_mmap}, NAME(munmap), {"__munmap", own_munmap}, NAME(mprotect), {"__mprotect", own_mprotect}, NAME(mremap),
	NAME(brk), {"__brk", own_brk}, NAME(sbrk), {"__sbrk", own_sbrk}, {0, 0},
};
