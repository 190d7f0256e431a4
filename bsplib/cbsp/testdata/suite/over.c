/* refused: over: superstep [0-9]+, process [0-9], rank [01], over.c:[0-9]+: dup2. the descriptor 4 is that of another process */
#define _GNU_SOURCE
#include <bsp.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1)
		dup2(1, 4);
	bsp_sync();
	bsp_end();
	return 0;
}
