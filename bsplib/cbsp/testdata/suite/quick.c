/* quick_exit calls functions of at_quick_exit, the last first, and no others. */
#define _GNU_SOURCE
#include <bsp.h>
#include <unistd.h>

static int calls, pid;

static void wrong(void) { write(1, "wrong\n", 6); }
static void last(void) {
	if (calls != 1)
		wrong();
	else if (pid == 0)
		write(1, "all is right\n", 13);
}
static void first(void) { calls++; }

int main(void) {
	bsp_begin(bsp_nprocs());
	pid = bsp_pid();
	at_quick_exit(last);
	at_quick_exit(first);
	if (pid == 0) /* the others end in bsp_end */
		atexit(wrong);
	bsp_sync();
	bsp_sync();
	bsp_end();
	quick_exit(0);
}
