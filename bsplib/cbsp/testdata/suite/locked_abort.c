/* refused: locked_abort: superstep [0-9]+, process 1, rank [01], locked_abort.c:9: stop */
#include <bsp.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1) {
		flockfile(stdout);
		bsp_abort("stop");
	}
	bsp_sync();
	bsp_end();
	return 0;
}
