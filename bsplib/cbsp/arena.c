//go:build !staticrank

// The heap of a process: chunks with their sizes in front, free ones in bins by size.
//
// A chunk tells its own size and that of the chunk before it, so that neighbours that are free
// become one. The used heap ends at top; memory beyond top does not move. Memory above both top
// and clean is zero: pages that were written there have been given back.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "inside.h"

struct chunk {
	size_t size, before; // with IN_USE in size; of the chunk before, 0 for the first
	chunk *next, *prior; // in its bin, if it is free
};

#define IN_USE 1ul
#define HEAD 16
#define SMALLEST 32
#define GIVE_BACK (128ul << 10) // a free chunk of this size gives its pages back
#define SIZE(k) ((k)->size & ~IN_USE)

static chunk *after(chunk *k) { return (chunk *)((char *)k + SIZE(k)); }
static chunk *before(chunk *k) { return (chunk *)((char *)k - k->before); }
static chunk *of(void *p) { return (chunk *)((char *)p - HEAD); }

// bin is the one for chunks of a size: one for each size up to 1 KiB, then
// three for each power of two.
static int bin(size_t size) {
	if (size < 1024)
		return (int)(size / 16) - 2;
	int log = 63 - __builtin_clzl(size);
	int b = 62 + (log - 10) * 3 + (int)(size >> (log - 2) & 3) * 3 / 4;
	return b < BINS ? b : BINS - 1;
}

static void put(process *c, chunk *k) {
	int b = bin(SIZE(k));
	k->size = SIZE(k);
	k->prior = 0;
	if ((k->next = c->bins[b]))
		k->next->prior = k;
	c->bins[b] = k;
	c->full[b / 64] |= 1ul << b % 64;
}

static void take(process *c, chunk *k) {
	int b = bin(SIZE(k));
	if (k->next)
		k->next->prior = k->prior;
	if (k->prior)
		k->prior->next = k->next;
	else if (!(c->bins[b] = k->next))
		c->full[b / 64] &= ~(1ul << b % 64);
}

// sizeTold has the chunk behind k, or the end of the heap, know k's size.
static void sizeTold(process *c, chunk *k) {
	if ((char *)after(k) == c->top)
		c->lastSize = (int64_t)SIZE(k);
	else
		after(k)->before = SIZE(k);
}

static void release(process *c, void *p);

// split leaves k a size and makes the rest free.
static void split(process *c, chunk *k, size_t size) {
	size_t rest = SIZE(k) - size;
	if (rest < SMALLEST)
		return;
	k->size = size | IN_USE;
	chunk *r = after(k);
	r->size = rest | IN_USE;
	r->before = size;
	sizeTold(c, r);
	release(c, (char *)r + HEAD);
}

void migbsp_arena(process *c, char *from) {
	c->top = c->clean = from;
	c->lastSize = 0;
}

