/* Each process has its own working directory and mask of modes, whoever else runs on its rank, and after a move. */
#define _GNU_SOURCE
#include <bsp.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char start[4096], path[4096], text[4096];

static void in(const char *where, const char *what) {
	struct stat about;
	char *own = get_current_dir_name();
	if (!getcwd(text, sizeof text) || strcmp(text, where) || !own || strcmp(own, where))
		bsp_abort("%s: the directory is %s, not %s", what, text, where);
	free(own);
	if (strcmp(where, start) && (stat("here", &about) || access("here", R_OK)))
		bsp_abort("%s: no file", what);
}

static int visit(const char *name, const struct stat *about, int kind, struct FTW *at) { return 0; }

int main(void) {
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), fd;
	getcwd(start, sizeof start);
	bsp_sync();
	if (s != 1) { /* which stays where the run has begun */
		sprintf(path, "/tmp/migbsp-directory-%d-%d", getpid(), s);
		if (mkdir(path, 0700) || chdir(path) || (fd = creat("here", 0600)) < 0)
			bsp_abort("%s", path);
		close(fd);
		umask(s == 2 ? 077 : 027);
	} else
		strcpy(path, start);
	bsp_sync();
	for (int i = 0; i < 5; i++) {
		in(path, "moving");
		bsp_sync();
	}
	mode_t mask = umask(0);
	if (s != 1 && mask != (s == 2 ? 077 : 027))
		bsp_abort("mask of modes %o", mask);
	umask(mask);
	if (s != 1) {
		int back = open("..", O_RDONLY | O_DIRECTORY);
		if (nftw(".", visit, 5, FTW_CHDIR) || fchdir(back))
			bsp_abort("fchdir");
		close(back);
		bsp_sync();
		if (!getcwd(text, sizeof text) || strncmp(path, text, strlen(text)) || strlen(text) >= strlen(path))
			bsp_abort("in %s", text);
		strcat(path, "/here");
		if (system("test -e here") == 0 || remove(path))
			bsp_abort("remains %s", path);
		*strrchr(path, '/') = 0;
		rmdir(path);
	} else
		bsp_sync();
	bsp_sync();
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
