//go:build !staticrank

// The standard streams of a process: streams of the C library in memory of the process, which move with it. The rank
// has one input and one output. The output of a process goes there line by line; the last, incomplete line stays with
// the process. A process that redirects descriptor 0, 1 or 2, or reopens a stream, redirects only its own.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inside.h"
#include "streams.h"

extern ssize_t __read(int, void *, size_t);
extern void _IO_un_link(FILE *);
extern const char _IO_wfile_jumps[];

// A stream with functions of its program, as the library lays it out.
typedef struct {
	FILE stream;
	const void *jumps;
	void *cookie;
	cookie_io_functions_t functions; // encoded by a value of the system process
} custom;

process *migbsp_of(void *caller) {
	process *c = migbsp_now();
	return c ? c : IN_SLOTS(caller) ? migbsp_process((int)(((uintptr_t)caller - SLOT_BASE) / migbsp_slot)) : 0;
}

static ssize_t all(int fd, const char *text, size_t n) {
	for (size_t done = 0; done < n;) {
		ssize_t w = write(fd, text + done, n - done);
		if (w < 0 && errno != EINTR)
			return -1;
		done += w < 0 ? 0 : (size_t)w;
	}
	return (ssize_t)n;
}

// show prints the incomplete line of a process, and then a text.
static void show(process *c, const char *text, size_t n) {
	struct streams *s = c->streams;
	flockfile(stdout);
	fwrite_unlocked(s->line, 1, s->length, stdout);
	fwrite_unlocked(text, 1, n, stdout);
	funlockfile(stdout);
	s->length = 0;
}

static int keep(process *c, const char *text, size_t n) {
	struct streams *s = c->streams;
	if (s->length + n > LONGEST_LINE)
		return 0;
	if (s->length + n > s->room) {
		size_t room = 2 * (s->length + n) + 256;
		char *larger = migbsp_allocate(c, room);
		if (!larger)
			return 0;
		if (s->line) {
			memcpy(larger, s->line, s->length);
			migbsp_release(c, s->line);
		}
		s->line = larger;
		s->room = room;
	}
	memcpy(s->line + s->length, text, n);
	s->length += n;
	return 1;
}

// print prints the lines of a text, and keeps the text behind the last of them.
static void print(process *c, const char *text, size_t n) {
	const char *last = memrchr(text, '\n', n);
	size_t lines = last ? (size_t)(last + 1 - text) : 0;
	if (lines > 0)
		show(c, text, lines);
	if (lines < n && !keep(c, text + lines, n - lines))
		show(c, text + lines, n - lines);
}

static ssize_t writes(void *cookie, const char *text, size_t n) {
	process *c = cookie;
	struct streams *s = c->streams;
	if (s->closed[1]) {
		errno = EBADF;
		return 0;
	}
	if (s->fds[1])
		return all(s->fds[1], text, n) < 0 ? 0 : (ssize_t)n;
	print(c, text, n);
	if (c->standard[1]->_flags & (UNBUFFERED | BY_LINE) && fflush(stdout))
		return 0;
	return (ssize_t)n;
}

static ssize_t complains(void *cookie, const char *text, size_t n) {
	struct streams *s = ((process *)cookie)->streams;
	if (s->closed[2])
		errno = EBADF;
	return s->closed[2] || all(s->fds[2] ? s->fds[2] : 2, text, n) < 0 ? 0 : (ssize_t)n;
}

// ofRank returns the output stream of a process, null if it does not lead to the rank's output.
static FILE *ofRank(process *c) {
	struct streams *s = c->streams;
	return s && !s->fds[1] && !s->reopened[1] && !s->closed[1] ? c->standard[1] : 0;
}

// migbsp_prints has the rank print the lines of a process that stands still; with rest, also its incomplete line. It
// reads the memory of the stream only: the process may have come to its end by a fault.
void migbsp_prints(process *c, int rest) {
	FILE *f = ofRank(c);
	if (!f)
		return;
	struct streams *s = c->streams;
	char *from = f->_IO_write_base, *to = f->_IO_write_ptr;
	if (from < to && from >= s->out && to <= s->out + OUT_ROOM) {
		char *last = memrchr(from, '\n', (size_t)(to - from));
		size_t n = rest ? (size_t)(to - from) : last ? (size_t)(last + 1 - from) : 0;
		if (n > 0) {
			show(c, from, n);
			memmove(from, from + n, (size_t)(to - from) - n);
			f->_IO_write_ptr -= n;
		}
	}
	if (rest && s->length > 0)
		show(c, "", 0);
}

