//go:build !staticrank

// Results that the C library keeps in memory of its own: in memory of the process, which finds them wherever it runs,
// until it calls the same function again.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

#include "inside.h"

#define CALLER __builtin_return_address(0)

typedef struct kept kept;
struct kept {
	kept *next;
	char text[];
};

enum {
	A_PASSWD, NEXT_PASSWD, A_GROUP, NEXT_GROUP, A_SPWD, NEXT_SPWD, A_HOST, NEXT_HOST, A_NET, NEXT_NET, A_PROTO, NEXT_PROTO, A_SERV, NEXT_SERV, AN_RPC, NEXT_RPC, A_MOUNT, ENTRIES,
	LEAST_ENTRY = 1024,
};

typedef struct results results;
struct results {
	kept *kept;
	struct tm tm, date;
	char time[64], address[INET_ADDRSTRLEN], station[18], digits[400], code[8], name[L_tmpnam], message[128];
	struct ether_addr ether;
	struct lconv numbers;
	mbstate_t states[13];
	struct hsearch_data words;
	struct { char *room; size_t size; int next; union { struct passwd passwd; struct group group; struct spwd spwd; struct hostent host; struct netent net; struct protoent proto; struct servent serv; struct rpcent rpc; struct mntent mount; } is; } entries[ENTRIES];
	int host; // the last error of a search for hosts
};

// its returns the results of the process that runs, 0 for a thread that it has started.
static results *its(void) {
	process *c = migbsp_now();
	if (c && !c->results && !(c->results = migbsp_zeroed(c, sizeof *c->results)))
		migbsp_fail("no memory is left");
	return c ? c->results : 0;
}

// migbsp_kept returns a copy of a text that a process has as long as it runs.
char *migbsp_kept(process *c, const char *text) {
	if (!c || !text || IN_SLOTS(text))
		return (char *)text;
	results *r = its();
	for (kept *k = r->kept; k; k = k->next)
		if (!strcmp(k->text, text))
			return k->text;
	size_t n = strlen(text) + 1;
	kept *k = migbsp_allocate(c, sizeof *k + n);
	if (!k)
		migbsp_fail("no memory is left");
	memcpy(k->text, text, n);
	k->next = r->kept;
	r->kept = k;
	return k->text;
}

// KEPT is a function that returns a text, which may be another process's next.
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;

#define KEPT(name, parameters, arguments) \
	static char *own_##name parameters { \
		pthread_mutex_lock(&calling); \
		char *text = migbsp_kept(migbsp_now(), (const char *)name arguments); \
		pthread_mutex_unlock(&calling); \
		return text; \
	}

KEPT(strerror, (int number), (number))
KEPT(strsignal, (int number), (number))
KEPT(dlerror, (void), ())
KEPT(gai_strerror, (int number), (number))
KEPT(hstrerror, (int number), (number))
KEPT(nl_langinfo, (nl_item item), (item))
KEPT(nl_langinfo_l, (nl_item item, locale_t l), (item, l))
KEPT(getlogin, (void), ())
KEPT(ttyname, (int fd), (fd))
KEPT(ptsname, (int fd), (fd))
KEPT(ctermid, (char *to), (to))
KEPT(getusershell, (void), ())
KEPT(textdomain, (const char *name), (name))
KEPT(bindtextdomain, (const char *name, const char *path), (name, path))
KEPT(bind_textdomain_codeset, (const char *name, const char *set), (name, set))
KEPT(gettext, (const char *id), (id))
KEPT(dgettext, (const char *domain, const char *id), (domain, id))
KEPT(dcgettext, (const char *domain, const char *id, int category), (domain, id, category))
KEPT(ngettext, (const char *id, const char *more, unsigned long n), (id, more, n))
KEPT(dngettext, (const char *domain, const char *id, const char *more, unsigned long n), (domain, id, more, n))
KEPT(dcngettext, (const char *domain, const char *id, const char *more, unsigned long n, int category), (domain, id, more, n, category))

static struct lconv *own_localeconv(void) {
	process *c = migbsp_now();
	struct lconv *is = localeconv();
	if (!c)
		return is;
	struct lconv *to = &its()->numbers;
	*to = *is;
	for (char **text = (char **)to; (char *)text < &to->int_frac_digits; text++)
		*text = migbsp_kept(c, *text);
	return to;
}

