//go:build !staticrank

// What processes get instead of functions of the C library: memory of their own arenas, an end
// that is their own, and functions that note what keeps a process on its rank.
//
// malloc and its kin are those of the whole executable. Inside a process they allocate from its
// arena, unless it is the C library that asks, for something that belongs to the rank; free tells
// by the address. What the library allocates for its caller is therefore made here. The other
// functions are seen by the object alone: migbsp_instead.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define MIGBSP_INSIDE
#include "process.h"

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern ssize_t __read(int, void *, size_t);

enum { INPUT_ROOM = 1 << 16 }; // of what the library reads ahead

// migbsp_libraries has the C library make the data that it makes at its first use.
void migbsp_libraries(void) {
	static char in[INPUT_ROOM];
	setvbuf(stdin, in, isatty(0) ? _IOLBF : _IOFBF, sizeof in);
	if (stdin->_offset < 0 && lseek(0, 0, SEEK_CUR) < 0)
		stdin->_offset = 0; // which the library then counts on
	tzset();
}

// migbsp_output has what processes print written in blocks, and on a terminal in lines. MPICH, which starts
// before them, has each piece of a line written by itself, between which other ranks' come.
void migbsp_output(void) {
	static char out[1 << 16];
	setvbuf(stdout, out, isatty(1) ? _IOLBF : _IOFBF, sizeof out);
}

struct listing {
	char *text;
	size_t used, size;
};

static int list(struct dl_phdr_info *info, size_t size, void *to) {
	struct listing *l = to;
	(void)size;
	if (strstr(info->dlpi_name, "vdso") || l->size - l->used < 512)
		return 0;
	const char *name = strrchr(info->dlpi_name, '/');
	l->used += (size_t)snprintf(l->text + l->used, 256, "%s %lx ", name ? name + 1 : *info->dlpi_name ? info->dlpi_name : "launcher", (unsigned long)info->dlpi_addr);
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];
		if (p->p_type != PT_NOTE)
			continue;
		const char *note = (const char *)(info->dlpi_addr + p->p_vaddr), *end = note + p->p_memsz;
		while (end - note >= (long)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *h = (const void *)note;
			const char *owner = note + sizeof *h, *what = owner + ((h->n_namesz + 3) & ~3u);
			if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4)
				for (unsigned i = 0; i < h->n_descsz && i < 20; i++)
					l->used += (size_t)snprintf(l->text + l->used, 3, "%02x", (unsigned char)what[i]);
			note = what + ((h->n_descsz + 3) & ~3u);
		}
	}
	l->text[l->used++] = '\n';
	l->text[l->used] = 0;
	return 0;
}

// migbsp_list writes what the object's pointers may lead to: libraries, where they are, and which
// builds of them.
void migbsp_list(char *text, size_t size) {
	struct listing l = {text, 0, size};
	*text = 0;
	dl_iterate_phdr(list, &l);
}

// The standard input, as the C library has it. Its own names for the states of a stream are not
// in its headers.
enum { AT_END = 0x10, IN_ERROR = 0x20, PUSHED_BACK = 0x100 };

// migbsp_unread copies what the library has read of it and no process has, and returns how much that is.
size_t migbsp_unread(char *text, size_t size) {
	const FILE *f = stdin;
	size_t pushed = (size_t)(f->_IO_read_end - f->_IO_read_ptr), behind = 0;
	if (f->_flags & PUSHED_BACK)
		behind = (size_t)(f->_IO_save_end - f->_IO_save_base);
	if (pushed + behind <= size) {
		memcpy(text, f->_IO_read_ptr, pushed);
		memcpy(text + pushed, f->_IO_save_base, behind);
	}
	return pushed + behind;
}

// migbsp_forget forgets it, and that the input has ended.
void migbsp_forget(void) {
	__fpurge(stdin);
	clearerr(stdin);
}

int migbsp_input_flags(void) { return stdin->_flags & (AT_END | IN_ERROR); }

// migbsp_knows has the library know again what process 0 has seen of it.
void migbsp_knows(process *c) {
	if (c->pid == 0)
		stdin->_flags |= (int)c->inputFlags;
}

