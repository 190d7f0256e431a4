/* refused: superstep 2, process 1, rank ., input_of_others.c:[0-9]+: process 1 reads the standard input, which is process 0's: .*
 * input: 10 */
#include <bsp.h>

int main(void) {
	int n = 0;
	if (scanf("%d", &n) != 1) /* of others it is empty before bsp_begin */
		n = 1;
	bsp_begin(bsp_nprocs());
	if (n != 1)
		bsp_abort("process %d has read %d", bsp_pid(), n);
	bsp_sync();
	if (bsp_pid() < 2)
		scanf("%d", &n);
	bsp_sync();
	printf("process %d: %d\n", bsp_pid(), n);
	bsp_end();
	return 0;
}