// Times. The library converts by the rank's TZ, which is made the process's.

static void zone(process *c) {
	char **e = c->environ;
	while (e && *e && strncmp(*e, "TZ=", 3))
		e++;
	const char *own = e && *e ? *e + 3 : 0, *ranks = getenv("TZ");
	if (own && (!ranks || strcmp(own, ranks)))
		setenv("TZ", own, 1);
	if (!own && ranks)
		unsetenv("TZ");
	tzset();
	c->tzname[0] = migbsp_kept(c, tzname[0]);
	c->tzname[1] = migbsp_kept(c, tzname[1]);
	c->timezone = timezone;
	c->daylight = daylight;
}

#define ZONED(type, result, call) \
	process *c = migbsp_now(); \
	if (!c) \
		return call; \
	pthread_mutex_lock(&calling); \
	zone(c); \
	type result = call; \
	c->tzname[0] = migbsp_kept(c, tzname[0]); \
	c->tzname[1] = migbsp_kept(c, tzname[1]); \
	pthread_mutex_unlock(&calling)

static struct tm *named(process *c, struct tm *t) {
	if (t)
		t->tm_zone = migbsp_kept(c, t->tm_zone);
	return t;
}

static struct tm *own_localtime_r(const time_t *t, struct tm *to) {
	ZONED(struct tm *, r, localtime_r(t, to));
	return named(c, r);
}

static time_t own_mktime(struct tm *t) {
	ZONED(time_t, r, mktime(t));
	named(c, t);
	return r;
}

static size_t own_strftime(char *to, size_t n, const char *format, const struct tm *t) {
	ZONED(size_t, r, strftime(to, n, format, t));
	return r;
}

static size_t own_strftime_l(char *to, size_t n, const char *format, const struct tm *t, locale_t l) {
	ZONED(size_t, r, strftime_l(to, n, format, t, l));
	return r;
}

static size_t own_wcsftime(wchar_t *to, size_t n, const wchar_t *format, const struct tm *t) {
	ZONED(size_t, r, wcsftime(to, n, format, t));
	return r;
}

static int tzset_(void) {
	tzset();
	return 0;
}

static int own_tzset_(void) {
	ZONED(int, r, tzset_());
	return r;
}

static void own_tzset(void) { own_tzset_(); }

static struct tm *own_localtime(const time_t *t) {
	results *r = its();
	return r ? own_localtime_r(t, &r->tm) : localtime(t);
}

static struct tm *own_gmtime_r(const time_t *t, struct tm *to) { return named(migbsp_now(), gmtime_r(t, to)); }
static struct tm *own_gmtime(const time_t *t) {
	results *r = its();
	return r ? own_gmtime_r(t, &r->tm) : gmtime(t);
}

static char *own_asctime(const struct tm *t) {
	results *r = its();
	return r ? asctime_r(t, r->time) : asctime(t);
}

static char *own_ctime_r(const time_t *t, char *to) {
	struct tm tm;
	return own_localtime_r(t, &tm) ? asctime_r(&tm, to) : 0;
}

static char *own_ctime(const time_t *t) {
	results *r = its();
	return r ? own_ctime_r(t, r->time) : ctime(t);
}

static struct tm *own_getdate(const char *text) {
	results *r = its();
	if (!r)
		return getdate(text);
	getdate_err = getdate_r(text, &r->date);
	return getdate_err ? 0 : named(migbsp_now(), &r->date);
}

// Texts.

#define INTO(name, field, parameters, arguments) \
	static char *own_##name parameters { \
		results *r = its(); \
		pthread_mutex_lock(&calling); \
		char *text = name arguments; \
		if (r && text) \
			text = strncpy(r->field, text, sizeof r->field - 1); \
		pthread_mutex_unlock(&calling); \
		return text; \
	}

INTO(inet_ntoa, address, (struct in_addr a), (a))
INTO(ether_ntoa, station, (const struct ether_addr *a), (a))
INTO(inet_nsap_ntoa, digits, (int n, const unsigned char *address, char *to), (n, address, to))
INTO(getpass, digits, (const char *prompt), (prompt))
INTO(l64a, code, (long n), (n))
INTO(ecvt, digits, (double x, int n, int *point, int *sign), (x, n, point, sign))
INTO(fcvt, digits, (double x, int n, int *point, int *sign), (x, n, point, sign))
INTO(qecvt, digits, (long double x, int n, int *point, int *sign), (x, n, point, sign))
INTO(qfcvt, digits, (long double x, int n, int *point, int *sign), (x, n, point, sign))

