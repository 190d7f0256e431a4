//go:build !staticrank

// Functions of the C library that print or read: those that name no stream, and those for wide characters.
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "streams.h"

VARIADIC(printf, vfprintf(standard(CALLER, 1), format, args), const char *format)
VARIADIC(__printf_chk, ((void)flag, vfprintf(standard(CALLER, 1), format, args)), int flag, const char *format)

static int own_vprintf(const char *format, va_list args) { return vfprintf(standard(CALLER, 1), format, args); }
static int own___vprintf_chk(int flag, const char *format, va_list args) { return vfprintf(standard(CALLER, 1), format, args); }
static int own_putchar(int ch) { return putc(ch, standard(CALLER, 1)); }
static int own_putchar_unlocked(int ch) { return putc_unlocked(ch, standard(CALLER, 1)); }

static int own_puts(const char *text) {
	FILE *f = standard(CALLER, 1);
	flockfile(f);
	int r = fputs(text, f) < 0 || putc('\n', f) < 0 ? EOF : (int)strlen(text) + 1;
	funlockfile(f);
	return r;
}

static int own_getchar(void) { return getc(standard(CALLER, 0)); }
static int own_getchar_unlocked(void) { return getc_unlocked(standard(CALLER, 0)); }

static char *own_gets(char *text) {
	FILE *f = standard(CALLER, 0);
	size_t n = 0;
	int ch = EOF;
	while ((ch = getc(f)) != EOF && ch != '\n')
		text[n++] = (char)ch;
	text[n] = 0;
	return ch == EOF && n == 0 ? 0 : text;
}

static char *own___gets_chk(char *text, size_t size) {
	FILE *f = standard(CALLER, 0);
	size_t n = 0;
	int ch = EOF;
	for (; (ch = getc(f)) != EOF && ch != '\n'; text[n++] = (char)ch)
		if (n + 1 >= size)
			migbsp_fail("gets: a line is longer than the %lu bytes for it", size);
	text[n] = 0;
	return ch == EOF && n == 0 ? 0 : text;
}

static int own_vscanf(const char *format, va_list args) { LENT(int, vfscanf(standard(CALLER, 0), format, args)); }

VARIADIC(scanf, own_vscanf(format, args), const char *format)

static int own_ungetc(int ch, FILE *f) { LENT(int, ungetc(ch, f)); }

// Wide characters. The library cannot have them go through functions of its program: output is converted here, and
// wide input is the rank's stream, where process 0 then stays.

static FILE *wideInput(FILE *f, void *caller) {
	process *c = migbsp_of(caller);
	if (migbsp_which(c, f) != 0 || c->streams->reopened[0])
		return f;
	if (c->pid > 0)
		migbsp_others(c);
	else if (!c->streams->orientation[0]++)
		migbsp_pins("wide input", caller);
	return c->pid > 0 ? c->standard[0] : stdin;
}

#define WIDE_IN(type, name, call, ...) \
	static type own_##name(__VA_ARGS__) { \
		f = wideInput(f, CALLER); \
		return call; \
	}

WIDE_IN(wint_t, getwc, getwc(f), FILE *f)
WIDE_IN(wint_t, ungetwc, ungetwc(ch, f), wint_t ch, FILE *f)
WIDE_IN(wchar_t *, fgetws, fgetws(to, n, f), wchar_t *to, int n, FILE *f)
WIDE_IN(int, vfwscanf, vfwscanf(f, format, args), FILE *f, const wchar_t *format, va_list args)
static wint_t own_getwchar(void) { return own_getwc(standard(CALLER, 0)); }
static int own_vwscanf(const wchar_t *format, va_list args) { return own_vfwscanf(standard(CALLER, 0), format, args); }

// converts reports whether wide output to a stream is converted here, and sets the stream.
static int converts(FILE **f, void *caller) {
	process *c = migbsp_of(caller);
	int i = migbsp_which(c, *f);
	if (i < 1 || c->streams->reopened[i])
		return 0;
	c->streams->orientation[i] = 1;
	*f = c->standard[i];
	return 1;
}