// migbsp_settles has the process that runs empty a buffer that migbsp_prints does not read.
void migbsp_settles(process *c) {
	FILE *f = ofRank(c);
	if (c->op == OP_BEGIN)
		clearerr(c->standard[0]); // input before bsp_begin is undefined
	if (f && f->_IO_buf_base != c->streams->out)
		fflush(f);
}

// migbsp_goes_on has the process hold the locks of streams that it held, on whichever thread it runs.
void migbsp_goes_on(process *c, void *before) {
	for (int i = 0; c->streams && i < 3; i++) {
		struct { int lock, count; void *owner; } *lock = c->standard[i]->_lock;
		if (lock->count > 0 && lock->owner == before)
			lock->owner = (void *)pthread_self();
	}
}

// migbsp_finishes prints all that the process that runs has printed.
void migbsp_finishes(process *c) {
	if (c->streams && !c->streams->closed[1])
		fflush(c->standard[1]);
	migbsp_prints(c, 1);
}

// migbsp_closes takes the streams of a process that ends away from the rank.
void migbsp_closes(process *c) {
	for (int i = 0; c->streams && i < 3; i++)
		if (c->streams->reopened[i]) {
			fflush(c->standard[i]);
			_IO_un_link(c->standard[i]);
		}
}

// migbsp_empties removes the bytes that the streams of a process have buffered.
void migbsp_empties(process *c) {
	for (int i = 0; c->streams && i < 2; i++)
		if (!c->streams->closed[i])
			__fpurge(c->standard[i]);
	if (c->streams)
		c->streams->length = 0;
}

// migbsp_discards has a child process, which has a copy of the streams, begin with empty ones.
void migbsp_discards(process *c) {
	if (!c->streams)
		return;
	if (!c->streams->closed[1])
		__fpurge(c->standard[1]);
	c->streams->length = 0;
	for (int i = 0; i < 3; i++)
		if (c->streams->fds[i])
			dup2(c->streams->fds[i], i); // programs that it executes
}

// Incomplete lines are shown at once where the run is a dialogue. MPI's launchers have a terminal for output only.
static int isDialogue(void) {
	static int is = -1;
	if (is < 0)
		is = isatty(0) && isatty(1);
	return is;
}

// Reading. Process 0 has the standard input. read takes input from the stream too, so that it goes on behind the text
// that other functions have read, on each rank.

// handed copies text that a stream has read, at most n bytes; for a library, whose own buffer stays on the rank, up to
// the end of a line.
static size_t handed(FILE *f, char *p, size_t n, int line) {
	size_t there = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
	if (n > there)
		n = there;
	char *end = line ? memchr(f->_IO_read_ptr, '\n', n) : 0;
	if (end)
		n = (size_t)(end + 1 - f->_IO_read_ptr);
	memcpy(p, f->_IO_read_ptr, n);
	f->_IO_read_ptr += n;
	return n;
}

static ssize_t take(char *p, size_t n, int line) {
	if (n == 0)
		return 0;
	clearerr(stdin); // whether it has ended the process's stream knows
	int ch = getc(stdin);
	if (ch == EOF)
		return ferror(stdin) ? -1 : 0;
	*p = (char)ch;
	return line && ch == '\n' ? 1 : 1 + (ssize_t)handed(stdin, p + 1, n - 1, line);
}

int64_t migbsp_others(process *c) {
	if (c->begun && !c->ended)
		migbsp_refuse(c, "process %d reads the standard input, which is process 0's: read it there, and send it by bsp_put", c->pid);
	return 0;
}

// migbsp_input reads for a process from descriptor 0.
ssize_t migbsp_input(process *c, void *p, size_t n, int line) {
	struct streams *s = c->streams;
	if (s->closed[0]) {
		errno = EBADF;
		return -1;
	}
	if (s->fds[0])
		return __read(s->fds[0], p, n);
	if (s->reopened[0])
		return __read(fileno(c->standard[0]), p, n);
	if (c->standard[0]->_IO_read_ptr < c->standard[0]->_IO_read_end)
		return (ssize_t)handed(c->standard[0], p, n, line);
	if (isDialogue()) { // a prompt
		fflush(c->standard[1]);
		migbsp_prints(c, 1);
		fflush(stdout);
	}
	return c->pid > 0 ? migbsp_others(c) : take(p, n, line);
}

static ssize_t reads(void *cookie, char *p, size_t n) { return migbsp_input(cookie, p, n, 0); }

