//go:build !staticrank

// Memory that the C library allocates for its caller: it is the process's, or the process stays on its rank as long as
// it has it.
#define _GNU_SOURCE
#include <argz.h>
#include <envz.h>
#include <errno.h>
#include <execinfo.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <dlfcn.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nl_types.h>
#include <obstack.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>
#include <wordexp.h>

#include "inside.h"

#define CALLER __builtin_return_address(0)

#define LENDING(type, name, parameters, arguments) \
	static type own_##name parameters { LENT(type, name arguments); }

LENDING(error_t, argz_create, (char *const argv[], char **argz, size_t *n), (argv, argz, n))
LENDING(error_t, argz_create_sep, (const char *text, int ch, char **argz, size_t *n), (text, ch, argz, n))
LENDING(error_t, argz_add, (char **argz, size_t *n, const char *text), (argz, n, text))
LENDING(error_t, argz_add_sep, (char **argz, size_t *n, const char *text, int ch), (argz, n, text, ch))
LENDING(error_t, argz_append, (char **argz, size_t *n, const char *text, size_t size), (argz, n, text, size))
LENDING(error_t, argz_insert, (char **argz, size_t *n, char *before_, const char *text), (argz, n, before_, text))
LENDING(error_t, argz_replace, (char **argz, size_t *n, const char *old, const char *text, unsigned *count), (argz, n, old, text, count))
LENDING(error_t, envz_add, (char **envz, size_t *n, const char *name, const char *value), (envz, n, name, value))
LENDING(error_t, envz_merge, (char **envz, size_t *n, const char *other, size_t m, int over), (envz, n, other, m, over))
LENDING(int, _obstack_begin, (struct obstack *o, size_t size, size_t align, void *(*take)(size_t), void (*give)(void *)), (o, size, align, (void *(*)(long))(uintptr_t)take, give))
LENDING(int, _obstack_begin_1, (struct obstack *o, size_t size, size_t align, void *(*take)(void *, size_t), void (*give)(void *, void *), void *argument), (o, size, align, (void *(*)(void *, long))(uintptr_t)take, give, argument))
LENDING(int, obstack_vprintf, (struct obstack *o, const char *format, va_list args), (o, format, args))

LENDING(const char *, re_compile_pattern, (const char *pattern, size_t n, struct re_pattern_buffer *to), (pattern, n, to))
LENDING(int, re_compile_fastmap, (struct re_pattern_buffer *to), (to))
LENDING(regoff_t, re_search, (struct re_pattern_buffer *pattern, const char *text, regoff_t n, regoff_t from, regoff_t range, struct re_registers *found), (pattern, text, n, from, range, found))
LENDING(regoff_t, re_match, (struct re_pattern_buffer *pattern, const char *text, regoff_t n, regoff_t from, struct re_registers *found), (pattern, text, n, from, found))
LENDING(int, vswscanf, (const wchar_t *text, const wchar_t *format, va_list args), (text, format, args))

static int own_swscanf(const wchar_t *text, const wchar_t *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_vswscanf(text, format, args);
	va_end(args);
	return n;
}

static int own___obstack_vprintf_chk(struct obstack *o, int flag, const char *format, va_list args) { return (void)flag, own_obstack_vprintf(o, format, args); }

static int own___obstack_printf_chk(struct obstack *o, int flag, const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_obstack_vprintf(o, format, args);
	va_end(args);
	return (void)flag, n;
}

static int grown(struct obstack *o, size_t n) {
	_obstack_newchunk(o, n);
	return 0;
}
static int grows(struct obstack *o, size_t n) { LENT(int, grown(o, n)); }
static void own__obstack_newchunk(struct obstack *o, size_t n) { grows(o, n); }

static int own_obstack_printf(struct obstack *o, const char *format, ...) {
	va_list args;
	va_start(args, format);
	int n = own_obstack_vprintf(o, format, args);
	va_end(args);
	return n;
}

// adopted moves memory that the library has allocated to the heap of the process, which frees it.
static void *adopted(void *p, size_t n) {
	process *c = migbsp_now();
	if (!p || !c || IN_SLOTS(p))
		return p;
	void *q = migbsp_allocate(c, n);
	if (q)
		memcpy(q, p, n);
	free(p);
	return q;
}

static char *text(char *p) { return p ? adopted(p, strlen(p) + 1) : 0; }

static char *own_tempnam(const char *path, const char *prefix) {
	static char *(*next)(const char *, const char *); // linkers warn of its name
	if (!next)
		*(void **)&next = dlsym(RTLD_DEFAULT, "tempnam");
	return text(next(path, prefix));
}

static char *own_canonicalize_file_name(const char *path) { return text(canonicalize_file_name(path)); }

static void list(char ***words, size_t before, size_t n) {
	*words = adopted(*words, (before + n + 1) * sizeof **words);
	for (size_t i = before; *words && i < before + n; i++)
		(*words)[i] = text((*words)[i]);
}