#define ALL INT64_MAX

// migbsp_read_so_far is how much the library has read of the input, -1 if that cannot be told. At the
// end of what is no file it does not count any longer.
int64_t migbsp_read_so_far(void) {
	off_t at = lseek(0, 0, SEEK_CUR);
	if (at >= 0)
		return at;
	return isatty(0) ? -1 : stdin->_offset < 0 ? ALL : stdin->_offset;
}

// migbsp_reads_on has the library go on reading where it has read so much, with what it had read
// and no process had.
int migbsp_reads_on(const char *text, size_t size, int64_t so_far) {
	if (so_far >= 0 && lseek(0, so_far == ALL ? 0 : so_far, so_far == ALL ? SEEK_END : SEEK_SET) < 0 && !isatty(0)) {
		char rest[4096];
		int64_t left = so_far;
		for (ssize_t n; left > 0; left -= n)
			if ((n = __read(0, rest, left < (int64_t)sizeof rest ? (size_t)left : sizeof rest)) <= 0)
				break;
		stdin->_offset = so_far == ALL ? -1 : so_far;
	}
	if (size > INPUT_ROOM) {
		char *room = __libc_malloc(size);
		if (!room)
			return -1;
		setvbuf(stdin, room, _IOFBF, size);
	}
	memcpy(stdin->_IO_buf_base, text, size);
	stdin->_IO_read_base = stdin->_IO_read_ptr = stdin->_IO_buf_base;
	stdin->_IO_read_end = stdin->_IO_buf_base + size;
	return 0;
}

// migbsp_flush writes what processes have printed.
void migbsp_flush(void) {
	static int looked;
	static void (*fortran)(int *);
	if (!looked) {
		looked = 1;
		*(void **)&fortran = dlsym(RTLD_DEFAULT, "_gfortran_flush_i4");
	}
	if (fortran)
		fortran(0);
	fflush(0);
}

// borrows says whether the library allocates for the process: all that it does, or if lent is positive, once so many
// bytes.
static process *borrows(process *c, size_t n) {
	if (c->lent > 0 && n != (size_t)c->lent)
		return 0;
	if (c->lent > 0)
		c->lent = 0;
	return c;
}

extern const char __executable_start[], etext[]; // the launcher's code, of the linker

// arena returns the process whose arena code at an address allocates so many bytes from, null if none: code of the
// process's program and libraries does, and this file; code of the rank does where it allocates for the process.
static inline process *arena(void *caller, size_t n) {
	process *c = migbsp_now();
	if (__builtin_expect(!c, 1))
		return 0;
	if (IN_SLOTS(caller) || (uintptr_t)caller - (uintptr_t)__executable_start < (uintptr_t)(etext - __executable_start))
		return c;
	return c->lent ? borrows(c, n) : 0;
}

#define CALLER __builtin_return_address(0)
#define EXPORT __attribute__((visibility("default"), noinline))

EXPORT void *malloc(size_t n) {
	process *c = arena(CALLER, n);
	return c ? migbsp_allocate(c, n) : __libc_malloc(n);
}

EXPORT void free(void *p) {
	if (!p)
		return;
	if (!IN_SLOTS(p)) {
		__libc_free(p);
		return;
	}
	process *c = migbsp_now();
	if (c && (char *)p - SLOT(c->pid) < (int64_t)migbsp_slot && (char *)p > (char *)c)
		migbsp_release(c, p);
}

EXPORT void *calloc(size_t n, size_t size) {
	process *c = arena(CALLER, 0);
	if (!c)
		return __libc_calloc(n, size);
	size_t all;
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return 0;
	}
	return migbsp_zeroed(c, all);
}

static void *resize(process *c, void *p, size_t n) {
	if (p && !IN_SLOTS(p))
		return __libc_realloc(p, n);
	if (!c)
		c = migbsp_now();
	if (!c)
		return p ? 0 : __libc_malloc(n);
	if (!p)
		return migbsp_allocate(c, n);
	if (n == 0) {
		migbsp_release(c, p);
		return 0;
	}
	return migbsp_resize(c, p, n);
}

