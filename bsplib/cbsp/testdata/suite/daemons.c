/* refused: daemons: superstep [0-9]+, process [0-9], rank [01], daemons.c:[0-9]+: daemon. it would end all processes of the rank */
#define _GNU_SOURCE
#include <bsp.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1)
		daemon(0, 0);
	bsp_sync();
	bsp_end();
	return 0;
}
