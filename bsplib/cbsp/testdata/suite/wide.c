/* Wide and multibyte text, conversions of numbers and of time of each process. */
#include <bsp.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	int utf8 = setlocale(LC_ALL, "C.UTF-8") != 0;
	mbstate_t state = {0};
	wchar_t letter, text[100], *rest;
	const char *euro = "\xe2\x82\xac";
	for (int i = 0; i < 8; i++) {
		if (utf8 && mbrtowc(&letter, euro + i % 3, 1, &state) != (i % 3 == 2 ? 1 : (size_t)-2))
			bsp_abort("byte %d", i);
		bsp_sync();
		if (utf8 && i % 3 == 2 && letter != 0x20ac)
			bsp_abort("letter %x", letter);
		swprintf(text, 100, L"%d;%ls;%.3Lf", bsp_pid() * i, L"wide", 1.5L * i);
		bsp_sync();
		if (wcstol(text, &rest, 10) != bsp_pid() * i || wcsncmp(rest, L";wide;", 6) || wcstod(rest + 6, 0) != 1.5 * i)
			bsp_abort("%ls", text);
		time_t t = 86400 * (365 * (time_t)bsp_pid() + i);
		struct tm *tm = gmtime(&t);
		int year = tm->tm_year, day = tm->tm_yday;
		bsp_sync();
		if (tm->tm_year != year || tm->tm_yday != day || timegm(tm) != t)
			bsp_abort("year %d, day %d", tm->tm_year, tm->tm_yday);
	}
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
