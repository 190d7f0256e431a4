/* Functions of atexit and on_exit are called in turn, with the exit code and their arguments, also ones that others add
 * and that threads have added; those of at_quick_exit are not. */
#define _GNU_SOURCE
#include <bsp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char order[100];
static int pid;

static void wrong(void) { strcat(order, "wrong "); }
static void last(void) {
	if (strcmp(order, "thread coded-5 added plain "))
		printf("process %d: %s\n", pid, order);
	else if (pid == 0)
		puts("all is right");
}
static void added(void) { strcat(order, "added "); }
static void plain(void) { strcat(order, "plain "); }
static void coded(int code, void *argument) {
	sprintf(order + strlen(order), "%s-%d ", (char *)argument, code + 5);
	atexit(added);
}
static void ofThread(void) { strcat(order, "thread "); }
static void *thread(void *none) { return atexit(ofThread) ? &pid : none; }

int main(void) {
	atexit(last);
	bsp_begin(bsp_nprocs());
	pid = bsp_pid();
	char *text = strdup("coded");
	bsp_sync();
	atexit(plain);
	at_quick_exit(wrong);
	on_exit(coded, text);
	pthread_t t;
	if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
		bsp_abort("no thread");
	bsp_sync();
	bsp_sync();
	bsp_end();
	exit(0);
}