static struct ether_addr *own_ether_aton(const char *text) {
	results *r = its();
	return r ? ether_aton_r(text, &r->ether) : ether_aton(text);
}

static char *own_tmpnam(char *to) {
	results *r = its();
	static char *(*next)(char *); // linkers warn of its name
	if (!next)
		*(void **)&next = dlsym(RTLD_DEFAULT, "tmpnam");
	return next(to || !r ? to : r->name);
}

// Entries of files of the system: functions of one, or of the next.

static int more(process *c, results *r, int i) {
	size_t size = r->entries[i].size ? 2 * r->entries[i].size : LEAST_ENTRY;
	if (r->entries[i].room)
		migbsp_release(c, r->entries[i].room);
	r->entries[i].size = 0;
	if (!(r->entries[i].room = migbsp_allocate(c, size)))
		return 0;
	r->entries[i].size = size;
	return 1;
}

#define ROOM e->room, e->size
#define FINDS(type, name, field, i, parameters, arguments, call) \
	static struct type *own_##name parameters { \
		results *r = its(); \
		process *c = migbsp_now(); \
		if (!r) \
			return name arguments; \
		struct type *found = 0; \
		int wrong = ERANGE; \
		__typeof__(r->entries[0]) *e = &r->entries[i]; \
		if (!e->room && !more(c, r, i)) \
			return 0; \
		while ((wrong = call) == ERANGE && more(c, r, i)) \
			; \
		if (wrong) \
			errno = wrong; \
		return found; \
	}

#define TO(field) &e->is.field, ROOM, &found
FINDS(passwd, getpwnam, passwd, A_PASSWD, (const char *name), (name), getpwnam_r(name, TO(passwd)))
FINDS(passwd, getpwuid, passwd, A_PASSWD, (uid_t id), (id), getpwuid_r(id, TO(passwd)))
FINDS(passwd, fgetpwent, passwd, A_PASSWD, (FILE * f), (f), fgetpwent_r(f, TO(passwd)))
FINDS(group, getgrnam, group, A_GROUP, (const char *name), (name), getgrnam_r(name, TO(group)))
FINDS(group, getgrgid, group, A_GROUP, (gid_t id), (id), getgrgid_r(id, TO(group)))
FINDS(group, fgetgrent, group, A_GROUP, (FILE * f), (f), fgetgrent_r(f, TO(group)))
FINDS(spwd, getspnam, spwd, A_SPWD, (const char *name), (name), getspnam_r(name, TO(spwd)))
#define FOUND(field) TO(field), &r->host
FINDS(hostent, gethostbyname, host, A_HOST, (const char *name), (name), gethostbyname_r(name, FOUND(host)))
FINDS(hostent, gethostbyname2, host, A_HOST, (const char *name, int family), (name, family), gethostbyname2_r(name, family, FOUND(host)))
FINDS(hostent, gethostbyaddr, host, A_HOST, (const void *a, socklen_t n, int family), (a, n, family), gethostbyaddr_r(a, n, family, FOUND(host)))
FINDS(netent, getnetbyname, net, A_NET, (const char *name), (name), getnetbyname_r(name, FOUND(net)))
FINDS(netent, getnetbyaddr, net, A_NET, (uint32_t net, int type), (net, type), getnetbyaddr_r(net, type, FOUND(net)))
FINDS(protoent, getprotobyname, proto, A_PROTO, (const char *name), (name), getprotobyname_r(name, TO(proto)))
FINDS(protoent, getprotobynumber, proto, A_PROTO, (int number), (number), getprotobynumber_r(number, TO(proto)))
FINDS(servent, getservbyname, serv, A_SERV, (const char *name, const char *protocol), (name, protocol), getservbyname_r(name, protocol, TO(serv)))
FINDS(servent, getservbyport, serv, A_SERV, (int port, const char *protocol), (port, protocol), getservbyport_r(port, protocol, TO(serv)))
FINDS(rpcent, getrpcbyname, rpc, AN_RPC, (const char *name), (name), getrpcbyname_r(name, TO(rpc)))
FINDS(rpcent, getrpcbynumber, rpc, AN_RPC, (int number), (number), getrpcbynumber_r(number, TO(rpc)))

