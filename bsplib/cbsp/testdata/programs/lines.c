/* Each process prints lines in pieces, on both sides of bsp_sync, by functions of all kinds. */
#define _GNU_SOURCE
#include <bsp.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static void bytes(int s, int i) {
	printf("process %d ", s);
	bsp_sync();
	fputs("line ", stdout);
	putchar('0' + i / 10);
	bsp_sync();
	putc_unlocked('0' + i % 10, stdout);
	fflush(stdout);
	bsp_sync();
	fwrite(" of ", 1, 4, stdout);
	bsp_sync();
	write(1, "", 0);
	puts("bytes");
}

static void wide(int s, int i) {
	wprintf(L"process %d ", s);
	bsp_sync();
	fputws(L"line ", stdout);
	bsp_sync();
	fwprintf(stdout, L"%02d of", i);
	bsp_sync();
	putwchar(L' ');
	fputws(L"wide\n", stdout);
}

static void descriptor(int s, int i) {
	char text[100];
	write(1, text, (size_t)sprintf(text, "process %d ", s));
	bsp_sync();
	dprintf(1, "line %02d of", i);
	bsp_sync();
	write(1, " descriptor\n", 12);
}

int main(int argc, char **argv) {
	bsp_begin(bsp_nprocs());
	for (int i = 0; i < 40; i++)
		(argc == 1 ? bytes : *argv[1] == 'w' ? wide : descriptor)(bsp_pid(), i);
	printf(argc == 1 ? "end of %d" : "", bsp_pid());
	bsp_sync();
	if (argc == 1)
		putchar('\n');
	bsp_end();
	return 0;
}
