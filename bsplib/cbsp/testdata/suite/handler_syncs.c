/* A handler of a signal ends a superstep.
 * refused: ^handler_syncs: superstep 1, process \d, rank \d, handler_syncs.c:9: .*called by a signal handler: */
#include <bsp.h>
#include <signal.h>

static int calls;

static void handler(int number) {
	bsp_sync();
	calls += number;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	bsp_sync();
	bsp_end();
	return 0;
}
