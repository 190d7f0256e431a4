/* refused: crashes: superstep [0-9]+, process 1, rank [01], crashes.c:5: in a thread of the program: Segmentation fault */
#include <bsp.h>
#include <pthread.h>

static void *crashes(void *p) { return *(void **)p; }

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