static int seeks(void *cookie, off64_t *to, int whence) {
	process *c = cookie;
	struct streams *s = c->streams;
	if (s->fds[0])
		return (*to = lseek64(s->fds[0], *to, whence)) < 0 ? -1 : 0;
	if (c->pid > 0 || fseeko64(stdin, *to, whence))
		return -1;
	return (*to = ftello64(stdin)) < 0 ? -1 : 0;
}

static const cookie_io_functions_t kinds[] = {{reads, 0, seeks, 0}, {0, writes, 0, 0}, {0, complains, 0, 0}};

// unheld returns the C library's stream for a standard one of the process, which does not keep the process on its rank.
static FILE *unheld(process *c, int i) {
	static void *next;
	FILE *(*open)(void *, const char *, cookie_io_functions_t);
	*(void **)&open = migbsp_following(&next, "fopencookie");
	return open(c, i == 0 ? "r" : "w", kinds[i]);
}

static FILE *fresh(process *c, int i) {
	int64_t lent = c->lent;
	c->lent = -1;
	FILE *f = unheld(c, i);
	c->lent = lent;
	if (f)
		_IO_un_link(f); // the rank's list of streams
	return f;
}

// migbsp_streams gives the process that runs its streams.
void migbsp_streams(process *c) {
	struct streams *s = migbsp_zeroed(c, sizeof *s);
	for (int i = 0; i < 3; i++)
		c->standard[i] = s ? fresh(c, i) : 0;
	if (!s || !c->standard[0] || !c->standard[1] || !c->standard[2])
		migbsp_fail("no memory is left");
	setvbuf(c->standard[0], s->in, _IOFBF, sizeof s->in);
	setvbuf(c->standard[1], s->out, isatty(1) ? _IOLBF : _IOFBF, sizeof s->out);
	setvbuf(c->standard[2], 0, _IONBF, 0);
	c->streams = s;
}

// migbsp_recode has the streams of a process that has come from another system process call their functions.
void migbsp_recode(process *c) {
	for (int i = 0; i < 3 && c->streams; i++) {
		custom *f = (custom *)c->standard[i], *here;
		if (c->streams->reopened[i] || c->streams->closed[i] || !(here = (custom *)unheld(c, i)))
			continue;
		f->functions = here->functions;
		f->jumps = here->jumps;
		fclose(&here->stream);
	}
}

int migbsp_which(process *c, FILE *f) {
	for (int i = 0; c && c->streams && i < 3; i++)
		if (f == c->standard[i] || f == (i == 0 ? stdin : i == 1 ? stdout : stderr))
			return i;
	return -1;
}

// Functions that name a stream.

static int flushes(process *c, int (*flush)(FILE *)) {
	FILE *f = c->standard[1];
	if (c->streams->closed[1])
		return 0;
	int r = flush(f);
	if (c->streams->reopened[1] || c->streams->fds[1])
		return r;
	if (isDialogue())
		migbsp_prints(c, 1);
	if (fflush(stdout)) {
		f->_flags |= IN_ERROR;
		return EOF;
	}
	return r;
}

static int own_fflush(FILE *f) {
	process *c = migbsp_of(CALLER);
	int r = c && (!f || f == c->standard[1]) ? flushes(c, fflush) : 0;
	return r | (f && (!c || f != c->standard[1]) ? fflush(f) : f ? 0 : fflush(0));
}

static int own_fflush_unlocked(FILE *f) {
	process *c = migbsp_of(CALLER);
	return c && f == c->standard[1] ? flushes(c, fflush_unlocked) : f ? fflush_unlocked(f) : own_fflush(0);
}

static int own_fileno(FILE *f) {
	process *c = migbsp_of(CALLER);
	int i = migbsp_which(c, f);
	return i >= 0 && !c->streams->reopened[i] && !c->streams->closed[i] ? i : fileno(f);
}

// giveUp closes the descriptor that a process has instead of a standard one.
static void giveUp(struct streams *s, int i) {
	if (s->fds[i] == 0)
		return;
	close(s->fds[i]);
	s->fds[i] = 0;
	migbsp_unpins();
}

static int own_fclose(FILE *f) {
	process *c = migbsp_of(CALLER);
	int i = migbsp_which(c, f);
	if (i < 0)
		return migbsp_fclose(c, f);
	struct streams *s = c->streams;
	if (s->closed[i]) {
		errno = EBADF;
		return EOF;
	}
	int r = i == 1 ? flushes(c, fflush) : i == 2 ? fflush(f) : 0;
	if (i == 1)
		migbsp_prints(c, 1);
	giveUp(s, i);
	if (s->reopened[i]) {
		r |= fclose(f);
		migbsp_unpins();
		c->standard[i] = fresh(c, i);
	}
	s->reopened[i] = 0;
	s->closed[i] = 1;
	return r;
}