// LOCKED defines a function that calls one of this file. The heap of a process without threads needs no lock.
#define LOCKED(type, name, parameters, call, arguments) \
	static __attribute__((noinline, cold)) type name##_locked parameters { \
		migbsp_locks(&c->lock); \
		type result = call; \
		migbsp_unlocks(&c->lock); \
		return result; \
	} \
	type name parameters { return __builtin_expect(c->threads, 0) ? name##_locked arguments : call; }

// limit is the end that the heap has at most.
static inline char *limit(process *c) { return c->breakFrom ? c->breakFrom : (char *)c + migbsp_heap; }

static size_t sizeFor(size_t n) {
	if (n > migbsp_heap)
		return 0;
	size_t size = (n + HEAD + 15) & ~15ul;
	return size < SMALLEST ? SMALLEST : size;
}

// fitting is a free chunk of at least a size, or null.
static chunk *fitting(process *c, size_t size) {
	int b = bin(size);
	int tries = 0;
	for (chunk *k = c->bins[b]; k && tries < 32; k = k->next, tries++)
		if (SIZE(k) >= size)
			return k;
	for (b++; b < BINS; b++) { // whose chunks are all larger
		uint64_t w = c->full[b / 64] >> b % 64;
		if (w)
			return c->bins[b + __builtin_ctzl(w)];
		b |= 63;
	}
	return 0;
}

// refuse notes what is not there.
static void *refuse(process *c, size_t n) {
	c->refused = n > INT64_MAX ? INT64_MAX : (int64_t)n;
	errno = ENOMEM;
	return 0;
}

static void *allocate(process *c, size_t n, int zero) {
	size_t size = sizeFor(n);
	chunk *k = size ? fitting(c, size) : 0;
	if (k) {
		take(c, k);
		k->size |= IN_USE;
		split(c, k, size);
	} else {
		if (!size || size > (size_t)(limit(c) - c->top))
			return refuse(c, n);
		k = (chunk *)c->top;
		zero &= c->top < c->clean;
		k->size = size | IN_USE;
		k->before = (size_t)c->lastSize;
		c->top += size;
		c->lastSize = (int64_t)size;
	}
	if (zero)
		memset((char *)k + HEAD, 0, n);
	return (char *)k + HEAD;
}

LOCKED(void *, migbsp_allocate, (process * c, size_t n), allocate(c, n, 0), (c, n))
LOCKED(void *, migbsp_zeroed, (process * c, size_t n), allocate(c, n, 1), (c, n))

// migbsp_refused says what the process has asked for and did not get, which may be why it fails.
const char *migbsp_refused(process *c) {
	static __thread char text[160];
	uint64_t asked = (uint64_t)c->refused, unit = asked >> 20 ? 1 << 20 : 1;
	snprintf(text, sizeof text, ": %lu %s that were asked for are not there, for a process has a heap of %lu MiB (-heap)", (asked + unit - 1) / unit, unit == 1 ? "bytes" : "MiB", migbsp_heap >> 20);
	return c->refused ? text : "";
}

static void *aligned(process *c, size_t align, size_t n) {
	if (align <= 16)
		return allocate(c, n, 0);
	if (n > migbsp_heap || align > migbsp_heap)
		return refuse(c, n);
	char *p = allocate(c, n + align + SMALLEST, 0);
	if (!p)
		return 0;
	char *q = (char *)(((uintptr_t)p + align - 1) & -align);
	chunk *k = of(p);
	if (q != p) {
		if (q - p < SMALLEST)
			q += align;
		size_t size = SIZE(k), front = (size_t)(q - p);
		k->size = front | IN_USE;
		chunk *r = of(q);
		r->size = (size - front) | IN_USE;
		r->before = front;
		sizeTold(c, r);
		release(c, p);
		k = r;
	}
	split(c, k, sizeFor(n));
	return q;
}

// migbsp_aligned is memory at a multiple of align, a power of two.
LOCKED(void *, migbsp_aligned, (process * c, size_t align, size_t n), aligned(c, align, n), (c, align, n))

static void *pages(process *c, size_t n) {
	char *written = c->top > c->clean ? c->top : c->clean, *p = aligned(c, migbsp_page, n);
	if (p && p < written)
		memset(p, 0, n < (size_t)(written - p) ? n : (size_t)(written - p));
	return p;
}

// migbsp_pages returns zeroed memory of whole pages.
LOCKED(void *, migbsp_pages, (process * c, size_t n), pages(c, n), (c, n))

// migbsp_cut frees the pages between from and to of the memory at p. The rest stays at its addresses.
void migbsp_cut(process *c, void *p, char *from, char *to) {
	int shared = c->threads > 0;
	if (shared)
		migbsp_locks(&c->lock);
	chunk *k = of(p);
	char *end = (char *)after(k);
	if (to + migbsp_page <= end) { // the head of the rest above lies in the last page that is freed
		chunk *r = of(to);
		r->size = (size_t)(end - (char *)r) | IN_USE;
		r->before = (size_t)((char *)r - (char *)k);
		k->size = r->before | IN_USE;
		sizeTold(c, r);
	}
	if (from > (char *)p)
		split(c, k, (size_t)(from - (char *)k));
	else
		release(c, p);
	if (shared)
		migbsp_unlocks(&c->lock);
}

// migbsp_usable is how much of the memory at p can be used.
size_t migbsp_usable(void *p) { return SIZE(of(p)) - HEAD; }

// giveBack has the kernel take whole pages between two addresses, which are zero then.
static void giveBack(char *from, char *to) {
	char *low = (char *)(((uintptr_t)from + migbsp_page - 1) & -migbsp_page), *high = (char *)((uintptr_t)to & -migbsp_page);
	if (low < high)
		madvise(low, (size_t)(high - low), MADV_DONTNEED);
}

static void release(process *c, void *p) {
	chunk *k = of(p);
	if (!(k->size & IN_USE))
		migbsp_fail("free: the memory at %p is free already, or its head was overwritten", p);
	size_t freed = SIZE(k);
	char *from = (char *)k;
	k->size = SIZE(k);
	if (k->before && !(before(k)->size & IN_USE)) {
		chunk *b = before(k);
		take(c, b);
		b->size = SIZE(b) + SIZE(k);
		k = b;
	}
	if ((char *)after(k) != c->top && !(after(k)->size & IN_USE)) {
		take(c, after(k));
		k->size = SIZE(k) + SIZE(after(k));
	}
	if ((char *)after(k) == c->top) {
		char *end = c->top;
		c->top = (char *)k;
		c->lastSize = (int64_t)k->before;
		if (end > c->clean)
			c->clean = end;
		if (end - c->top >= (int64_t)GIVE_BACK) {
			char *written = c->clean; // may be beyond end: earlier blocks ended higher
			c->clean = (char *)(((uintptr_t)c->top + migbsp_page - 1) & -migbsp_page);
			giveBack(c->clean, (char *)(((uintptr_t)written + migbsp_page - 1) & -migbsp_page));
		}
		return;
	}
	sizeTold(c, k);
	put(c, k);
	if (freed >= GIVE_BACK)
		giveBack(from + sizeof *k, from + freed);
}

static __attribute__((noinline, cold)) void release_locked(process *c, void *p) {
	migbsp_locks(&c->lock);
	release(c, p);
	migbsp_unlocks(&c->lock);
}

void migbsp_release(process *c, void *p) {
	if (__builtin_expect(c->threads, 0))
		release_locked(c, p);
	else
		release(c, p);
}

static void *resize(process *c, void *p, size_t n) {
	chunk *k = of(p);
	size_t size = sizeFor(n), old = SIZE(k);
	if (!size)
		return refuse(c, n);
	if (size <= old) {
		split(c, k, size);
		return p;
	}
	if ((char *)after(k) == c->top && size - old <= (size_t)(limit(c) - c->top)) {
		c->top += size - old;
		k->size = size | IN_USE;
		c->lastSize = (int64_t)size;
		return p;
	}
	if ((char *)after(k) != c->top && !(after(k)->size & IN_USE) && old + SIZE(after(k)) >= size) {
		take(c, after(k));
		k->size = (old + SIZE(after(k))) | IN_USE;
		sizeTold(c, k);
		split(c, k, size);
		return p;
	}
	void *q = allocate(c, n, 0);
	if (q) {
		memcpy(q, p, old - HEAD);
		release(c, p);
	}
	return q;
}

LOCKED(void *, migbsp_resize, (process * c, void *p, size_t n), resize(c, p, n), (c, p, n))
