/* Maps, unmaps in parts, resizes and moves at random, beside a heap, and checks every page. */
#define _GNU_SOURCE
#include <bsp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { REGIONS = 12, PAGES = 24, PAGE = 4096 };

static struct region {
	char *at;
	int pages;
	unsigned char value[PAGES]; /* of each page, 0 if it was unmapped */
	char *block;
	size_t size;
} regions[REGIONS];

static uint64_t state;
static unsigned below(unsigned n) {
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

static void check(const char *p, size_t n, unsigned char value) {
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] != value)
			bsp_abort("byte %zu of %zu is %d, not %d", i, n, p[i], value);
}

static void checkAll(const struct region *r) {
	for (int i = 0; r->at && i < r->pages; i++)
		if (r->value[i])
			check(r->at + i * PAGE, PAGE, r->value[i]);
	if (r->block)
		check(r->block, r->size, (unsigned char)r->size);
}

/* unmap unmaps what is left of some pages, in pieces as long as there are. */
static void unmap(struct region *r, int from, int to) {
	for (int i = from, end; i < to; i = end + 1) {
		for (end = i; end < to && r->value[end]; end++)
			r->value[end] = 0;
		if (end > i && munmap(r->at + i * PAGE, (size_t)(end - i) * PAGE))
			bsp_abort("munmap");
	}
}

int main(void) {
	bsp_begin(bsp_nprocs());
	state = 0x9e3779b97f4a7c15u * (uint64_t)(1 + bsp_pid());
	for (int step = 0; step < 3000; step++) {
		struct region *r = &regions[below(REGIONS)];
		checkAll(r);
		free(r->block);
		r->size = 1 + below(60000);
		memset(r->block = malloc(r->size), (int)r->size, r->size);
		if (!r->at) {
			r->pages = 1 + (int)below(PAGES);
			r->at = mmap(NULL, (size_t)r->pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			check(r->at, (size_t)r->pages * PAGE, 0);
			for (int i = 0; i < r->pages; i++)
				memset(r->at + i * PAGE, r->value[i] = (unsigned char)(1 + below(255)), PAGE);
		} else if (below(3)) {
			int from = (int)below((unsigned)r->pages), to = from + 1 + (int)below((unsigned)(r->pages - from));
			unmap(r, from, to);
		} else {
			unmap(r, 0, r->pages);
			r->at = NULL;
		}
		if (step % 100 == 0)
			bsp_sync();
	}
	for (int i = 0; i < REGIONS; i++)
		checkAll(&regions[i]);
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