// The library counts the entries of all processes together: here each has a number, and the library begins anew.
#define NEXT_ENTRY(type, stem, field, i, begin, call) \
	static int after##stem(process *c, results *r, struct type **to) { \
		__typeof__(r->entries[0]) *e = &r->entries[i]; \
		struct type *found; \
		begin; \
		for (int n = 0; n <= e->next; n++) { \
			int wrong; \
			found = 0; \
			if (!e->room && !more(c, r, i)) \
				return ENOMEM; \
			while ((wrong = call) == ERANGE && more(c, r, i)) \
				; \
			if (wrong) \
				return wrong; \
		} \
		e->next++; \
		*to = found; \
		return 0; \
	} \
	static struct type *own_get##stem(void) { \
		struct type *found = 0; \
		results *r = its(); \
		if (!r) \
			return get##stem(); \
		pthread_mutex_lock(&calling); \
		int wrong = after##stem(migbsp_now(), r, &found); \
		end##stem(); \
		pthread_mutex_unlock(&calling); \
		if (wrong) \
			errno = wrong; \
		return found; \
	} \
	static void own_set##stem(int stays) { \
		results *r = its(); \
		(void)stays; \
		if (r) \
			r->entries[i].next = 0; \
		else \
			begin; \
	}

NEXT_ENTRY(passwd, pwent, passwd, NEXT_PASSWD, setpwent(), getpwent_r(TO(passwd)))
NEXT_ENTRY(group, grent, group, NEXT_GROUP, setgrent(), getgrent_r(TO(group)))
NEXT_ENTRY(spwd, spent, spwd, NEXT_SPWD, setspent(), getspent_r(TO(spwd)))
NEXT_ENTRY(hostent, hostent, host, NEXT_HOST, sethostent(1), gethostent_r(FOUND(host)))
NEXT_ENTRY(netent, netent, net, NEXT_NET, setnetent(1), getnetent_r(FOUND(net)))
NEXT_ENTRY(protoent, protoent, proto, NEXT_PROTO, setprotoent(1), getprotoent_r(TO(proto)))
NEXT_ENTRY(servent, servent, serv, NEXT_SERV, setservent(1), getservent_r(TO(serv)))
NEXT_ENTRY(rpcent, rpcent, rpc, NEXT_RPC, setrpcent(1), getrpcent_r(TO(rpc)))

static int *own___h_errno_location(void) {
	results *r = its();
	return r ? &r->host : __h_errno_location();
}

static struct mntent *own_getmntent(FILE *f) {
	results *r = its();
	if (!r)
		return getmntent(f);
	__typeof__(r->entries[0]) *e = &r->entries[A_MOUNT];
	while (e->size < 16 * LEAST_ENTRY)
		if (!more(migbsp_now(), r, A_MOUNT))
			return 0;
	return getmntent_r(f, &e->is.mount, e->room, (int)e->size);
}

// Wide characters, where the library keeps a part of one.

#define STATEFUL(name, i, type, parameters, arguments) \
	static type own_##name parameters { \
		results *r = its(); \
		if (!state && r) \
			state = &r->states[i]; \
		return name arguments; \
	}

STATEFUL(mbrtowc, 0, size_t, (wchar_t * to, const char *from, size_t n, mbstate_t *state), (to, from, n, state))
STATEFUL(wcrtomb, 1, size_t, (char *to, wchar_t ch, mbstate_t *state), (to, ch, state))
STATEFUL(mbrlen, 2, size_t, (const char *from, size_t n, mbstate_t *state), (from, n, state))
STATEFUL(mbsrtowcs, 3, size_t, (wchar_t * to, const char **from, size_t n, mbstate_t *state), (to, from, n, state))
STATEFUL(wcsrtombs, 4, size_t, (char *to, const wchar_t **from, size_t n, mbstate_t *state), (to, from, n, state))
STATEFUL(mbsnrtowcs, 5, size_t, (wchar_t * to, const char **from, size_t m, size_t n, mbstate_t *state), (to, from, m, n, state))
STATEFUL(wcsnrtombs, 6, size_t, (char *to, const wchar_t **from, size_t m, size_t n, mbstate_t *state), (to, from, m, n, state))
STATEFUL(mbrtoc16, 7, size_t, (char16_t * to, const char *from, size_t n, mbstate_t *state), (to, from, n, state))
STATEFUL(c16rtomb, 8, size_t, (char *to, char16_t ch, mbstate_t *state), (to, ch, state))
STATEFUL(mbrtoc32, 9, size_t, (char32_t * to, const char *from, size_t n, mbstate_t *state), (to, from, n, state))
STATEFUL(c32rtomb, 10, size_t, (char *to, char32_t ch, mbstate_t *state), (to, ch, state))

