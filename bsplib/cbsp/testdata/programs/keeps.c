/* Keeps things that do not move, one after another, and says how often it has moved meanwhile. */
#include <bsp.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

static int travels, last;
static void look(void) {
	if (getpid() != last)
		travels++, last = getpid();
}

int main(int argc, char **argv) {
	bsp_begin(bsp_nprocs());
	last = getpid();
	char line[100] = "";
	jmp_buf back;
	for (int i = 0; i < 10; i++) {
		bsp_sync();
		look();
	}
	int before = travels;
	FILE *f = tmpfile();
	fprintf(f, "line %d\n", bsp_pid());
	for (int i = 0; i < 10; i++) {
		bsp_sync();
		look();
	}
	if (travels > before)
		bsp_abort("moved with an open file");
	rewind(f);
	if (!fgets(line, sizeof line, f) || atoi(line + 5) != bsp_pid())
		bsp_abort("read %s", line);
	fclose(f);
	volatile int rounds = 0;
	if (setjmp(back) < 20) {
		bsp_sync();
		look();
		longjmp(back, ++rounds);
	}
	if (argc > 1 && travels < 10)
		bsp_abort("moved %d times only", travels);
	double big = 0, *v = malloc(1 << 20);
	memset(v, 0, 1 << 20);
	v[5] = 7;
	for (int i = 0; i < 5; i++) {
		double *w = malloc(300000 + i);
		w[3] = i;
		bsp_sync();
		big += w[3] + v[5];
		free(w);
	}
	if (big != 45)
		bsp_abort("%g", big);
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
