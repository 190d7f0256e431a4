/* A process registers a variable of another one, whose address it has got in a message.
 * refused: ^foreign_area: superstep 2, process [1-3], rank \d, foreign_area.c:13: bsp_push_reg: address 0x[0-9a-f]+ is memory of process 0: a process registers its own */
#include <bsp.h>

int main(void) {
	int x = 0, *at = &x;
	bsp_begin(bsp_nprocs());
	if (bsp_pid() == 0)
		for (int i = 0; i < bsp_nprocs(); i++)
			bsp_send(i, NULL, &at, sizeof at);
	bsp_sync();
	bsp_move(&at, sizeof at);
	bsp_push_reg(at, sizeof x);
	bsp_sync();
	bsp_end();
	return 0;
}
