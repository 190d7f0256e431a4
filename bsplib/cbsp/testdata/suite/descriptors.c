/* A process that has descriptors of any kind stays with them, and moves again when all are closed. */
#define _GNU_SOURCE
#include <bsp.h>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

static char path[100], text[100];

static int moves(int syncs) {
	int n = 0, before = getpid();
	for (int i = 0; i < syncs; i++) {
		bsp_sync();
		n += getpid() != before;
		before = getpid();
	}
	return n;
}

static int reads(int fd) {
	char got[100] = "";
	return read(fd, got, sizeof got) == (ssize_t)strlen(text) && !strcmp(got, text);
}

static int same(int fd) { return lseek(fd, 0, SEEK_SET) == 0 && reads(fd); }

int main(void) {
	bsp_begin(bsp_nprocs());
	int moved = moves(8) == 8, pairs[4][2], fd[10], k = 0;
	sprintf(path, "/tmp/migbsp-descriptors-%d-%d", bsp_pid(), getpid());
	sprintf(text, "text of %d", bsp_pid());
	int first = open(path, O_CREAT | O_RDWR, 0600);
	CHECK(first >= 0 && write(first, text, strlen(text)) > 0);
	fd[k++] = openat(AT_FDCWD, path, O_RDONLY);
	fd[k++] = dup(first);
	fd[k++] = fcntl(first, F_DUPFD, 100);
	fd[k++] = fcntl(first, F_DUPFD_CLOEXEC, 3);
	fd[k++] = dup2(first, 700 + bsp_pid());
	fd[k++] = dup3(first, 710 + bsp_pid(), O_CLOEXEC);
	fd[k++] = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	fd[k++] = memfd_create("memory", 0);
	fd[k++] = (int)syscall(SYS_memfd_create, "memory", 0);
	CHECK(write(fd[k - 2], text, strlen(text)) > 0 && write(fd[k - 1], text, strlen(text)) > 0);
	close(first);
	for (int i = 0; i < k; i++) { /* one after another: each alone keeps the process */
		CHECK(fd[i] > 2 && moves(3) == 0 && same(fd[i]));
		close(fd[i]);
	}
	CHECK(moves(8) > 0 || !moved);
	for (int kind = 0; kind < 4; kind++) {
		int wrong = kind == 0 ? pipe(pairs[0]) : kind == 1 ? pipe2(pairs[1], O_CLOEXEC) : kind == 2 ? socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[2]) : (int)syscall(SYS_pipe2, pairs[3], 0);
		CHECK(!wrong && moves(3) == 0 && write(pairs[kind][1], text, strlen(text)) > 0 && reads(pairs[kind][0]));
		close(pairs[kind][0]);
		CHECK(moves(3) == 0);
		close(pairs[kind][1]);
	}
	CHECK(moves(8) > 0 || !moved);
	int event = eventfd(bsp_pid() + 1, 0), poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0), notes = inotify_init();
	struct epoll_event e = {.events = EPOLLIN, .data.fd = event};
	eventfd_t value;
	CHECK(!epoll_ctl(poll, EPOLL_CTL_ADD, event, &e) && moves(3) == 0 && inotify_add_watch(notes, "/tmp", IN_CREATE) > 0);
	CHECK(epoll_wait(poll, &e, 1, 0) == 1 && !eventfd_read(event, &value) && (int)value == bsp_pid() + 1);
	close(event), close(poll), close(timer), close_range((unsigned)notes, (unsigned)notes, 0);
	CHECK(fcntl(notes, F_GETFD) == -1 && (moves(8) > 0 || !moved));
	unlink(path);
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