static int putWide(const wchar_t *text, size_t n, FILE *f) {
	char bytes[64];
	mbstate_t state = {0};
	flockfile(f);
	for (size_t i = 0; i < n; i++) {
		size_t k = wcrtomb(bytes, text[i], &state);
		if (k == (size_t)-1 || fwrite_unlocked(bytes, 1, k, f) < k) {
			f->_flags |= IN_ERROR;
			funlockfile(f);
			return -1;
		}
	}
	funlockfile(f);
	return (int)n;
}

static wint_t own_putwc(wchar_t ch, FILE *f) {
	return converts(&f, CALLER) ? putWide(&ch, 1, f) < 0 ? WEOF : (wint_t)ch : putwc(ch, f);
}
static wint_t own_putwchar(wchar_t ch) { return own_putwc(ch, standard(CALLER, 1)); }
static int own_fputws(const wchar_t *text, FILE *f) { return converts(&f, CALLER) ? putWide(text, wcslen(text), f) : fputws(text, f); }

static int printWide(FILE *f, const wchar_t *format, va_list args) {
	wchar_t *text = 0;
	for (size_t size = 256; size < 1 << 28; size *= 4) {
		wchar_t *larger = realloc(text, size * sizeof *text);
		if (!larger)
			break;
		text = larger;
		va_list again;
		va_copy(again, args);
		int n = vswprintf(text, size, format, again);
		va_end(again);
		if (n >= 0) {
			n = putWide(text, (size_t)n, f);
			free(text);
			return n;
		}
		if (errno == EILSEQ)
			break;
	}
	free(text);
	f->_flags |= IN_ERROR;
	return -1;
}

static int own_vfwprintf(FILE *f, const wchar_t *format, va_list args) {
	return converts(&f, CALLER) ? printWide(f, format, args) : vfwprintf(f, format, args);
}
static int own_vwprintf(const wchar_t *format, va_list args) { return own_vfwprintf(standard(CALLER, 1), format, args); }
static int own___vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list args) { return (void)flag, own_vfwprintf(f, format, args); }
static int own___vwprintf_chk(int flag, const wchar_t *format, va_list args) { return (void)flag, own_vfwprintf(standard(CALLER, 1), format, args); }

VARIADIC(fwprintf, own_vfwprintf(f, format, args), FILE *f, const wchar_t *format)
VARIADIC(wprintf, own_vfwprintf(standard(CALLER, 1), format, args), const wchar_t *format)
VARIADIC(__fwprintf_chk, ((void)flag, own_vfwprintf(f, format, args)), FILE *f, int flag, const wchar_t *format)
VARIADIC(__wprintf_chk, ((void)flag, own_vfwprintf(standard(CALLER, 1), format, args)), int flag, const wchar_t *format)
VARIADIC(fwscanf, own_vfwscanf(f, format, args), FILE *f, const wchar_t *format)
VARIADIC(wscanf, own_vfwscanf(standard(CALLER, 0), format, args), const wchar_t *format)

static wchar_t *own___fgetws_chk(wchar_t *to, size_t room, int n, FILE *f) { return own_fgetws(to, (size_t)n > room ? (int)room : n, f); }

static int own_fwide(FILE *f, int mode) {
	process *c = migbsp_of(CALLER);
	int i = migbsp_which(c, f);
	if (i < 0 || c->streams->reopened[i])
		return fwide(f, mode);
	if (!c->streams->orientation[i])
		c->streams->orientation[i] = mode;
	return c->streams->orientation[i];
}

static void own_perror(const char *text) {
	char room[256], *why = strerror_r(errno, room, sizeof room);
	fprintf(standard(CALLER, 2), "%s%s%s\n", text && *text ? text : "", text && *text ? ": " : "", why);
}

static void own_herror(const char *text) {
	fprintf(standard(CALLER, 2), "%s%s%s\n", text && *text ? text : "", text && *text ? ": " : "", hstrerror(h_errno));
}

static void own_psignal(int number, const char *text) {
	fprintf(standard(CALLER, 2), "%s%s%s\n", text && *text ? text : "", text && *text ? ": " : "", strsignal(number));
}

// complain prints in the form of err.h and error.h.
static void complain(FILE *f, int number, const char *format, va_list args) {
	char room[256];
	flockfile(f);
	fprintf(f, "%s: ", program_invocation_short_name);
	if (format)
		vfprintf(f, format, args);
	if (number)
		fprintf(f, "%s%s", format ? ": " : "", strerror_r(number, room, sizeof room));
	putc('\n', f);
	funlockfile(f);
}

