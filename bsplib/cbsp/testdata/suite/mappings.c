/* Private mappings move: of any access, unmapped in parts, mapped again, resized. */
#define _GNU_SOURCE
#include <bsp.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)
#define PAGE 4096ul
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define USUAL (PROT_READ | PROT_WRITE)

static int moves(int syncs) {
	int n = 0, before = getpid();
	for (int i = 0; i < syncs; i++) {
		bsp_sync();
		n += getpid() != before;
		before = getpid();
	}
	return n;
}

static int all(const char *p, size_t n, char value) {
	for (size_t i = 0; i < n; i++)
		if (p[i] != value)
			return 0;
	return 1;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int moved = moves(8) == 8;
	char *dirty = malloc(50 * PAGE);
	memset(dirty, 9, 50 * PAGE);
	char *p = mmap(NULL, 20 * PAGE, USUAL, PRIVATE, -1, 0), *q = mmap(NULL, 10 * PAGE, PROT_NONE, PRIVATE, -1, 0);
	free(dirty);
	CHECK(p != MAP_FAILED && q != MAP_FAILED && (size_t)p % PAGE == 0 && all(p, 20 * PAGE, 0));
	memset(p, bsp_pid() + 1, 20 * PAGE);
	CHECK((moves(8) > 0 || !moved) && all(p, 20 * PAGE, (char)(bsp_pid() + 1)));
	CHECK(!munmap(p, 2 * PAGE) && !munmap(p + 18 * PAGE, 2 * PAGE) && !munmap(p + 8 * PAGE, 4 * PAGE)); /* head, tail and middle */
	char *blocks[40];
	for (int i = 0; i < 40; i++) { /* take what is free */
		blocks[i] = i % 2 ? mmap(NULL, PAGE * (1 + i % 3), USUAL, PRIVATE, -1, 0) : calloc(1, 3000);
		CHECK(all(blocks[i], i % 2 ? PAGE * (1 + i % 3) : 3000, 0));
		memset(blocks[i], 77, i % 2 ? PAGE * (1 + i % 3) : 3000);
	}
	bsp_sync();
	CHECK(all(p + 2 * PAGE, 6 * PAGE, (char)(bsp_pid() + 1)) && all(p + 12 * PAGE, 6 * PAGE, (char)(bsp_pid() + 1)));
	for (int i = 0; i < 40; i++)
		CHECK(all(blocks[i], 3000, 77) && (i % 2 ? !munmap(blocks[i], PAGE * (1 + i % 3)) : (free(blocks[i]), 1)));
	CHECK(!munmap(p, 20 * PAGE));
	CHECK(!mprotect(q + PAGE, 2 * PAGE, USUAL) && !mprotect(q + 4 * PAGE, PAGE, PROT_READ)); /* a part of what was reserved */
	memset(q + PAGE, 5, 2 * PAGE);
	CHECK((moves(8) > 0 || !moved) && all(q + PAGE, 2 * PAGE, 5) && all(q + 4 * PAGE, PAGE, 0));
	CHECK(uname((struct utsname *)q) == -1 && errno == EFAULT && uname((struct utsname *)(q + 4 * PAGE)) == -1 && !uname((struct utsname *)(q + PAGE)));
	CHECK(mmap(q + 5 * PAGE, 2 * PAGE, USUAL, PRIVATE | MAP_FIXED, -1, 0) == q + 5 * PAGE);
	memset(q + 5 * PAGE, 6, 2 * PAGE);
	bsp_sync();
	CHECK(all(q + 5 * PAGE, 2 * PAGE, 6) && !munmap(q, 10 * PAGE));
	p = mmap(NULL, 3 * PAGE, USUAL, PRIVATE, -1, 0);
	memset(p, 3, 3 * PAGE);
	p = mremap(p, 3 * PAGE, 30 * PAGE, MREMAP_MAYMOVE);
	CHECK(p != MAP_FAILED && all(p, 3 * PAGE, 3) && all(p + 3 * PAGE, 27 * PAGE, 0));
	p = mremap(p, 30 * PAGE, 2 * PAGE, 0);
	bsp_sync();
	CHECK(all(p, 2 * PAGE, 3) && !madvise(p, PAGE, MADV_DONTNEED) && all(p, PAGE, 0) && !munmap(p, 2 * PAGE));
	p = (char *)syscall(SYS_mmap, NULL, PAGE, USUAL, PRIVATE, -1, 0);
	memset(p, 4, PAGE);
	CHECK((moves(8) > 0 || !moved) && all(p, PAGE, 4) && syscall(SYS_munmap, p, PAGE) == 0);
	p = mmap(NULL, PAGE, USUAL, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*p = 8;
	CHECK(moves(4) == 0 && *p == 8 && !munmap(p, PAGE) && (moves(8) > 0 || !moved));
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
