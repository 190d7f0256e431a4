/* Memory from sbrk and brk moves, in a row, and is zero where it was not used. */
#define _GNU_SOURCE
#include <bsp.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

static char *begin;
static size_t size;

/* given is the simplest malloc. */
static char *given(size_t n) {
	char *p = sbrk((intptr_t)n);
	CHECK(p == begin + size);
	size += n;
	return p;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	begin = sbrk(0);
	char *blocks[50], *heap[50];
	for (int i = 0; i < 50; i++) {
		blocks[i] = given(1000 + 100 * (size_t)i);
		for (int k = 0; k < 1000; k++)
			CHECK(blocks[i][k] == 0);
		memset(blocks[i], i + bsp_pid(), 1000);
		heap[i] = malloc(5000);
		memset(heap[i], i, 5000);
		bsp_sync();
	}
	for (int i = 0; i < 50; i++)
		for (int k = 0; k < 1000; k++)
			CHECK(blocks[i][k] == (char)(i + bsp_pid()) && heap[i][k] == i);
	CHECK(!brk(begin + 100) && sbrk(0) == begin + 100 && sbrk(5000) == begin + 100);
	for (int k = 100; k < 5100; k++)
		CHECK(begin[k] == 0);
	errno = 0;
	CHECK(sbrk((intptr_t)1 << 45) == (void *)-1 && errno == ENOMEM && sbrk(-5100) == begin + 5100 && brk(begin - 1) == -1);
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