// Fortified calls know the size of the result, which is not checked here.
#define FORTIFIED(name, type, parameters, arguments) \
	static type own___##name##_chk parameters { \
		(void)room; \
		return own_##name arguments; \
	}

FORTIFIED(wcrtomb, size_t, (char *to, wchar_t ch, mbstate_t *state, size_t room), (to, ch, state))
FORTIFIED(mbsrtowcs, size_t, (wchar_t * to, const char **from, size_t n, mbstate_t *state, size_t room), (to, from, n, state))
FORTIFIED(wcsrtombs, size_t, (char *to, const wchar_t **from, size_t n, mbstate_t *state, size_t room), (to, from, n, state))
FORTIFIED(mbsnrtowcs, size_t, (wchar_t * to, const char **from, size_t m, size_t n, mbstate_t *state, size_t room), (to, from, m, n, state))
FORTIFIED(wcsnrtombs, size_t, (char *to, const wchar_t **from, size_t m, size_t n, mbstate_t *state, size_t room), (to, from, m, n, state))

// Classes of wide characters are addresses in the locale: here, their names.

static wctype_t own_wctype(const char *name) { return wctype(name) ? (wctype_t)migbsp_kept(migbsp_now(), name) : 0; }
static int own_iswctype(wint_t ch, wctype_t class) { return class ? iswctype(ch, wctype((const char *)class)) : 0; }
static wctrans_t own_wctrans(const char *name) { return wctrans(name) ? (wctrans_t)migbsp_kept(migbsp_now(), name) : 0; }
static wint_t own_towctrans(wint_t ch, wctrans_t change) { return change ? towctrans(ch, wctrans((const char *)change)) : ch; }

static int wide(wchar_t *to, const char *from, size_t n, mbstate_t *state) {
	if (!from) {
		memset(state, 0, sizeof *state);
		return mbtowc(0, 0, 0);
	}
	size_t k = mbrtowc(to, from, n, state);
	return k > (size_t)INT32_MAX ? -1 : (int)k;
}

static int own_mbtowc(wchar_t *to, const char *from, size_t n) {
	results *r = its();
	return r ? wide(to, from, n, &r->states[11]) : mbtowc(to, from, n);
}

static int own_mblen(const char *from, size_t n) {
	results *r = its();
	return r ? wide(0, from, n, &r->states[12]) : mblen(from, n);
}

static int own_wctomb(char *to, wchar_t ch) {
	static __thread mbstate_t none;
	return to ? (int)wcrtomb(to, ch, &none) : wctomb(0, 0);
}

FORTIFIED(wctomb, int, (char *to, wchar_t ch, size_t room), (to, ch))

// The sign of the gamma function.
#define GAMMA(name, type) \
	static type own_##name(type x) { \
		process *c = migbsp_now(); \
		int sign; \
		type y = name##_r(x, &sign); \
		if (c) \
			c->signgam = sign; \
		else \
			signgam = sign; \
		return y; \
	}

GAMMA(lgamma, double)
GAMMA(lgammaf, float)
GAMMA(lgammal, long double)

// The table of hsearch.

static int own_hcreate_r(size_t n, struct hsearch_data *to) {
	LENT(int, hcreate_r(n, to));
}

static int own_hcreate(size_t n) {
	results *r = its();
	return r ? own_hcreate_r(n, &r->words) : hcreate(n);
}

static ENTRY *own_hsearch(ENTRY item, ACTION what) {
	results *r = its();
	ENTRY *found = 0;
	if (!r)
		return hsearch(item, what);
	hsearch_r(item, what, &found, &r->words);
	return found;
}

