/* A process that has streams, directories or descriptors from messages stays with them, and moves again when they are closed. */
#define _GNU_SOURCE
#include <bsp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

static int moves(int syncs) {
	int n = 0, before = getpid();
	for (int i = 0; i < syncs; i++) {
		bsp_sync();
		n += getpid() != before;
		before = getpid();
	}
	return n;
}

/* sent passes a descriptor through a message. */
static int sent(int fd) {
	int pair[2];
	char byte, room[CMSG_SPACE(sizeof fd)];
	struct iovec data = {&byte, 1};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	*h = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(h), &fd, sizeof fd);
	CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) && sendmsg(pair[0], &m, 0) == 1);
	CHECK(recvmsg(pair[1], &m, 0) == 1 && (h = CMSG_FIRSTHDR(&m)));
	memcpy(&fd, CMSG_DATA(h), sizeof fd);
	close(pair[0]), close(pair[1]);
	return fd;
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int moved = moves(8) == 8, word = -1;
	char name[60], command[60], *text = NULL;
	size_t size = 0;
	sprintf(command, "echo %d", bsp_pid());
	sprintf(name, "/migbsp-streams-%d-%d", bsp_pid(), getpid());
	FILE *f = popen(command, "r");
	CHECK(f && moves(3) == 0 && fscanf(f, "%d", &word) == 1 && word == bsp_pid() && pclose(f) == 0);
	f = open_memstream(&text, &size);
	CHECK(f && fprintf(f, "%d ", bsp_pid()) > 0 && moves(3) == 0 && fprintf(f, "more") > 0 && !fclose(f) && atoi(text) == bsp_pid() && strstr(text, "more"));
	free(text);
	CHECK(moves(8) > 0 || !moved);
	f = fmemopen(command, strlen(command), "r");
	CHECK(f && moves(3) == 0 && fscanf(f, "echo %d", &word) == 1 && word == bsp_pid() && !fclose(f));
	int fd = memfd_create("memory", 0), other = sent(fd);
	close(fd);
	f = fdopen(other, "w+");
	CHECK(f && fprintf(f, "%d", bsp_pid()) > 0 && moves(3) == 0);
	rewind(f);
	CHECK(fscanf(f, "%d", &word) == 1 && word == bsp_pid() && !fclose(f) && (moves(8) > 0 || !moved));
	DIR *d = opendir("/");
	CHECK(d && readdir(d) && moves(3) == 0 && readdir(d) && !closedir(d));
	d = fdopendir(open("/", O_RDONLY | O_DIRECTORY));
	CHECK(d && moves(3) == 0 && readdir(d) && !closedir(d) && (moves(8) > 0 || !moved));
	sem_t *s = sem_open(name, O_CREAT, 0600, 1);
	CHECK(s && moves(3) == 0 && !sem_trywait(s) && !sem_close(s) && !sem_unlink(name) && (moves(8) > 0 || !moved));
	fd = shm_open(name, O_CREAT | O_RDWR, 0600);
	CHECK(fd > 2 && !ftruncate(fd, 8192) && !shm_unlink(name));
	int *shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	CHECK(shared != MAP_FAILED && (shared[1024] = bsp_pid() + 7) && !munmap(shared, 4096) && moves(3) == 0 && shared[1024] == bsp_pid() + 7);
	CHECK(!munmap(shared + 1024, 4096) && (moves(8) > 0 || !moved));
	CHECK(close(40) == -1 && errno == EBADF);
	closefrom(3); /* has none: those of the rank are not the process's */
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
