/* A process moves again after it has closed a stream in memory and a standard stream that it had reopened, and a thread
 * that raises a signal handles it. */
#define _GNU_SOURCE
#include <bsp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static volatile sig_atomic_t count;
static void counts(int number) { count++; }
static void *raises(void *none) {
	raise(SIGUSR1);
	return count == 1 ? &count : NULL;
}

int main(int argc, char **argv) {
	bsp_begin(bsp_nprocs());
	wchar_t *text = NULL;
	size_t size = 0;
	pthread_t thread;
	void *right = NULL;
	FILE *f = open_wmemstream(&text, &size);
	fputws(L"wide", f);
	bsp_sync();
	fclose(f);
	signal(SIGUSR1, counts);
	pthread_create(&thread, NULL, raises, NULL);
	pthread_join(thread, &right);
	signal(SIGUSR1, SIG_DFL);
	if (!right)
		bsp_abort("process %d: handled %d signals", bsp_pid(), (int)count);
	if (!freopen("/dev/null", "w", stderr))
		bsp_abort("freopen");
	bsp_sync();
	fclose(stderr);
	int last = getpid(), moves = 0;
	for (int i = 0; i < 6; i++) {
		bsp_sync();
		moves += getpid() != last;
		last = getpid();
	}
	if (argc > 1 && moves < 5)
		bsp_abort("process %d has moved %d times", bsp_pid(), moves);
	if (wcscmp(text, L"wide") || size != 4)
		bsp_abort("the text is lost");
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
