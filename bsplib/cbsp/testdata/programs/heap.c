/* Allocates, resizes and frees memory at random, in supersteps, and checks every byte of it: calloc's
   is zero, and the rest keeps what was written, also after a move. */
#include <bsp.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 24, HEAPS = 4, OPERATIONS = 400 };

static struct block {
	unsigned char *at;
	size_t size;
	unsigned char first; /* byte i is first + i */
} blocks[BLOCKS];

static uint64_t state;
static uint64_t below(uint64_t n) {
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (state >> 11) % n;
}

/* size returns a length whose logarithm is uniform: 1 byte to 512 KiB. */
static size_t size(void) {
	size_t most = (size_t)1 << (1 + below(19));
	return most / 2 + below(most / 2 + 1) + (most == 2);
}

static void check(const struct block *b, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (b->at[i] != (unsigned char)(b->first + i))
			bsp_abort("byte %zu of %zu is %d, not %d", i, b->size, b->at[i], (unsigned char)(b->first + i));
}

static void fill(struct block *b) {
	b->first = (unsigned char)below(256);
	for (size_t i = 0; i < b->size; i++)
		b->at[i] = (unsigned char)(b->first + i);
}

static void get(struct block *b) {
	size_t n = size();
	void *p = 0;
	switch (below(4)) {
	case 0:
		p = malloc(n);
		break;
	case 1:
	case 2:
		p = calloc(1, n);
		for (size_t i = 0; p && i < n; i++)
			if (((unsigned char *)p)[i])
				bsp_abort("byte %zu of %zu from calloc is %d", i, n, ((unsigned char *)p)[i]);
		break;
	case 3: {
		size_t align = (size_t)16 << below(9);
		if (posix_memalign(&p, align, n) || (uintptr_t)p % align)
			bsp_abort("posix_memalign(%zu, %zu) returned %p", align, n, p);
	}
	}
	if (!p)
		bsp_abort("no memory for %zu bytes", n);
	b->at = p, b->size = n;
	fill(b);
}

static void change(struct block *b) {
	if (!b->at) {
		get(b);
		return;
	}
	if (below(3)) {
		check(b, b->size);
		free(b->at);
		b->at = 0;
		return;
	}
	size_t n = size(), kept = n < b->size ? n : b->size;
	unsigned char *p = realloc(b->at, n);
	if (!p)
		bsp_abort("no memory for %zu bytes", n);
	b->at = p;
	check(b, kept);
	b->size = n;
	fill(b);
}

int main(void) {
	bsp_begin(bsp_nprocs());
	for (int heap = 0; heap < HEAPS; heap++) {
		state = 0x9e3779b97f4a7c15u * (uint64_t)(1 + heap * bsp_nprocs() + bsp_pid());
		for (int i = 0; i < OPERATIONS; i++) {
			change(&blocks[below(BLOCKS)]);
			if (i % 100 == 99)
				bsp_sync();
		}
		for (struct block *b = blocks; b < blocks + BLOCKS; b++)
			if (b->at) {
				check(b, b->size);
				free(b->at);
				b->at = 0;
			}
	}
	/* A large block ends, then a smaller one: what lies between their ends has been written. */
	char *low = malloc(200000), *high = malloc(60000);
	memset(low, 1, 200000);
	memset(high, 1, 60000);
	free(high);
	free(low);
	low = malloc(5000);
	high = calloc(1, 260000);
	for (int i = 0; i < 260000; i++)
		if (high[i])
			bsp_abort("byte %d of 260000 from calloc is %d", i, high[i]);
	free(high);
	free(low);
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
