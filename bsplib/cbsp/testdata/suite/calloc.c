/* calloc returns zeros after blocks above its place were written and freed. */
#include <bsp.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	char *a = malloc(200000), *b = malloc(60000);
	memset(a, 1, 200000);
	memset(b, 1, 60000);
	free(a);
	free(b);
	bsp_sync();
	char *c = malloc(5000), *d = calloc(260000, 1);
	for (int i = 0; i < 260000; i++)
		if (d[i])
			bsp_abort("byte %d is %d", i, d[i]);
	bsp_sync();
	free(c);
	free(d);
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