EXPORT void *realloc(void *p, size_t n) {
	process *c = arena(CALLER, 0);
	if (!c && !p)
		return __libc_malloc(n);
	return resize(c, p, n);
}

EXPORT void *reallocarray(void *p, size_t n, size_t size) {
	size_t all;
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return 0;
	}
	process *c = arena(CALLER, 0);
	if (!c && !p)
		return __libc_malloc(all);
	return resize(c, p, all);
}

EXPORT void *memalign(size_t align, size_t n) {
	process *c = arena(CALLER, 0);
	return c ? migbsp_aligned(c, align, n) : __libc_memalign(align, n);
}

EXPORT void *aligned_alloc(size_t align, size_t n) __attribute__((alias("memalign")));

EXPORT int posix_memalign(void **p, size_t align, size_t n) {
	if (align < sizeof(void *) || align & (align - 1))
		return EINVAL;
	process *c = arena(CALLER, 0);
	void *q = c ? migbsp_aligned(c, align, n) : __libc_memalign(align, n);
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

EXPORT void *valloc(size_t n) {
	process *c = arena(CALLER, 0);
	return c ? migbsp_aligned(c, migbsp_page, n) : __libc_memalign(migbsp_page, n);
}

EXPORT void *pvalloc(size_t n) { return valloc((n + migbsp_page - 1) & -migbsp_page); }

EXPORT size_t malloc_usable_size(void *p) {
	static size_t (*next)(void *);
	if (!p)
		return 0;
	if (IN_SLOTS(p))
		return migbsp_usable(p);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "malloc_usable_size");
	return next ? next(p) : 0;
}

// What the C library allocates for its caller.

static char *copied(const char *s, size_t n) {
	char *p = malloc(n + 1);
	if (p) {
		memcpy(p, s, n);
		p[n] = 0;
	}
	return p;
}

static char *own_strdup(const char *s) { return copied(s, strlen(s)); }
static char *own_strndup(const char *s, size_t n) { return copied(s, strnlen(s, n)); }

// taken makes what the library has allocated memory of the process.
static char *taken(char *p) {
	if (!p || IN_SLOTS(p))
		return p;
	char *q = copied(p, strlen(p));
	__libc_free(p);
	return q;
}

static int own_vasprintf(char **p, const char *format, va_list args) {
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(0, 0, format, again);
	va_end(again);
	if (n < 0 || !(*p = malloc((size_t)n + 1)))
		return -1;
	return vsnprintf(*p, (size_t)n + 1, format, args);
}

static int own_asprintf(char **p, const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_vasprintf(p, format, args);
	va_end(args);
	return n;
}

static ssize_t own_getdelim(char **line, size_t *size, int end, FILE *f) {
	size_t n = 0;
	for (int ch; (ch = getc(f)) != EOF;) {
		if (!*line || n + 2 > *size) {
			size_t more = *line && *size > 60 ? 2 * *size : 120;
			char *p = realloc(*line, more);
			if (!p)
				return -1;
			*line = p;
			*size = more;
		}
		(*line)[n++] = (char)ch;
		if (ch == end)
			break;
	}
	if (n == 0)
		return -1;
	(*line)[n] = 0;
	return (ssize_t)n;
}

// What reads the standard input without the library's stream takes it from that too: where the process
// goes, it goes on behind what has been read. Other libraries, which have buffers of their own, get a
// line at a time, so that nothing is left there.
static ssize_t readInput(char *p, size_t n, int line) {
	size_t got = 0;
	for (int ch; got < n && (ch = getc_unlocked(stdin)) != EOF;) {
		p[got++] = (char)ch;
		if ((line && ch == '\n') || stdin->_IO_read_ptr == stdin->_IO_read_end)
			break;
	}
	return got == 0 && n > 0 && ferror(stdin) ? -1 : (ssize_t)got;
}

