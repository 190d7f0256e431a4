/* NULL is registered with a size.
 * refused: ^null_area: superstep 1, process \d, rank \d, null_area.c:7: bsp_push_reg: address \(nil\) has no memory, and can only be registered with a size of 0 bytes, not 4 */
#include <bsp.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	bsp_push_reg(NULL, 4);
	bsp_sync();
	bsp_end();
	return 0;
}
