/* refused: superstep 2, process 1, rank ., user.c:9: setuid: is for all processes of a rank: link by  bspcc -static-rank */
#include <bsp.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1)
		setuid(1);
	bsp_sync();
	printf("user %d\n", getuid());
	bsp_end();
	return 0;
}
