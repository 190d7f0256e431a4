/* A process waits for its own children only, in all ways, and moves again when they have ended. */
#define _GNU_SOURCE
#include <bsp.h>
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

extern char **environ;

static int moves(int syncs) {
	int n = 0, before = getpid();
	for (int i = 0; i < syncs; i++) {
		bsp_sync();
		n += getpid() != before;
		before = getpid();
	}
	return n;
}

static pid_t child(int code) {
	pid_t pid = fork();
	if (pid == 0) {
		usleep(20000);
		char command[40];
		sprintf(command, "exit %d", code);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(99);
	}
	CHECK(pid > 0);
	return pid;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int moved = moves(8) == 8, status, me = bsp_pid();
	siginfo_t info;
	struct rusage usage;
	CHECK(wait(&status) == -1 && errno == ECHILD);
	pid_t a = child(10 + me), b = child(20 + me), seen[2];
	CHECK(moves(3) == 0);
	for (int i = 0; i < 2; i++) {
		seen[i] = wait(&status);
		CHECK((seen[i] == a && WEXITSTATUS(status) == 10 + me) || (seen[i] == b && WEXITSTATUS(status) == 20 + me));
	}
	CHECK(seen[0] != seen[1] && waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD && (moves(8) > 0 || !moved));
	a = child(30 + me);
	CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0 && info.si_pid == a && info.si_status == 30 + me && (moves(8) > 0 || !moved));
	a = child(40 + me);
	CHECK(wait4(a, &status, 0, &usage) == a && WEXITSTATUS(status) == 40 + me && (moves(8) > 0 || !moved));
	char *words[] = {"sh", "-c", "exit 5", NULL};
	CHECK(!posix_spawn(&a, "/bin/sh", NULL, NULL, words, environ) && moves(3) == 0);
	while ((b = waitpid(-1, &status, WNOHANG)) == 0)
		usleep(1000);
	CHECK(a == b && WEXITSTATUS(status) == 5 && (moves(8) > 0 || !moved));
	CHECK(WEXITSTATUS(system("exit 6")) == 6 && (moves(8) > 0 || !moved));
	if (me == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
