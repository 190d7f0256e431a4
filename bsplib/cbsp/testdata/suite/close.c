/* refused: superstep 2, process 1, rank ., close.c:11: close: descriptor 1 is of all processes of a rank: .* -static-rank */
#include <bsp.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 0)
		puts("before");
	if (bsp_pid() == 1)
		close(1);
	bsp_sync();
	puts("lost");
	bsp_end();
	return 0;
}
