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

#include "inside.h"

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern ssize_t __read(int, void *, size_t);

enum { INPUT_ROOM = 1 << 16 }; // of what the library reads ahead

// migbsp_libraries has the C library make the data that it makes at its first use.
void migbsp_libraries(void) {
	migbsp_first_turn();
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
enum { PUSHED_BACK = 0x100 };

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
	process *c = migbsp_now();
	if (c)
		migbsp_finishes(c);
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

// migbsp_lends returns the mark of a process that runs, or of a thread that it has made, for memory that the library allocates.
int64_t *migbsp_lends(void) {
	static __thread int64_t ofThread;
	process *c = migbsp_now();
	return c ? &c->lent : &ofThread;
}

// borrows says whether the library allocates for the process: all that it does, or if lent is positive, once so many
// bytes.
static process *borrows(process *c, size_t n) {
	int64_t *lent = migbsp_lends();
	if (*lent > 0 && n != (size_t)*lent)
		return 0;
	if (*lent > 0)
		*lent = 0;
	return c;
}

extern const char __executable_start[], etext[]; // the launcher's code, of the linker

// arena returns the process whose arena code at an address allocates so many bytes from, null if none: code of the
// process's program and libraries does, and this file; code of the rank does where it allocates for the process.
static inline process *arena(void *caller, size_t n) {
	process *c = migbsp_now();
	if (__builtin_expect(!c, 0) && !(c = migbsp_who(caller)))
		return 0;
	if (IN_SLOTS(caller) || (uintptr_t)caller - (uintptr_t)__executable_start < (uintptr_t)(etext - __executable_start))
		return c;
	return *migbsp_lends() ? borrows(c, n) : 0;
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
	if (!c && !(c = migbsp_who(CALLER)))
		return;
	if ((char *)p - SLOT(c->pid) < (int64_t)migbsp_slot && (char *)p > (char *)c)
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
		c = migbsp_who(0);
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

static int own_vasprintf_chk(char **p, int flag, const char *format, va_list args) { return (void)flag, own_vasprintf(p, format, args); }

static int own_asprintf_chk(char **p, int flag, const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_vasprintf(p, format, args);
	va_end(args);
	return (void)flag, n;
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

EXPORT ssize_t read(int fd, void *p, size_t n) {
	process *c;
	if (__builtin_expect(fd != 0, 1) || !(c = migbsp_now()) || !c->streams)
		return __read(fd, p, n);
	return migbsp_input(c, p, n, !migbsp_is_code(c, (uintptr_t)CALLER));
}

static ssize_t own_read_chk(int fd, void *p, size_t n, size_t size) {
	process *c = migbsp_now();
	return fd == 0 && c && c->streams ? migbsp_input(c, p, n, 0) : __read(fd, p, n);
}

static ssize_t own_getline(char **line, size_t *size, FILE *f) { return own_getdelim(line, size, '\n', f); }
static char *own_getcwd(char *p, size_t n) { return p ? getcwd(p, n) : taken(getcwd(0, n)); }
static char *own_get_current_dir_name(void) { return taken(get_current_dir_name()); }
static char *own_getcwd_chk(char *p, size_t n, size_t room) { return n > room ? own_getcwd(p, room) : own_getcwd(p, n); }
static char *own_realpath(const char *path, char *p) { return p ? realpath(path, p) : taken(realpath(path, 0)); }
static char *own_realpath_chk(const char *path, char *p, size_t room) { return (void)room, own_realpath(path, p); }

static wchar_t *own_wcsdup(const wchar_t *s) {
	wchar_t *p = malloc((wcslen(s) + 1) * sizeof *p);
	return p ? wcscpy(p, s) : p;
}


static int own_vsscanf(const char *text, const char *format, va_list args) { LENT(int, vsscanf(text, format, args)); }
static int own_vfscanf(FILE *f, const char *format, va_list args) { LENT(int, vfscanf(f, format, args)); }
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

static int own_regcomp(regex_t *to, const char *pattern, int flags) { LENT(int, regcomp(to, pattern, flags)); }
static int own_regexec(const regex_t *pattern, const char *text, size_t n, regmatch_t *found, int flags) { LENT(int, regexec(pattern, text, n, found, flags)); }
static void *own_tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) { LENT(void *, tsearch(key, root, compare)); }
static int own_scandir(const char *path, struct dirent ***to, int (*wanted)(const struct dirent *), int (*compare)(const struct dirent **, const struct dirent **)) {
	LENT(int, scandir(path, to, wanted, compare));
}

// aside is how much the library allocates to sort, before the first comparison, which may synchronise.
static int64_t aside(size_t n, size_t size) { return (int64_t)(size > 32 ? 2 * n * sizeof(void *) + size : n * size); }

static void own_qsort(void *from, size_t n, size_t size, int (*compare)(const void *, const void *)) {
	int64_t *lent = migbsp_lends();
	*lent = aside(n, size);
	qsort(from, n, size, compare);
	*lent = 0;
}

static void own_qsort_r(void *from, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *argument) {
	int64_t *lent = migbsp_lends();
	*lent = aside(n, size);
	qsort_r(from, n, size, compare, argument);
	*lent = 0;
}

// The streams of C++ keep what they have in the library, which is the rank's: they stay those of C, whose
// input goes where the process goes.
static _Bool own_sync_with_stdio(_Bool sync) { return 1; }

// The end of a process.

static int leaves(int when, leaver l) {
	process *c = migbsp_who(0);
	leavers *of = &c->leavers[when];
	if (of->n == of->room) {
		int64_t room = of->room ? 2 * of->room : 32;
		leaver *larger = resize(c, of->all, sizeof *larger * (size_t)room);
		if (!larger)
			return -1;
		of->all = larger;
		of->room = room;
	}
	of->all[of->n++] = l;
	return 0;
}

void migbsp_leaver(void (*f)(void *), void *argument) { leaves(AT_EXIT, (leaver){.call = f, .argument = argument}); }

static int own_cxa_atexit(void (*f)(void *), void *argument, void *object) { return leaves(AT_EXIT, (leaver){.call = f, .argument = argument}); }
static int own_atexit(void (*f)(void)) { return own_cxa_atexit((void (*)(void *))(uintptr_t)f, 0, 0); }
static int own_on_exit(void (*f)(int, void *), void *argument) { return leaves(AT_EXIT, (leaver){.with = f, .argument = argument}); }
static int own_cxa_at_quick_exit(void (*f)(void *), void *object) { return leaves(AT_QUICK_EXIT, (leaver){.call = f}); }
static int own_at_quick_exit(void (*f)(void)) { return own_cxa_at_quick_exit((void (*)(void *))(uintptr_t)f, 0); }
static void own_cxa_finalize(void *object) { (void)object; }

// C++ destroys variables of a thread at the end of the thread: for a process, at its own end.
static int own_cxa_thread_atexit(void (*f)(void *), void *argument, void *object) {
	static int (*next)(void (*)(void *), void *, void *);
	if (migbsp_now())
		return leaves(AT_THREAD_EXIT, (leaver){.call = f, .argument = argument});
	if (!next)
		*(void **)&next = dlsym(RTLD_DEFAULT, "__cxa_thread_atexit_impl");
	return next(f, argument, object);
}

// migbsp_leave_by calls the functions of a kind, the last first.
void migbsp_leave_by(process *c, int when, int code) {
	leavers *of = &c->leavers[when];
	while (of->n > 0) {
		leaver l = of->all[--of->n];
		if (l.with)
			l.with(code, l.argument);
		else
			l.call(l.argument);
	}
}

_Noreturn void migbsp_ends_now(int code) {
	process *c = migbsp_now();
	if (migbsp_forked)
		syscall(SYS_exit_group, code);
	if (!c)
		migbsp_refuses(0, "exit: return from main instead, or call it there");
	c->a = code;
	for (;;)
		migbsp_stop(c, OP_EXIT);
}

static _Noreturn void own_quick_exit(int code) {
	if (migbsp_now())
		migbsp_leave_by(migbsp_now(), AT_QUICK_EXIT, code);
	migbsp_ends_now(code);
}

// Jumps.
int migbsp_setjmp(void *);
int migbsp_sigsetjmp(void *, int);
_Noreturn void migbsp_siglongjmp(struct __jmp_buf_tag *, int);

static const uintptr_t guard = 0x00a7c3e1942f6b58ul;

void *migbsp_instead(const char *name) {
	static const migbsp_function all[] = {
		{"strdup", own_strdup}, {"__strdup", own_strdup}, {"strndup", own_strndup}, {"__strndup", own_strndup},
		{"vasprintf", own_vasprintf}, {"asprintf", own_asprintf}, {"__vasprintf_chk", own_vasprintf_chk}, {"__asprintf_chk", own_asprintf_chk}, {"__asprintf", own_asprintf}, {"getdelim", own_getdelim}, {"__getdelim", own_getdelim}, {"getline", own_getline},
		{"getcwd", own_getcwd}, {"__getcwd_chk", own_getcwd_chk}, {"realpath", own_realpath}, {"__realpath_chk", own_realpath_chk}, {"__read_chk", own_read_chk},
		{"wcsdup", own_wcsdup}, {"get_current_dir_name", own_get_current_dir_name},
		{"sscanf", own_sscanf}, {"fscanf", own_fscanf}, {"vsscanf", own_vsscanf}, {"vfscanf", own_vfscanf}, {"__isoc99_sscanf", own_sscanf}, {"__isoc99_fscanf", own_fscanf},
		{"__isoc23_sscanf", own_sscanf}, {"__isoc23_fscanf", own_fscanf},
		{"__isoc99_vsscanf", own_vsscanf}, {"__isoc99_vfscanf", own_vfscanf},
		{"__isoc23_vsscanf", own_vsscanf}, {"__isoc23_vfscanf", own_vfscanf},
		{"regcomp", own_regcomp}, {"regexec", own_regexec}, {"tsearch", own_tsearch}, {"scandir", own_scandir},
		{"qsort", own_qsort}, {"qsort_r", own_qsort_r},
		{"_ZNSt8ios_base15sync_with_stdioEb", own_sync_with_stdio},
		{"exit", migbsp_exit}, {"_exit", migbsp_ends_now}, {"_Exit", migbsp_ends_now}, {"quick_exit", own_quick_exit},
		{"atexit", own_atexit}, {"__cxa_atexit", own_cxa_atexit}, {"__cxa_finalize", own_cxa_finalize}, {"on_exit", own_on_exit},
		{"at_quick_exit", own_at_quick_exit}, {"__cxa_at_quick_exit", own_cxa_at_quick_exit},
		{"__cxa_thread_atexit", own_cxa_thread_atexit}, {"__cxa_thread_atexit_impl", own_cxa_thread_atexit},
		{"setjmp", migbsp_setjmp}, {"_setjmp", migbsp_setjmp}, {"__sigsetjmp", migbsp_sigsetjmp},
		{"longjmp", migbsp_siglongjmp}, {"_longjmp", migbsp_siglongjmp}, {"siglongjmp", migbsp_siglongjmp}, {"__longjmp_chk", migbsp_siglongjmp},
		{"__tls_get_addr", migbsp_tls}, {"__stack_chk_guard", (void *)&guard},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(name, all[i].name))
			return all[i].at;
	static const migbsp_function *const others[] = {migbsp_held_names, migbsp_thread_names, migbsp_clock_names, migbsp_mapping_names};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		for (const migbsp_function *n = others[i]; n->name; n++)
			if (!strcmp(name, n->name))
				return n->at;
	return 0;
}
