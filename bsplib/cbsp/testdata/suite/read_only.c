/* A put writes to a constant.
 * refused: ^read_only: superstep 2, process 0, rank \d, read_only.c:12: access to memory at 0x[0-9a-f]+, in an area or an argument of a put or get: no memory is there, or it is read-only */
#include <bsp.h>

static const int constant[1 << 10] = {1};

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_push_reg(constant, sizeof constant);
	bsp_sync();
	bsp_put(0, constant, (void *)constant, 8, 8);
	bsp_sync();
	bsp_end();
	return 0;
}
