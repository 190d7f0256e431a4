#include <bsp.h>
void work(int pid);
int main(void) {
	bsp_begin(bsp_nprocs());
	work(bsp_pid());
	bsp_end();
	return 0;
}
