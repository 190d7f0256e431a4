/* Environment, words, random numbers, options and errno of a process, on any rank. */
#include <bsp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	char value[20], list[] = "a b c d e f", *argv[] = {"x", "-a", "-b", "-c", "-a", "-b", "-c", 0};
	snprintf(value, sizeof value, "%d", bsp_pid());
	setenv("MIGBSP_SUITE", value, 1);
	srand(bsp_pid());
	int first = rand();
	srand(bsp_pid());
	char *word = strtok(list, " ");
	for (int i = 0; i < 6; i++) {
		errno = 100 + bsp_pid();
		bsp_sync();
		if (errno != 100 + bsp_pid())
			bsp_abort("errno %d", errno);
		if (!getenv("MIGBSP_SUITE") || strcmp(getenv("MIGBSP_SUITE"), value))
			bsp_abort("environment %s", getenv("MIGBSP_SUITE"));
		if (!word || *word != 'a' + i)
			bsp_abort("word %d", i);
		word = strtok(0, " ");
		if (getopt(7, argv, "abc") != 'a' + i % 3)
			bsp_abort("option %d", i);
		if (i == 0 && rand() != first)
			bsp_abort("another random number");
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
