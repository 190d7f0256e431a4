/* Process 0 reads its input, the numbers from 1 on, in many ways, each in a superstep of its own. */
#define _GNU_SOURCE
#include <bsp.h>
#include <string.h>
#include <unistd.h>

static int step;
#define IS(condition) \
	do { \
		step++; \
		if (bsp_pid() == 0 && !(condition)) \
			bsp_abort("step %d, line %d: not so: %s", step, __LINE__, #condition); \
		bsp_sync(); \
	} while (0)

static int number(void) {
	int n = -1;
	return scanf("%d", &n) == 1 ? n : -1;
}

static int last, lines; /* fgets does not return what is left of a line */

int main(int argc, char **argv) {
	char text[100] = "", *line = NULL;
	size_t size = 0;
	int i, rest = argc > 1 ? atoi(argv[1]) : 0;
	bsp_begin(bsp_nprocs());
	IS(number() == 1);
	IS(number() == 2);
	IS(getchar() == '\n');
	IS(fgets(text, sizeof text, stdin) && !strcmp(text, "3\n"));
	IS(getline(&line, &size, stdin) == 2 && !strcmp(line, "4\n"));
	IS(ungetc(getc(stdin), stdin) == '5');
	IS(number() == 5);
	IS(getc(stdin) == '\n' && ungetc('9', stdin) == '9');
	IS(number() == 96);
	IS(fread(text, 1, 3, stdin) == 3 && !memcmp(text, "\n7\n", 3));
	IS(read(0, text, 2) == 2 && !memcmp(text, "8\n", 2));
	IS(getdelim(&line, &size, '1', stdin) == 3 && !strcmp(line, "9\n1"));
	IS(getchar_unlocked() == '0' && fgetc(stdin) == '\n');
	IS(!feof(stdin) && !ferror(stdin));
	for (i = 11; i <= rest; i++) {
		IS(number() == i);
		if (i == 2000 && rest >= 8000) /* more than is read ahead remains */
			i += 5000, last = 5000;
		for (; last > 0; last--)
			if (bsp_pid() == 0 && number() != i - last + 1)
				bsp_abort("line %d", i - last);
	}
	IS((lines = number()) == -1 && feof(stdin));
	IS(feof(stdin) && !ferror(stdin));
	IS(ungetc('x', stdin) == 'x' && !feof(stdin));
	IS(getchar() == 'x' && !feof(stdin));
	IS(getchar() == EOF && feof(stdin));
	clearerr(stdin);
	IS(!feof(stdin));
	IS(getchar() == EOF);
	if (bsp_pid() == 0)
		puts("all is right");
	free(line);
	bsp_end();
	return 0;
}
