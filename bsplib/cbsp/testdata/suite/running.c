/* A program ends while its threads run, which end with it. */
#include <bsp.h>
#include <pthread.h>
#include <string.h>

static char *kept[100];

static void *runs(void *p) {
	for (unsigned i = 0;; i++) {
		free(kept[i % 100]);
		kept[i % 100] = malloc(i % 1000 + 8);
		memset(kept[i % 100], 1, 8);
	}
	return p;
}

int main(void) {
	pthread_t t;
	bsp_begin(bsp_nprocs());
	if (pthread_create(&t, NULL, runs, NULL) || (bsp_pid() % 2 && pthread_detach(t)))
		bsp_abort("no thread");
	for (int i = 0; i < 20; i++) {
		char *p = strdup("text");
		bsp_sync();
		if (strcmp(p, "text"))
			bsp_abort("%s", p);
		free(p);
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
