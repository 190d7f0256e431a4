/* refused: robust: superstep [0-9]+, process [0-9], rank [01], robust.c:[0-9]+: bsp_sync: .*mutex that is robust */
#include <bsp.h>
#include <pthread.h>

int main(void) {
	pthread_mutex_t m;
	pthread_mutexattr_t a;
	bsp_begin(bsp_nprocs());
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	bsp_sync(); /* unlocked before: it is right */
	if (bsp_pid() == 1)
		pthread_mutex_lock(&m);
	bsp_sync();
	bsp_end();
	return 0;
}
