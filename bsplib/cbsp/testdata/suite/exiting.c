/* refused: exiting: superstep [0-9]+, process 1, rank [01], exiting.c:[0-9]+: in a thread of the program: exit: return from main instead */
#include <bsp.h>
#include <pthread.h>

static void *crashes(void *p) { exit(0); }

int main(void) {
	pthread_t t;
	bsp_begin(bsp_nprocs());
	bsp_sync();
	if (bsp_pid() == 1 && !pthread_create(&t, NULL, crashes, (void *)8))
		pthread_join(t, NULL);
	bsp_sync();
	bsp_end();
	return 0;
}