EXPORT ssize_t read(int fd, void *p, size_t n) {
	process *c;
	if (__builtin_expect(fd != 0, 1) || !(c = migbsp_now()) || c->pid > 0)
		return __read(fd, p, n);
	return readInput(p, n, !migbsp_is_code(c, (uintptr_t)CALLER));
}

static ssize_t own_read_chk(int fd, void *p, size_t n, size_t size) {
	process *c = migbsp_now();
	return fd == 0 && c && c->pid == 0 ? readInput(p, n, 0) : __read(fd, p, n);
}

static ssize_t own_getline(char **line, size_t *size, FILE *f) { return own_getdelim(line, size, '\n', f); }
static char *own_getcwd(char *p, size_t n) { return p ? getcwd(p, n) : taken(getcwd(0, n)); }
static char *own_get_current_dir_name(void) { return taken(get_current_dir_name()); }
static char *own_realpath(const char *path, char *p) { return p ? realpath(path, p) : taken(realpath(path, 0)); }

static wchar_t *own_wcsdup(const wchar_t *s) {
	wchar_t *p = malloc((wcslen(s) + 1) * sizeof *p);
	return p ? wcscpy(p, s) : p;
}

// lends is what the library is told of this process; of threads that it has started nobody asks.
static int64_t *lends(void) {
	static __thread int64_t none;
	process *c = migbsp_now();
	return c ? &c->lent : &none;
}

// LENT is a call in which all that the library allocates is the process's.
#define LENT(type, call) \
	int64_t *lent = lends(), before = *lent; \
	*lent = -1; \
	type result = call; \
	*lent = before; \
	return result

static int own_vsscanf(const char *text, const char *format, va_list args) { LENT(int, vsscanf(text, format, args)); }
static int own_vfscanf(FILE *f, const char *format, va_list args) { LENT(int, vfscanf(f, format, args)); }
static int own_vscanf(const char *format, va_list args) { return own_vfscanf(stdin, format, args); }

#define SCANS(name, call, ...) \
	static int own_##name(__VA_ARGS__, const char *format, ...) { \
		va_list args; \
		va_start(args, format); \
		int n = call; \
		va_end(args); \
		return n; \
	}

SCANS(sscanf, own_vsscanf(text, format, args), const char *text)
SCANS(fscanf, own_vfscanf(f, format, args), FILE *f)

static int own_scanf(const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_vscanf(format, args);
	va_end(args);
	return n;
}

static int own_regcomp(regex_t *to, const char *pattern, int flags) { LENT(int, regcomp(to, pattern, flags)); }
static int own_regexec(const regex_t *pattern, const char *text, size_t n, regmatch_t *found, int flags) { LENT(int, regexec(pattern, text, n, found, flags)); }
static void *own_tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) { LENT(void *, tsearch(key, root, compare)); }
static int own_glob(const char *pattern, int flags, int (*wrong)(const char *, int), glob_t *to) { LENT(int, glob(pattern, flags, wrong, to)); }
static int own_scandir(const char *path, struct dirent ***to, int (*wanted)(const struct dirent *), int (*compare)(const struct dirent **, const struct dirent **)) {
	LENT(int, scandir(path, to, wanted, compare));
}

// aside is how much the library allocates to sort, before the first comparison, which may synchronise.
static int64_t aside(size_t n, size_t size) { return (int64_t)(size > 32 ? 2 * n * sizeof(void *) + size : n * size); }

static void own_qsort(void *from, size_t n, size_t size, int (*compare)(const void *, const void *)) {
	int64_t *lent = lends();
	*lent = aside(n, size);
	qsort(from, n, size, compare);
	*lent = 0;
}

static void own_qsort_r(void *from, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *argument) {
	int64_t *lent = lends();
	*lent = aside(n, size);
	qsort_r(from, n, size, compare, argument);
	*lent = 0;
}

// What is printed and read stays in memory of the rank on its way.

static int own_setvbuf(FILE *f, char *room, int mode, size_t size) {
	int standard = f == stdin || f == stdout || f == stderr;
	return setvbuf(f, standard ? 0 : room, mode, standard && mode != _IONBF ? BUFSIZ : size);
}