static int own_fcloseall(void) {
	process *c = migbsp_of(CALLER);
	return c ? own_fflush(0) : fcloseall();
}

static FILE *reopens(FILE *(*reopen)(const char *, const char *, FILE *), const char *path, const char *mode, FILE *f, void *caller) {
	process *c = migbsp_now();
	int i = migbsp_which(c, f);
	if (i < 0)
		return reopen(path, mode, f);
	struct streams *s = c->streams;
	f = c->standard[i];
	if (!path && !s->reopened[i])
		return f; // another mode
	if (i > 0 && !s->closed[i])
		fflush(f);
	if (i == 1)
		migbsp_prints(c, 1);
	giveUp(s, i);
	__fpurge(f);
	if (!s->reopened[i]) {
		f->_fileno = -1; // which it keeps if there is one
		s->wide[i].jumps = _IO_wfile_jumps;
		f->_wide_data = (struct _IO_wide_data *)&s->wide[i];
	}
	f = reopen(path, mode, f);
	if (f && !s->reopened[i])
		migbsp_pins("freopen", caller);
	if (!f && s->reopened[i])
		migbsp_unpins();
	s->reopened[i] = f != 0;
	s->closed[i] = f == 0;
	return f;
}

static FILE *own_freopen(const char *path, const char *mode, FILE *f) { return reopens(freopen, path, mode, f, CALLER); }
static FILE *own_freopen64(const char *path, const char *mode, FILE *f) { return reopens(freopen64, path, mode, f, CALLER); }

// Descriptors.

static int inPlace(process *c, int fd) {
	if ((unsigned)fd > 2 || !c || !c->streams || migbsp_forked)
		return fd;
	if (c->streams->reopened[fd])
		return fileno(c->standard[fd]);
	return c->streams->closed[fd] ? -1 : c->streams->fds[fd] ? c->streams->fds[fd] : fd;
}
#define IN_PLACE(fd) inPlace(migbsp_of(CALLER), fd)

static ssize_t writeTo(process *c, int fd, const void *text, size_t n, int flush) {
	int at = inPlace(c, fd);
	if (at != 1 || !c || migbsp_forked)
		return write(at, text, n);
	print(c, text, n);
	return flush && fflush(stdout) ? -1 : (ssize_t)n;
}

static ssize_t own_write(int fd, const void *text, size_t n) { return writeTo(migbsp_of(CALLER), fd, text, n, 1); }

// migbsp_library_write is write for libraries, whose output may be printed with that of the program.
ssize_t migbsp_library_write(int fd, const void *text, size_t n) { return writeTo(migbsp_of(CALLER), fd, text, n, 0); }

static ssize_t own_writev(int fd, const struct iovec *v, int n) {
	ssize_t done = 0;
	if (IN_PLACE(fd) != 1)
		return writev(IN_PLACE(fd), v, n);
	for (int i = 0; i < n; i++) {
		ssize_t w = own_write(fd, v[i].iov_base, v[i].iov_len);
		if (w < 0)
			return done ? done : -1;
		done += w;
	}
	return done;
}

static int own_vdprintf(int fd, const char *format, va_list args) {
	if (IN_PLACE(fd) != 1)
		return vdprintf(IN_PLACE(fd), format, args);
	char *text;
	int n = vasprintf(&text, format, args);
	if (n >= 0)
		n = (int)own_write(1, text, (size_t)n);
	free(text);
	return n;
}

static int own___vdprintf_chk(int fd, int flag, const char *format, va_list args) { return (void)flag, own_vdprintf(fd, format, args); }

VARIADIC(dprintf, own_vdprintf(fd, format, args), int fd, const char *format)
VARIADIC(__dprintf_chk, ((void)flag, own_vdprintf(fd, format, args)), int fd, int flag, const char *format)

