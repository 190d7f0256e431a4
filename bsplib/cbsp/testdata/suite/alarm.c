/* refused: superstep 2, process 2, rank ., alarm.c:[0-9]+: Alarm clock */
#include <bsp.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	if (bsp_pid() == 0)
		alarm(100);
	bsp_sync();
	if (bsp_pid() == 2) {
		alarm(1);
		for (;;)
			pause();
	}
	bsp_sync();
	puts("no alarm");
	bsp_end();
	return 0;
}