static void own_setbuffer(FILE *f, char *room, size_t size) { own_setvbuf(f, room, room ? _IOFBF : _IONBF, size); }
static void own_setbuf(FILE *f, char *room) { own_setbuffer(f, room, BUFSIZ); }

// The streams of C++ keep what they have in the library, which is the rank's: they stay those of C, whose
// input goes where the process goes.
static _Bool own_sync_with_stdio(_Bool sync) { return 1; }

// The end of a process.

void migbsp_leaver(void (*f)(void *), void *argument) {
	process *c = migbsp_now();
	if (!c) // a thread of the program: for the end of the process nobody is asked
		return;
	if (c->nleavers == c->cleavers) {
		c->cleavers = c->cleavers ? 2 * c->cleavers : 32;
		c->leavers = resize(c, c->leavers, sizeof *c->leavers * (size_t)c->cleavers);
	}
	c->leavers[c->nleavers++] = (leaver){f, argument};
}

static int own_cxa_atexit(void (*f)(void *), void *argument, void *object) {
	(void)object;
	migbsp_leaver(f, argument);
	return 0;
}

static int own_atexit(void (*f)(void)) {
	migbsp_leaver((void (*)(void *))(uintptr_t)f, 0);
	return 0;
}

static void own_cxa_finalize(void *object) { (void)object; }

static _Noreturn void own_exit_now(int code) {
	process *c = migbsp_now();
	if (!c || migbsp_forked)
		syscall(SYS_exit_group, code);
	c->nleavers = 0;
	c->a = code;
	for (;;)
		migbsp_stop(c, OP_EXIT);
}

// Jumps.
int migbsp_setjmp(void *);
_Noreturn void migbsp_longjmp(void *, int);

// What keeps a process where it is.

static void pins(const char *what) {
	process *c = migbsp_now();
	if (c->open++ == 0) {
		c->pinSite = c->site;
		snprintf(c->pin, sizeof c->pin, "%s", what);
	}
}

void migbsp_unpins(void) {
	process *c = migbsp_now();
	if (c && c->open > 0)
		c->open--;
}

// NEXT finds the function of a name that is not this file's.
#define NEXT(f, name) \
	if (!f) \
	*(void **)&f = dlsym(RTLD_NEXT, name)

// notes is what a process's call of a function that opens something has led to.
static void notes(const char *name, void *caller, int opened) {
	process *c = migbsp_now();
	if (!c || !opened)
		return;
	uintptr_t site = migbsp_site(c, (uintptr_t)caller, (uintptr_t)__builtin_frame_address(0));
	if (site)
		c->site = site;
	pins(name);
}

void migbsp_pins(const char *what, void *caller) { notes(what, caller, 1); }

// A process of the system's that a process has made has nothing of the engine, and ends by itself.

int migbsp_forked;

static pid_t own_fork(void) {
	notes("fork", CALLER, 1);
	migbsp_flush(); // or both would print it
	process *c = migbsp_now();
	if (c)
		migbsp_forks(c, FORK_PREPARE);
	pid_t child = fork();
	if (child == 0) {
		migbsp_forked = 1;
		__fpurge(stdout); // of other processes
	}
	if (c)
		migbsp_forks(c, child == 0 ? FORK_CHILD : FORK_PARENT);
	return child;
}

