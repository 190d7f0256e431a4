/* Handlers of fork are the process's own, and run in its order. */
#include <bsp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static char order[20];
static int n;
#define HANDLER(name) static void name(void) { order[n++] = #name[0]; }
HANDLER(a) HANDLER(b) HANDLER(c) HANDLER(d) HANDLER(e) HANDLER(f)

int main(void) {
	bsp_begin(bsp_nprocs());
	pthread_atfork(a, b, c);
	bsp_sync();
	pthread_atfork(d, e, f);
	for (int i = 0; i < 6; i++)
		bsp_sync();
	if (bsp_pid() % 2) {
		int status;
		pid_t child = fork();
		if (child == 0)
			_exit(strcmp(order, "dacf"));
		if (waitpid(child, &status, 0) != child || status || strcmp(order, "dabe"))
			bsp_abort("status %d, %s", status, order);
	}
	bsp_sync();
	if (bsp_pid() % 2 == 0 && n)
		bsp_abort("another process's fork: %s", order);
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
