/* Sends numbers around a ring for as many rounds as it is told; reads a line of its input now and
 * then, if it is told to. Prints a checksum. */
#include <bsp.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
	bsp_begin(bsp_nprocs());
	int rounds = argc > 1 ? atoi(argv[1]) : 100, pause = argc > 2 ? atoi(argv[2]) : 0, reads = argc > 3, n = 50000;
	int s = bsp_pid(), p = bsp_nprocs();
	long *v = calloc(n, sizeof *v), sum = 0, lines = 0;
	bsp_push_reg(v, n * (int)sizeof *v);
	bsp_sync();
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 10; k++)
			v[(i * 31 + k * 7) % n] += s + i * k;
		bsp_put((s + 1) % p, v, v, 0, 1000 * (int)sizeof *v);
		if (reads && s == 0 && i % 5 == 4) {
			char line[100];
			if (!fgets(line, sizeof line, stdin))
				bsp_abort("no line %ld", lines);
			if (atol(line) != lines)
				bsp_abort("line %ld is %s", lines, line);
			lines++;
		}
		if (pause)
			usleep(1000 * pause);
		bsp_sync();
	}
	for (int i = 0; i < n; i++)
		sum = 31 * sum + v[i];
	long *all = calloc(p, sizeof *all);
	bsp_push_reg(all, p * (int)sizeof *all);
	bsp_sync();
	bsp_put(0, &sum, all, s * (int)sizeof sum, sizeof sum);
	bsp_sync();
	for (int i = 1; i < p; i++)
		all[0] = 17 * all[0] + all[i];
	if (s == 0)
		printf("checksum %016lx\n", all[0]);
	bsp_end();
	return 0;
}
