/* refused: locked: superstep [0-9]+, process [0-9], rank [01], locked.c:[0-9]+: bsp_sync. a stream that is locked */
#define _GNU_SOURCE
#include <bsp.h>
#include <stdio.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1)
		flockfile(tmpfile());
	bsp_sync();
	bsp_end();
	return 0;
}