#define COMPLAINS(name, number, after, ...) \
	static void own_v##name(__VA_ARGS__, va_list args) { \
		complain(standard(CALLER, 2), number, format, args); \
		after; \
	} \
	static void own_##name(__VA_ARGS__, ...) { \
		va_list args; \
		va_start(args, format); \
		complain(standard(CALLER, 2), number, format, args); \
		va_end(args); \
		after; \
	}

COMPLAINS(warn, errno, , const char *format)
COMPLAINS(warnx, 0, , const char *format)
COMPLAINS(err, errno, migbsp_exit(code), int code, const char *format)
COMPLAINS(errx, 0, migbsp_exit(code), int code, const char *format)

static void own_error_at_line(int code, int number, const char *file, unsigned line, const char *format, ...) {
	FILE *f = standard(CALLER, 2);
	va_list args;
	va_start(args, format);
	fflush(standard(CALLER, 1));
	flockfile(f);
	fprintf(f, "%s:%s:%u: ", program_invocation_short_name, file, line);
	vfprintf(f, format, args);
	if (number)
		fprintf(f, ": %s", strerror(number));
	putc('\n', f);
	funlockfile(f);
	va_end(args);
	if (code)
		migbsp_exit(code);
}

static void own_error(int code, int number, const char *format, ...) {
	va_list args;
	va_start(args, format);
	fflush(standard(CALLER, 1));
	complain(standard(CALLER, 2), number, format, args);
	va_end(args);
	if (code)
		migbsp_exit(code);
}

static _Noreturn void own___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
	fprintf(standard(CALLER, 2), "%s: %s:%u: %s%sAssertion `%s' failed.\n", program_invocation_short_name, file, line, function ? function : "", function ? ": " : "", what);
	abort();
}

uintptr_t migbsp_of_stdio(const char *name) {
	static const migbsp_name all[] = {
		OWN(printf), OWN(vprintf), OWN(wprintf), OWN(vwprintf), OWN(__printf_chk), OWN(__vprintf_chk), OWN(__wprintf_chk), OWN(__vwprintf_chk),
		OWN(puts), OWN(putchar), OWN(putchar_unlocked), OWN(putwchar), ALIAS(putwchar_unlocked, putwchar),
		OWN(getchar), OWN(getchar_unlocked), OWN(getwchar), ALIAS(getwchar_unlocked, getwchar), OWN(gets), OWN(__gets_chk),
		OWN(scanf), ALIAS(__isoc99_scanf, scanf), ALIAS(__isoc23_scanf, scanf), OWN(vscanf), ALIAS(__isoc99_vscanf, vscanf), ALIAS(__isoc23_vscanf, vscanf),
		OWN(wscanf), ALIAS(__isoc99_wscanf, wscanf), ALIAS(__isoc23_wscanf, wscanf), OWN(vwscanf), ALIAS(__isoc99_vwscanf, vwscanf), ALIAS(__isoc23_vwscanf, vwscanf),
		OWN(fwscanf), ALIAS(__isoc99_fwscanf, fwscanf), ALIAS(__isoc23_fwscanf, fwscanf), OWN(vfwscanf), ALIAS(__isoc99_vfwscanf, vfwscanf), ALIAS(__isoc23_vfwscanf, vfwscanf),
		OWN(getwc), ALIAS(fgetwc, getwc), ALIAS(getwc_unlocked, getwc), ALIAS(fgetwc_unlocked, getwc), OWN(fgetws), ALIAS(fgetws_unlocked, fgetws), OWN(__fgetws_chk), ALIAS(__fgetws_unlocked_chk, __fgetws_chk), OWN(ungetwc), OWN(fwide),
		OWN(putwc), ALIAS(fputwc, putwc), ALIAS(putwc_unlocked, putwc), ALIAS(fputwc_unlocked, putwc), OWN(fputws), ALIAS(fputws_unlocked, fputws),
		OWN(fwprintf), OWN(vfwprintf), OWN(__fwprintf_chk), OWN(__vfwprintf_chk),
		OWN(ungetc), OWN(perror), OWN(herror), OWN(psignal), OWN(warn), OWN(warnx), OWN(vwarn), OWN(vwarnx), OWN(err), OWN(errx), OWN(verr), OWN(verrx), OWN(error), OWN(error_at_line), OWN(__assert_fail),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
