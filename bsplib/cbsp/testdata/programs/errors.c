/* Goes wrong in the way that its argument names. */
#include <bsp.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

static int down(int n) {
	volatile char room[4096];
	memset((char *)room, n, sizeof room);
	return down(n + 1) + room[n & 4095];
}

int main(int argc, char **argv) {
	const char *how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "early"))
		exit(7);
	if (!strcmp(how, "none"))
		return 0;
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), x = 0, last = s == bsp_nprocs() - 1;
	bsp_push_reg(&x, sizeof x);
	bsp_sync();
	if (!strcmp(how, "put") && last)
		bsp_put(0, &x, &x, 4, sizeof x); /* LINE put */
	if (!strcmp(how, "pid") && last)
		bsp_get(bsp_nprocs() + 1, &x, 0, &x, sizeof x); /* LINE pid */
	if (!strcmp(how, "null") && last)
		*(volatile int *)8 = 1; /* LINE null */
	if (!strcmp(how, "stack") && last)
		return down(0);
	if (!strcmp(how, "abort") && last)
		bsp_abort("stop at %d\n", 42); /* LINE abort */
	if (!strcmp(how, "exit") && last)
		exit(3);
	if (!strcmp(how, "end") && last) {
		bsp_end();
		return 0;
	}
	if (!strcmp(how, "divide") && last)
		printf("%d\n", 100 / *(volatile int *)&x); /* LINE divide */
	if (!strcmp(how, "free") && last) {
		char *volatile p = malloc(100);
		free(p);
		free(p);
	}
	if (!strcmp(how, "tags")) {
		int size = s;
		bsp_set_tagsize(&size);
	}
	bsp_sync();
	bsp_end();
	return strcmp(how, "code") ? 0 : 5;
}
