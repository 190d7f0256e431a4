/* Results that the C library keeps in memory of its own stay those of the process: across bsp_sync, and after a move. */
#define _GNU_SOURCE
#include <bsp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#define CHECK(x) do { if (!(x)) bsp_abort("line %d: not so: %s", __LINE__, #x); } while (0)

int main(void) {
	char text[100], key[20];
	bsp_begin(bsp_nprocs());
	int s = bsp_pid(), point, sign;
	setenv("TZ", s % 2 ? "EST5EDT" : "UTC-3", 1);
	bsp_sync();
	time_t t = 86400 * (100 * s + 1);
	struct tm zoned = *localtime(&t), *local = &zoned, *utc = gmtime(&t);
	char *date = ctime(&t), *address = inet_ntoa((struct in_addr){htonl(0x0a000000 + s)}), *digits = ecvt(s + 0.25, 4, &point, &sign);
	strcpy(text, date);
	char *error = strerror(1000 + s), *code = l64a(1000 + s), *signal = strsignal(100 + s), *temporary = tmpnam(NULL);
	char first = temporary[strlen(temporary) - 1];
	struct passwd *user = s % 2 ? getpwnam("root") : getpwuid(1);
	struct group *group = getgrgid(s % 2);
	struct protoent *protocol = getprotobyname(s % 2 ? "tcp" : "udp");
	struct servent *service = getservbyname(s % 2 ? "ssh" : "domain", "tcp");
	struct hostent *host = gethostbyname(s % 2 ? "127.0.0.1" : "127.0.0.2");
	lgamma(s % 2 ? -0.5 : 0.5);
	hcreate(30);
	for (int i = 0; i < 10; i++) {
		sprintf(key, "%d-%d", s, i);
		hsearch((ENTRY){strdup(key), (void *)(long)(100 * s + i)}, ENTER);
	}
	wchar_t wide = 0;
	setlocale(LC_CTYPE, s % 2 ? "C.utf8" : "C");
	CHECK(mbrtowc(&wide, "\xc3", 1, NULL) == (s % 2 ? (size_t)-2 : (size_t)-1) || !(s % 2));
	setpwent();
	for (int i = 0; i <= s; i++)
		CHECK(getpwent());
	struct lconv *numbers = localeconv();
	for (int i = 0; i < 5; i++) {
		bsp_sync();
		CHECK(utc->tm_yday == (100 * s + 1) % 365 && utc->tm_hour == 0 && !strcmp(utc->tm_zone, "GMT"));
		CHECK(local->tm_hour == (s % 2 ? 19 : 3) || local->tm_isdst);
		CHECK(!strcmp(local->tm_zone, s % 2 ? local->tm_isdst ? "EDT" : "EST" : "UTC"));
		CHECK(!strcmp(date, text));
		CHECK(atoi(strrchr(address, '.') + 1) == s && atoi(strrchr(error, ' ')) == 1000 + s && atoi(strrchr(signal, ' ')) == 100 + s);
		CHECK(digits[0] == '0' + s || s == 0);
		CHECK(a64l(code) == 1000 + s && temporary[strlen(temporary) - 1] == first);
		CHECK(user && !strcmp(user->pw_name, s % 2 ? "root" : "daemon") && group->gr_gid == s % 2);
		CHECK(!protocol || !strcmp(protocol->p_name, s % 2 ? "tcp" : "udp"));
		CHECK(!service || !strcmp(service->s_name, s % 2 ? "ssh" : "domain"));
		CHECK(host && ((unsigned char *)host->h_addr_list[0])[3] == 2 - s % 2);
		CHECK(signgam == (s % 2 ? -1 : 1) && !strcmp(numbers->decimal_point, "."));
		CHECK(!strcmp(tzname[0], s % 2 ? "EST" : "UTC") && timezone == (s % 2 ? 5 * 3600 : -3 * 3600));
	}
	for (int i = 0; i < 10; i++) {
		sprintf(key, "%d-%d", s, i);
		ENTRY *e = hsearch((ENTRY){key, NULL}, FIND);
		CHECK(e && (long)e->data == 100 * s + i);
		sprintf(key, "%d-%d", s + 1, i);
		CHECK(!hsearch((ENTRY){key, NULL}, FIND));
	}
	hdestroy();
	CHECK(s % 2 == 0 || (mbrtowc(&wide, "\xa4", 1, NULL) == 1 && wide == 0xe4));
	setpwent();
	CHECK(getpwent()->pw_uid == 0);
	bsp_sync();
	if (s == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
