/* Memory that the C library allocates for its caller moves with the process, which frees it. What is the rank's keeps
 * the process there: iconv_open.
 * options: -D_FORTIFY_SOURCE=2 */
#define _GNU_SOURCE
#include <bsp.h>
#include <argz.h>
#include <arpa/inet.h>
#include <execinfo.h>
#include <glob.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <obstack.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wordexp.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

#define CHECK(x) do { if (!(x)) bsp_abort("line %d: not so: %s", __LINE__, #x); } while (0)

static void moves(void) {
	for (int i = 0; i < 3; i++)
		bsp_sync();
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int s = bsp_pid();
	char number[20], *memory = NULL, *list = NULL, text[20], utf8[40];
	size_t size = 0, length = 0;
	sprintf(number, "127.0.0.%d", s + 1);
	struct addrinfo *addresses, hints = {.ai_flags = AI_NUMERICHOST | AI_CANONNAME};
	struct ifaddrs *interfaces;
	wordexp_t words;
	glob_t paths;
	struct obstack stack;
	void *frames[5];
	CHECK(!getaddrinfo(number, "80", &hints, &addresses) && !getifaddrs(&interfaces));
	CHECK(!wordexp("a 'b c' $((6*7))", &words, 0) && !wordexp("more", &words, WRDE_APPEND) && !glob("/etc/pass*", 0, NULL, &paths));
	struct if_nameindex *names = if_nameindex();
	char **symbols = backtrace_symbols(frames, backtrace(frames, 3)), *where = canonicalize_file_name("/tmp/.");
	char *temporary = tempnam("/tmp", "mig");
	FILE *f = open_memstream(&memory, &size);
	for (int i = 0; i < 3000; i++)
		fprintf(f, "%d ", i);
	fclose(f);
	CHECK(!argz_create_sep("x:y:z", ':', &list, &length) && !argz_add(&list, &length, number));
	char *printed, *real = realpath("/tmp/../tmp", NULL);
	asprintf(&printed, "%s %d", number, s);
	wchar_t *wide = NULL;
	size_t count = 0;
	f = open_wmemstream(&wide, &count);
	fputws(L"wide", f);
	fclose(f);
	obstack_init(&stack);
	for (int i = 0; i < 3000; i++)
		obstack_int_grow(&stack, i);
	moves();
	CHECK(((struct sockaddr_in *)addresses->ai_addr)->sin_addr.s_addr == htonl(0x7f000001 + s) && !strcmp(addresses->ai_canonname, number));
	CHECK(words.we_wordc == 4 && !strcmp(words.we_wordv[1], "b c") && !strcmp(words.we_wordv[2], "42") && !strcmp(words.we_wordv[3], "more"));
	CHECK(paths.gl_pathc >= 1 && !strncmp(paths.gl_pathv[0], "/etc/pass", 9) && !strcmp(where, "/tmp") && symbols && symbols[0][0]);
	CHECK(!strncmp(printed, number, strlen(number)) && !strcmp(real, "/tmp") && count == 4 && !wcscmp(wide, L"wide"));
	free(printed), free(real), free(wide);
	int loop = 0;
	for (struct ifaddrs *a = interfaces; a; a = a->ifa_next)
		loop += a->ifa_name && a->ifa_addr && a->ifa_addr->sa_family == AF_INET && ((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr == htonl(0x7f000001);
	CHECK(loop == 1 && names && names[0].if_name && names[0].if_name[0]);
	CHECK(size > 10000 && strlen(memory) == size && !strncmp(memory + size - 5, "2999", 4) && !strncmp(temporary, "/tmp/mig", 8));
	CHECK(argz_count(list, length) == 4 && !strcmp(list + 4, "z") && !strcmp(list + 6, number));
	int *grown = obstack_finish(&stack);
	CHECK(grown[2999] == 2999 && grown[0] == 0);
	obstack_free(&stack, NULL);
	freeaddrinfo(addresses);
	freeifaddrs(interfaces);
	if_freenameindex(names);
	wordfree(&words);
	globfree(&paths);
	free(symbols), free(where), free(temporary), free(memory), free(list);
	iconv_t it = iconv_open("UTF-8", "ISO-8859-1");
	CHECK(it != (iconv_t)-1);
	for (int i = 0; i < 4; i++) {
		char *in = strcpy(text, "\xe4\xf6"), *out = utf8;
		size_t left = 2, room = sizeof utf8;
		CHECK(iconv(it, &in, &left, &out, &room) == 0 && out - utf8 == 4 && !memcmp(utf8, "\xc3\xa4\xc3\xb6", 4));
		bsp_sync();
	}
	CHECK(!iconv_close(it));
	moves();
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