static int own_glob(const char *pattern, int flags, int (*wrong)(const char *, int), glob_t *to) {
	migbsp_pins("glob", CALLER); // wrong may synchronise
	int r = glob(pattern, flags, wrong, to);
	migbsp_unpins();
	if (to->gl_pathv)
		list(&to->gl_pathv, flags & GLOB_DOOFFS ? to->gl_offs : 0, to->gl_pathc);
	return r;
}

static int own_wordexp(const char *words, wordexp_t *to, int flags) {
	int r = wordexp(words, to, flags);
	if ((r == 0 || r == WRDE_NOSPACE) && to->we_wordv)
		list(&to->we_wordv, flags & WRDE_DOOFFS ? to->we_offs : 0, to->we_wordc);
	return r;
}

static int own_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **to) {
	process *c = migbsp_now();
	struct addrinfo *all = 0, **at = to;
	int r = getaddrinfo(node, service, hints, &all);
	if (r || !c) {
		*to = all;
		return r;
	}
	for (struct addrinfo *a = all; a; a = a->ai_next) { // as the library frees it
		struct addrinfo *own = migbsp_allocate(c, sizeof *own + a->ai_addrlen);
		if (!own)
			return EAI_MEMORY;
		*own = *a;
		own->ai_addr = memcpy(own + 1, a->ai_addr, a->ai_addrlen);
		if (a->ai_canonname && (own->ai_canonname = migbsp_allocate(c, strlen(a->ai_canonname) + 1)))
			strcpy(own->ai_canonname, a->ai_canonname);
		*at = own;
		at = &own->ai_next;
	}
	*at = 0;
	freeaddrinfo(all);
	return 0;
}

enum { LINK_STATISTICS = 96 }; // bytes, of an interface

static int own_getifaddrs(struct ifaddrs **to) {
	process *c = migbsp_now();
	struct ifaddrs *all;
	int r = getifaddrs(&all);
	if (r || !c) {
		*to = all;
		return r;
	}
	size_t n = 0;
	for (struct ifaddrs *a = all; a; a = a->ifa_next)
		n++;
	size_t each = sizeof *all + 3 * sizeof(struct sockaddr_storage) + IF_NAMESIZE + LINK_STATISTICS;
	struct ifaddrs *own = n ? migbsp_zeroed(c, n * each) : 0;
	struct sockaddr_storage *addresses = (struct sockaddr_storage *)(own + n);
	char *rest = (char *)(addresses + 3 * n);
	struct ifaddrs *to_ = own;
	for (struct ifaddrs *a = all; own && a; a = a->ifa_next, to_++) {
		*to_ = *a;
		to_->ifa_next = a->ifa_next ? to_ + 1 : 0;
		to_->ifa_name = strncpy(rest, a->ifa_name, IF_NAMESIZE - 1);
		rest += IF_NAMESIZE;
		struct sockaddr **from[] = {&a->ifa_addr, &a->ifa_netmask, &a->ifa_dstaddr}, **into[] = {&to_->ifa_addr, &to_->ifa_netmask, &to_->ifa_dstaddr};
		for (int i = 0; i < 3; i++, addresses++)
			if (*from[i])
				*into[i] = memcpy(addresses, *from[i], (*from[i])->sa_family == AF_INET ? sizeof(struct sockaddr_in) : (*from[i])->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 20);
		if (a->ifa_data)
			to_->ifa_data = memcpy(rest, a->ifa_data, LINK_STATISTICS);
		rest += LINK_STATISTICS;
	}
	freeifaddrs(all);
	*to = own;
	if (n && !own)
		errno = ENOMEM;
	return n && !own ? -1 : 0;
}

static struct if_nameindex *own_if_nameindex(void) {
	struct if_nameindex *all = if_nameindex();
	size_t n = 0;
	while (all && all[n].if_name)
		n++;
	all = adopted(all, (n + 1) * sizeof *all);
	for (size_t i = 0; all && i < n; i++)
		all[i].if_name = text(all[i].if_name);
	return all;
}

static char **own_backtrace_symbols(void *const *at, int n) {
	char **all = backtrace_symbols(at, n);
	size_t size = n > 0 ? (size_t)n * sizeof *all : 0;
	if (!all || n <= 0 || !migbsp_now())
		return all;
	for (int i = 0; i < n; i++) {
		size_t end = (size_t)(all[i] + strlen(all[i]) + 1 - (char *)all);
		if (end > size)
			size = end;
	}
	char *from = (char *)all;
	char **own = migbsp_allocate(migbsp_now(), size);
	if (own) {
		memcpy(own, all, size);
		for (int i = 0; i < n; i++)
			own[i] = (char *)own + (all[i] - from);
	}
	free(all);
	return own;
}

// A stream in memory: the memory is the process's when it closes the stream.

struct memory {
	struct memory *next;
	FILE *stream;
	char **at;
	size_t *size, unit;
};

static FILE *memory(FILE *f, void *at, size_t *size, size_t unit) {
	process *c = migbsp_now();
	struct memory *m = c && f ? migbsp_allocate(c, sizeof *m) : 0;
	if (m) {
		*m = (struct memory){c->memories, f, at, size, unit};
		c->memories = m;
	}
	return f;
}

