/* Each process has its own locale, by setlocale, and by newlocale and uselocale. */
#define _GNU_SOURCE
#include <bsp.h>
#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define CHECK(x) do { if (!(x)) bsp_abort("process %d, line %d: not so: %s", bsp_pid(), __LINE__, #x); } while (0)

static void check(int utf8) {
	wchar_t wide[10];
	CHECK(MB_CUR_MAX == (utf8 ? 6 : 1) && !strcmp(nl_langinfo(CODESET), utf8 ? "UTF-8" : "ANSI_X3.4-1968"));
	CHECK(mbstowcs(wide, "\xc3\xa4x", 10) == (utf8 ? 2 : (size_t)-1));
	CHECK(!!iswalpha(0xe4) == utf8 && isalpha('x') && !isalpha(0xe4));
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), utf8 = s % 2;
	CHECK(!strcmp(setlocale(LC_ALL, NULL), "C"));
	bsp_sync();
	char *name = setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C"), *none = setlocale(LC_ALL, "none_NONE");
	CHECK(!none);
	wctype_t alpha = wctype("alpha");
	wctrans_t upper = wctrans("toupper");
	for (int i = 0; i < 5; i++) {
		check(utf8);
		CHECK(!!iswctype(0xe4, alpha) == utf8 && towctrans(0xe4, upper) == (utf8 ? 0xc4 : 0xe4));
		CHECK(!strcmp(name, utf8 ? "C.UTF-8" : "C") && !strcmp(setlocale(LC_CTYPE, NULL), name));
		bsp_sync();
	}
	char *mixed = setlocale(LC_NUMERIC, "POSIX");
	CHECK(mixed && setlocale(LC_ALL, strdup(setlocale(LC_ALL, NULL))));
	check(utf8);
	locale_t other = newlocale(LC_ALL_MASK, utf8 ? "C" : "C.UTF-8", (locale_t)0);
	CHECK(other && uselocale(other) == LC_GLOBAL_LOCALE);
	for (int i = 0; i < 5; i++) {
		check(!utf8);
		bsp_sync();
	}
	CHECK(uselocale((locale_t)0) == other && uselocale(LC_GLOBAL_LOCALE) == other);
	freelocale(other);
	for (int i = 0; i < 5; i++) {
		check(utf8);
		bsp_sync();
	}
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
