/* Goes wrong in the way that its argument names. */
#include <bsp.h>
#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

static int down(int n) {
	volatile char room[4096];
	memset((char *)room, n, sizeof room);
	return down(n + 1) + room[n & 4095];
}

/* wide has more on its stack than there is. */
static int wide(int n) {
	volatile char *room = alloca((size_t)100 << 20), *more;
	if (n == 0)
		return room[0] = 1; /* LINE frame */
	more = alloca((size_t)300 << 20);
	bsp_sync(); /* LINE wide */
	return more[0] + room[0];
}

static char *volatile nowhere = (char *)8;

static void *calls(void *none) {
	bsp_sync();
	return none;
}

__attribute__((constructor)) static void begins(void) {
	if (getenv("ERRORS_IN_CONSTRUCTOR"))
		abort();
}

int main(int argc, char **argv) {
	const char *how = argc > 1 ? argv[1] : "";
	if (!strcmp(how, "early"))
		exit(7);
	if (!strcmp(how, "none"))
		return 0;
	if (!strcmp(how, "before"))
		bsp_sync(); /* LINE before */
	bsp_begin(bsp_nprocs());
	pthread_t thread;
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
	if (!strcmp(how, "frame") && last)
		return wide(0);
	if (!strcmp(how, "wide") && last)
		return wide(1);
	if (!strcmp(how, "library") && last)
		strcpy(*(char *volatile *)&nowhere, how); /* LINE library */
	if (!strcmp(how, "heap") && last)
		memset(malloc((size_t)5 << 30), 1, 10);
	if (!strcmp(how, "full") && last)
		while ((nowhere = malloc(100000)))
			;
	if (!strcmp(how, "full") && last)
		bsp_abort("out of memory\n"); /* LINE full */
	if (!strcmp(how, "registrations") && last)
		for (;;)
			bsp_push_reg(&thread, sizeof thread); /* LINE registrations */
	if (!strcmp(how, "thread") && last) {
		pthread_create(&thread, NULL, calls, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(how, "aborts") && last)
		abort(); /* LINE aborts */
	if (!strcmp(how, "now") && last)
		_Exit(3);
	if (!strcmp(how, "return") && last)
		return 0;
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