static FILE *own_open_memstream(char **at, size_t *size) { return memory(open_memstream(at, size), at, size, 1); }

static FILE *own_open_wmemstream(wchar_t **at, size_t *size) {
	FILE *f = open_wmemstream(at, size);
	return memory(f, at, size, sizeof(wchar_t));
}

// migbsp_fclose closes a stream.
int migbsp_fclose(process *c, FILE *f) {
	struct memory **m = c ? &c->memories : 0;
	while (m && *m && (*m)->stream != f)
		m = &(*m)->next;
	int r = fclose(f);
	if (m && *m) {
		struct memory *gone = *m;
		*gone->at = adopted(*gone->at, (*gone->size + 1) * gone->unit);
		*m = gone->next;
		migbsp_release(c, gone);
	}
	return r;
}

// Memory of the rank that a process has until it gives it back.

static iconv_t own_iconv_open(const char *to, const char *from) {
	iconv_t r = iconv_open(to, from);
	if (r != (iconv_t)-1)
		migbsp_pins("iconv_open", CALLER);
	return r;
}

static int own_iconv_close(iconv_t it) {
	int r = iconv_close(it);
	if (r == 0)
		migbsp_unpins();
	return r;
}

static nl_catd own_catopen(const char *name, int flags) {
	nl_catd r = catopen(name, flags);
	if (r != (nl_catd)-1)
		migbsp_pins("catopen", CALLER);
	return r;
}

static int own_catclose(nl_catd it) {
	int r = catclose(it);
	if (r == 0)
		migbsp_unpins();
	return r;
}

static FTS *own_fts_open(char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **)) {
	migbsp_changes_directory("fts_open");
	FTS *r = fts_open(paths, options, compare);
	if (r)
		migbsp_pins("fts_open", CALLER);
	return r;
}

static int own_fts_close(FTS *f) {
	migbsp_unpins();
	return fts_close(f);
}

static int own_ftw(const char *path, int (*f)(const char *, const struct stat *, int), int n) {
	migbsp_pins("ftw", CALLER);
	int r = ftw(path, f, n);
	migbsp_unpins();
	return r;
}

static int own_nftw(const char *path, int (*f)(const char *, const struct stat *, int, struct FTW *), int n, int flags) {
	if (flags & FTW_CHDIR)
		migbsp_changes_directory("nftw");
	migbsp_pins("nftw", CALLER);
	int r = nftw(path, f, n, flags);
	migbsp_unpins();
	return r;
}

// STAYS is a function of threads of the library, which use memory of the process from then on.
#define STAYS(name) \
	static void *own_##name(void *a, void *b, void *c, void *d) { \
		static void *(*next)(void *, void *, void *, void *); \
		if (migbsp_now()) \
			migbsp_pins(#name, CALLER); \
		if (!next) \
			*(void **)&next = dlsym(RTLD_DEFAULT, #name); \
		return next(a, b, c, d); \
	}

STAYS(aio_read)
STAYS(aio_write)
STAYS(aio_fsync)
STAYS(lio_listio)
STAYS(getaddrinfo_a)
STAYS(mq_notify)

uintptr_t migbsp_of_allocated(const char *name) {
	static const migbsp_name all[] = {
		OWN(argz_create), OWN(argz_create_sep), OWN(argz_add), OWN(argz_add_sep), OWN(argz_append), OWN(argz_insert), OWN(argz_replace), OWN(envz_add), OWN(envz_merge),
		OWN(_obstack_begin), OWN(_obstack_begin_1), OWN(_obstack_newchunk), OWN(obstack_vprintf), OWN(obstack_printf),
		OWN(tempnam), OWN(canonicalize_file_name), OWN(glob), ALIAS(glob64, glob), OWN(wordexp), OWN(getaddrinfo), OWN(getifaddrs), OWN(if_nameindex), OWN(backtrace_symbols),
		OWN(open_memstream), OWN(open_wmemstream), OWN(iconv_open), OWN(iconv_close), OWN(fts_open), OWN(fts_close), ALIAS(fts64_open, fts_open), ALIAS(fts64_close, fts_close),
		OWN(ftw), ALIAS(ftw64, ftw), OWN(nftw), ALIAS(nftw64, nftw),
		OWN(__obstack_printf_chk), OWN(__obstack_vprintf_chk), OWN(re_compile_pattern), OWN(re_compile_fastmap), OWN(re_search), OWN(re_match),
		OWN(swscanf), ALIAS(__isoc99_swscanf, swscanf), ALIAS(__isoc23_swscanf, swscanf), OWN(vswscanf), ALIAS(__isoc99_vswscanf, vswscanf), ALIAS(__isoc23_vswscanf, vswscanf),
		OWN(catopen), OWN(catclose), OWN(aio_read), ALIAS(aio_read64, aio_read), OWN(aio_write), ALIAS(aio_write64, aio_write), OWN(aio_fsync), ALIAS(aio_fsync64, aio_fsync),
		OWN(lio_listio), ALIAS(lio_listio64, lio_listio), OWN(getaddrinfo_a), OWN(mq_notify),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
