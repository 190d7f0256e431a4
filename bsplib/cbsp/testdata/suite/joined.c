/* Threads end in all ways: their process then moves, with the memory that they have allocated. */
#define _GNU_SOURCE
#include <bsp.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

enum { THREADS = 6, BLOCKS = 300 };
static char *blocks[THREADS][BLOCKS], *words[THREADS];
static volatile int done;
static int me;

static int moves(int syncs) {
	int n = 0, before = getpid();
	for (int i = 0; i < syncs; i++) {
		bsp_sync();
		n += getpid() != before;
		before = getpid();
	}
	return n;
}

static void *allocates(void *p) {
	long k = (long)p;
	for (int round = 0; round < 20; round++)
		for (int i = 0; i < BLOCKS; i++) {
			size_t n = 8 + (size_t)(i * 37 + round * 101 + k) % 3000;
			blocks[k][i] = i % 3 && blocks[k][i] ? realloc(blocks[k][i], n) : (free(blocks[k][i]), i % 2 ? malloc(n) : calloc(1, n));
			memset(blocks[k][i], (int)(k * 50 + i), n);
		}
	if (asprintf(&words[k], "%d-%ld-%s", me, k, strdup("word")) < 0)
		abort();
	if (k == 3)
		pthread_exit(NULL);
	return NULL;
}

static int plain(void *p) { return allocates(p) ? 1 : 7; }
static void *detached(void *p) { return allocates(p), done = 1, NULL; }

int main(void) {
	bsp_begin(bsp_nprocs());
	int ended[8], moved = moves(8) == 8, result;
	me = bsp_pid();
	bsp_push_reg(ended, sizeof ended);
	bsp_sync();
	pthread_t thread[THREADS];
	pthread_attr_t attributes;
	thrd_t c11;
	for (long k = 0; k < 4; k++)
		CHECK(!pthread_create(&thread[k], NULL, allocates, (void *)k));
	CHECK(thrd_create(&c11, plain, (void *)4) == thrd_success);
	CHECK(moves(3) == 0);
	for (int k = 0; k < 4; k++)
		CHECK(!pthread_join(thread[k], NULL));
	CHECK(thrd_join(c11, &result) == thrd_success && result == 7);
	CHECK(moves(8) > 0 || !moved);
	CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
	CHECK(!pthread_create(&thread[5], &attributes, detached, (void *)5));
	while (!done)
		usleep(1000);
	for (result = 0; bsp_time() < 60 && !result;) { /* when the system has ended it on all */
		usleep(1000);
		result = moves(4) > 0 || !moved;
		for (int k = 0; k < bsp_nprocs(); k++)
			bsp_put(k, &result, ended, bsp_pid() * (int)sizeof result, sizeof result);
		bsp_sync();
		for (int k = 0; k < bsp_nprocs(); k++)
			result &= ended[k];
	}
	CHECK(result);
	for (int k = 0; k < THREADS; k++) {
		int pid, number;
		CHECK(sscanf(words[k], "%d-%d-word", &pid, &number) == 2 && pid == me && number == k);
		for (int i = 0; i < BLOCKS; i++) {
			for (size_t b = 0, n = 8 + (size_t)(i * 37 + 19 * 101 + k) % 3000; b < n; b++)
				CHECK(blocks[k][i][b] == (char)(k * 50 + i));
			free(blocks[k][i]);
		}
	}
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