// same reports whether two descriptors are one open file.
static int same(int a, int b) {
	pid_t self = getpid();
	long r = syscall(SYS_kcmp, self, self, 0, a, b);
	struct stat of_a, of_b;
	return r >= 0 ? r == 0 : !fstat(a, &of_a) && !fstat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static int dups(int from, int to, int flags, void *caller) {
	process *c = migbsp_now();
	if ((unsigned)to > 2)
		migbsp_chooses(to, "dup2", caller);
	if ((unsigned)to > 2 || !c || !c->streams || migbsp_forked)
		return flags < 0 ? dup2(inPlace(migbsp_of(caller), from), to) : dup3(inPlace(migbsp_of(caller), from), to, flags);
	struct streams *s = c->streams;
	if (from == to)
		return to;
	int kept = fcntl(inPlace(c, from), F_DUPFD_CLOEXEC, 3);
	if (kept < 0)
		return -1;
	if (!s->closed[to])
		fflush(c->standard[to]);
	if (to == 1)
		migbsp_prints(c, 1);
	if (s->reopened[to]) { // its stream goes on, on the file
		dup2(kept, fileno(c->standard[to]));
		close(kept);
		return to;
	}
	giveUp(s, to);
	s->closed[to] = 0;
	if (same(kept, to)) {
		close(kept);
		return to;
	}
	s->fds[to] = kept;
	migbsp_pins("dup2", caller);
	return to;
}

static int own_dup3(int from, int to, int flags) { return dups(from, to, flags, CALLER); }
static int own_dup2(int from, int to) { return dups(from, to, -1, CALLER); }
static int own_dup(int fd) { return dup(IN_PLACE(fd)); }

static int own_fcntl(int fd, int command, ...) {
	va_list args;
	va_start(args, command);
	void *argument = va_arg(args, void *);
	va_end(args);
	return fcntl(IN_PLACE(fd), command, argument);
}

static int own_close(int fd) {
	process *c = migbsp_of(CALLER);
	if ((unsigned)fd > 2 || !c || !c->streams || migbsp_forked)
		return migbsp_close(fd, CALLER);
	if (!c->streams->fds[fd])
		migbsp_refuse(c, "close: descriptor %d is of all processes of a rank: freopen and dup2 give a process its own, and so does  bspcc -static-rank", fd);
	if (!c->streams->closed[fd])
		fflush(c->standard[fd]);
	giveUp(c->streams, fd);
	c->streams->closed[fd] = 1;
	return 0;
}

static int own_isatty(int fd) { return isatty(IN_PLACE(fd)); }
static int own_fstat(int fd, struct stat *to) { return fstat(IN_PLACE(fd), to); }
static int own_fsync(int fd) { return fsync(IN_PLACE(fd)); }
static int own_ftruncate(int fd, off_t size) { return ftruncate(IN_PLACE(fd), size); }
static off_t own_lseek(int fd, off_t to, int whence) { return lseek(IN_PLACE(fd), to, whence); }

// Children of a process print behind its text, and to its output.

static int own_system(const char *command) {
	process *c = migbsp_now();
	if (!c || !c->streams || !command)
		return system(command);
	fflush(c->standard[1]);
	migbsp_prints(c, 1);
	fflush(stdout);
	int *fds = c->streams->fds;
	if (!fds[0] && !fds[1] && !fds[2])
		return system(command);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 3; i++)
			dup2(fds[i] ? fds[i] : i, i);
		execl("/bin/sh", "sh", "-c", command, (char *)0);
		_exit(127);
	}
	int status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child < 0 ? -1 : status;
}

static FILE *own_popen(const char *command, const char *mode) {
	process *c = migbsp_now();
	if (c && c->streams) {
		fflush(c->standard[1]);
		migbsp_prints(c, 1);
		fflush(stdout);
	}
	return popen(command, mode);
}

uintptr_t migbsp_of_streams(const char *name) {
#define STREAM(name, i) {name, offsetof(process, standard) + i * sizeof(FILE *)}
	static const migbsp_name all[] = {
		STREAM("stdin", 0), STREAM("stdout", 1), STREAM("stderr", 2),
		OWN(fflush), OWN(fflush_unlocked), OWN(fileno), ALIAS(fileno_unlocked, fileno), OWN(fclose), OWN(fcloseall), OWN(freopen), OWN(freopen64),
		OWN(write), OWN(writev), OWN(dprintf), OWN(vdprintf), OWN(__dprintf_chk), OWN(__vdprintf_chk),
		OWN(dup), OWN(dup2), OWN(dup3), OWN(close), OWN(fcntl), ALIAS(fcntl64, fcntl), OWN(isatty), OWN(fstat), ALIAS(fstat64, fstat),
		OWN(fsync), ALIAS(fdatasync, fsync), OWN(ftruncate), ALIAS(ftruncate64, ftruncate), OWN(lseek), ALIAS(lseek64, lseek),
		OWN(system), OWN(popen),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