// Functions that libraries call for processes too are those of the whole executable.
#define OPENS(result, name, none, parameters, arguments) \
	EXPORT result name parameters { \
		static result(*next) parameters; \
		NEXT(next, #name); \
		result r = next arguments; \
		notes(#name, CALLER, r != none); \
		return r; \
	}

#define CLOSES(name, type, standard) \
	EXPORT int name(type what) { \
		static int (*next)(type); \
		NEXT(next, #name); \
		if (migbsp_now() && !(standard)) \
			migbsp_unpins(); \
		return next(what); \
	}

OPENS(FILE *, fopen, 0, (const char *path, const char *mode), (path, mode))
OPENS(FILE *, fopen64, 0, (const char *path, const char *mode), (path, mode))
OPENS(FILE *, fdopen, 0, (int fd, const char *mode), (fd, mode))
OPENS(FILE *, tmpfile, 0, (void), ())
OPENS(FILE *, tmpfile64, 0, (void), ())
OPENS(FILE *, popen, 0, (const char *command, const char *mode), (command, mode))
OPENS(FILE *, fmemopen, 0, (void *p, size_t n, const char *mode), (p, n, mode))
OPENS(FILE *, open_memstream, 0, (char **p, size_t *n), (p, n))
OPENS(DIR *, opendir, 0, (const char *path), (path))
OPENS(int, mkstemp, -1, (char *path), (path))
OPENS(int, mkstemp64, -1, (char *path), (path))
OPENS(int, mkostemp, -1, (char *path, int flags), (path, flags))
OPENS(int, mkostemp64, -1, (char *path, int flags), (path, flags))
OPENS(int, accept, -1, (int fd, struct sockaddr *restrict from, socklen_t *restrict size), (fd, from, size))
OPENS(int, creat, -1, (const char *path, mode_t mode), (path, mode))
OPENS(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
CLOSES(fclose, FILE *, what == stdin || what == stdout || what == stderr)
CLOSES(pclose, FILE *, 0)
CLOSES(closedir, DIR *, 0)
CLOSES(close, int, what < 3)

EXPORT FILE *freopen(const char *path, const char *mode, FILE *f) {
	static FILE *(*next)(const char *, const char *, FILE *);
	NEXT(next, "freopen");
	if (f == stdin || f == stdout || f == stderr)
		notes("freopen", CALLER, 1);
	return next(path, mode, f);
}

#define OPENS_AT(name) \
	EXPORT int name(const char *path, int flags, ...) { \
		static int (*next)(const char *, int, mode_t); \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = va_arg(args, mode_t); \
		va_end(args); \
		NEXT(next, #name); \
		int r = next(path, flags, mode); \
		notes(#name, CALLER, r != -1); \
		return r; \
	}

OPENS_AT(open)
OPENS_AT(open64)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument) {
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	NEXT(next, "pthread_create");
	notes("pthread_create", CALLER, 1);
	return next(thread, attributes, f, argument);
}

static int own_munmap(void *p, size_t n) {
	migbsp_unpins();
	return munmap(p, n);
}

#define OTHER(name) \
	static void *own_##name(void *a, void *b, void *c, void *d, void *e, void *f) { \
		static void *(*next)(void *, void *, void *, void *, void *, void *); \
		notes(#name, CALLER, 1); \
		if (!next) \
			*(void **)&next = dlsym(RTLD_DEFAULT, #name); \
		return next(a, b, c, d, e, f); \
	}

OTHER(mmap)
OTHER(mmap64)
OTHER(dlopen)
OTHER(pipe)
OTHER(shm_open)
OTHER(shmat)
OTHER(posix_spawn)
OTHER(posix_spawnp)
OTHER(MPI_Comm_dup)
OTHER(MPI_Comm_split)

// MPI is the launcher's, where it has it: a program that begins it finds it begun, and leaves its
// end to the launcher.
#define NO_MPI "%s: MPI has not begun: start the program by mpirun, with a launcher that was built for MPI, or link it by  bspcc -static-rank"

static int own_MPI_Init(int *argc, char ***argv) {
	int (*begun)(int *), has = 0;
	(void)argc, (void)argv;
	*(void **)&begun = dlsym(RTLD_DEFAULT, "MPI_Initialized");
	notes("MPI_Init", CALLER, 1);
	if (begun(&has) || !has)
		migbsp_fail(NO_MPI, "MPI_Init");
	return 0;
}

static int own_MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
	int (*begun)(int *), (*level)(int *), has = 0;
	(void)argc, (void)argv, (void)wanted;
	*(void **)&begun = dlsym(RTLD_DEFAULT, "MPI_Initialized");
	*(void **)&level = dlsym(RTLD_DEFAULT, "MPI_Query_thread");
	notes("MPI_Init_thread", CALLER, 1);
	if (begun(&has) || !has)
		migbsp_fail(NO_MPI, "MPI_Init_thread");
	return level(given);
}

static void own_mpi_init(int *code) { *code = own_MPI_Init(0, 0); }
static void own_mpi_init_thread(int *wanted, int *given, int *code) { *code = own_MPI_Init_thread(0, 0, *wanted, given); }

static int own_MPI_Finalize(void) {
	migbsp_unpins();
	return 0;
}

static void own_mpi_finalize(int *code) { *code = own_MPI_Finalize(); }

static const uintptr_t guard = 0x00a7c3e1942f6b58ul;

void *migbsp_instead(const char *name) {
	static const struct { const char *name; void *at; } all[] = {
		{"strdup", own_strdup}, {"__strdup", own_strdup}, {"strndup", own_strndup}, {"__strndup", own_strndup},
		{"vasprintf", own_vasprintf}, {"asprintf", own_asprintf}, {"getdelim", own_getdelim}, {"__getdelim", own_getdelim}, {"getline", own_getline},
		{"getcwd", own_getcwd}, {"realpath", own_realpath}, {"__read_chk", own_read_chk},
		{"wcsdup", own_wcsdup}, {"get_current_dir_name", own_get_current_dir_name},
		{"__isoc99_sscanf", own_sscanf}, {"__isoc99_fscanf", own_fscanf}, {"__isoc99_scanf", own_scanf},
		{"__isoc23_sscanf", own_sscanf}, {"__isoc23_fscanf", own_fscanf}, {"__isoc23_scanf", own_scanf},
		{"__isoc99_vsscanf", own_vsscanf}, {"__isoc99_vfscanf", own_vfscanf}, {"__isoc99_vscanf", own_vscanf},
		{"__isoc23_vsscanf", own_vsscanf}, {"__isoc23_vfscanf", own_vfscanf}, {"__isoc23_vscanf", own_vscanf},
		{"regcomp", own_regcomp}, {"regexec", own_regexec}, {"tsearch", own_tsearch}, {"glob", own_glob}, {"scandir", own_scandir},
		{"qsort", own_qsort}, {"qsort_r", own_qsort_r},
		{"setvbuf", own_setvbuf}, {"setbuf", own_setbuf}, {"setbuffer", own_setbuffer},
		{"_ZNSt8ios_base15sync_with_stdioEb", own_sync_with_stdio},
		{"exit", migbsp_exit}, {"_exit", own_exit_now}, {"_Exit", own_exit_now}, {"quick_exit", own_exit_now},
		{"atexit", own_atexit}, {"__cxa_atexit", own_cxa_atexit}, {"__cxa_finalize", own_cxa_finalize},
		{"setjmp", migbsp_setjmp}, {"_setjmp", migbsp_setjmp}, {"__sigsetjmp", migbsp_setjmp},
		{"longjmp", migbsp_longjmp}, {"_longjmp", migbsp_longjmp}, {"siglongjmp", migbsp_longjmp}, {"__longjmp_chk", migbsp_longjmp},
		{"__tls_get_addr", migbsp_tls}, {"__stack_chk_guard", (void *)&guard},
		{"mmap", own_mmap}, {"mmap64", own_mmap64}, {"munmap", own_munmap}, {"dlopen", own_dlopen}, {"pipe", own_pipe},
		{"shm_open", own_shm_open}, {"shmat", own_shmat},
		{"fork", own_fork}, {"vfork", own_fork}, {"posix_spawn", own_posix_spawn}, {"posix_spawnp", own_posix_spawnp},
		{"MPI_Init", own_MPI_Init}, {"MPI_Init_thread", own_MPI_Init_thread}, {"MPI_Finalize", own_MPI_Finalize},
		{"mpi_init_", own_mpi_init}, {"mpi_init_thread_", own_mpi_init_thread}, {"mpi_finalize_", own_mpi_finalize},
		{"MPI_Comm_dup", own_MPI_Comm_dup}, {"MPI_Comm_split", own_MPI_Comm_split},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(name, all[i].name))
			return all[i].at;
	return 0;
}
