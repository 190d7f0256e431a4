/* freopen and dup2 redirect the output of the process that calls them, whoever else runs on its rank. */
#define _GNU_SOURCE
#include <bsp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

static char path[100], text[200];

static const char *content(void) {
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	unlink(path);
	return text;
}

int main(void) {
	char want[200];
	bsp_begin(bsp_nprocs());
	int s = bsp_pid();
	sprintf(path, "/tmp/migbsp-redirect-%d-%d", getpid(), s);
	for (int i = 0; i < 3; i++) { /* and back */
		int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(1);
		fflush(stdout);
		if (fd < 0 || saved < 0 || dup2(fd, STDOUT_FILENO) != 1)
			bsp_abort("cannot redirect");
		close(fd);
		printf("process %d ", s);
		bsp_sync();
		puts("line 1");
		fflush(stdout);
		write(1, "line 2\n", 7);
		system("echo line 3");
		bsp_sync();
		fflush(stdout);
		dup2(saved, 1);
		close(saved);
		sprintf(want, "process %d line 1\nline 2\nline 3\n", s);
		if (strcmp(content(), want))
			bsp_abort("round %d: the file has %s", i, text);
		bsp_sync();
	}
	if (s == 0)
		puts("all is right");
	fflush(stdout);
	bsp_sync();
	if (!freopen(path, "w", stdout) || !freopen(path, "a", stderr))
		bsp_abort("freopen");
	printf("reopened by %d", s);
	bsp_sync();
	putchar('\n');
	fflush(stdout);
	perror("stderr");
	bsp_sync();
	sprintf(want, "reopened by %d\n", s);
	if (strncmp(content(), want, strlen(want)) || !strstr(text, "stderr: "))
		bsp_abort("freopen: the file has %s", text);
	sprintf(path, "/tmp/migbsp-redirect-in-%d-%d", getpid(), s);
	FILE *f = fopen(path, "w");
	fprintf(f, "%d %d\n", s, 2 * s);
	fclose(f);
	if (!freopen(path, "r", stdin))
		bsp_abort("freopen of stdin");
	int a = -1, b = -1;
	scanf("%d", &a);
	bsp_sync();
	scanf("%d", &b);
	if (a != s || b != 2 * s)
		bsp_abort("read %d %d", a, b);
	unlink(path);
	bsp_end();
	return 0;
}