static void own_hdestroy(void) {
	results *r = its();
	if (r)
		hdestroy_r(&r->words);
	else
		hdestroy();
}

uintptr_t migbsp_of_results(const char *name) {
#define FIELD(name) {#name, offsetof(process, name)}
#define FIELD_AS(name, field) {#name, offsetof(process, field)}
	static const migbsp_name all[] = {
		OWN(strerror), OWN(strsignal), OWN(dlerror), OWN(gai_strerror), OWN(hstrerror), OWN(nl_langinfo), OWN(nl_langinfo_l), ALIAS(__nl_langinfo_l, nl_langinfo_l),
		OWN(getlogin), OWN(ttyname), OWN(ptsname), OWN(ctermid), OWN(getusershell), OWN(textdomain), OWN(bindtextdomain), OWN(bind_textdomain_codeset),
		OWN(gettext), OWN(dgettext), OWN(dcgettext), OWN(ngettext), OWN(dngettext), OWN(dcngettext), OWN(localeconv),
		OWN(localtime_r), OWN(localtime), OWN(mktime), ALIAS(timelocal, mktime), OWN(strftime), OWN(strftime_l), ALIAS(__strftime_l, strftime_l), OWN(wcsftime), OWN(tzset), OWN(gmtime_r), OWN(gmtime), OWN(asctime), OWN(ctime_r), OWN(ctime), OWN(getdate),
		FIELD(tzname), FIELD_AS(__tzname, tzname), FIELD(timezone), FIELD_AS(__timezone, timezone), FIELD(daylight), FIELD_AS(__daylight, daylight),
		OWN(inet_ntoa), OWN(ether_ntoa), OWN(ether_aton), OWN(inet_nsap_ntoa), OWN(getpass), OWN(l64a), OWN(ecvt), OWN(fcvt), OWN(qecvt), OWN(qfcvt), OWN(tmpnam),
		OWN(getpwnam), OWN(getpwuid), OWN(fgetpwent), OWN(getgrnam), OWN(getgrgid), OWN(fgetgrent), OWN(getspnam),
		OWN(gethostbyname), OWN(gethostbyname2), OWN(gethostbyaddr), OWN(getnetbyname), OWN(getnetbyaddr), OWN(getprotobyname), OWN(getprotobynumber),
		OWN(getservbyname), OWN(getservbyport), OWN(getrpcbyname), OWN(getrpcbynumber),
		OWN(getpwent), OWN(setpwent), ALIAS(endpwent, setpwent), OWN(getgrent), OWN(setgrent), ALIAS(endgrent, setgrent), OWN(getspent), OWN(setspent), ALIAS(endspent, setspent),
		OWN(gethostent), OWN(sethostent), ALIAS(endhostent, sethostent), OWN(getnetent), OWN(setnetent), ALIAS(endnetent, setnetent),
		OWN(getprotoent), OWN(setprotoent), ALIAS(endprotoent, setprotoent), OWN(getservent), OWN(setservent), ALIAS(endservent, setservent),
		OWN(getrpcent), OWN(setrpcent), ALIAS(endrpcent, setrpcent), OWN(__h_errno_location), OWN(getmntent),
		OWN(mbrtowc), OWN(wcrtomb), OWN(mbrlen), ALIAS(__mbrlen, mbrlen), OWN(mbsrtowcs), OWN(wcsrtombs), OWN(mbsnrtowcs), OWN(wcsnrtombs), OWN(mbrtoc16), OWN(c16rtomb), OWN(mbrtoc32), OWN(c32rtomb),
		OWN(__wcrtomb_chk), OWN(__mbsrtowcs_chk), OWN(__wcsrtombs_chk), OWN(__mbsnrtowcs_chk), OWN(__wcsnrtombs_chk), OWN(__wctomb_chk), OWN(wctype), OWN(iswctype), OWN(wctrans), OWN(towctrans),
		OWN(mbtowc), OWN(mblen), OWN(wctomb), OWN(lgamma), OWN(lgammaf), OWN(lgammal), ALIAS(gamma, lgamma), FIELD(signgam), FIELD_AS(__signgam, signgam),
		OWN(hcreate_r), OWN(hcreate), OWN(hsearch), OWN(hdestroy),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
