//go:build !staticrank

// Settings of a thread, kept for each process: its working directory, the mask of modes of new files, the locale, the
// processors that it may use. A thread has the settings of the process that it runs. Between two turns it has the
// settings of the rank.
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside.h"

enum { DIRECTORY = 1, MODES = 2, LOCALE = 4, CPUS = 8 };
enum { CATEGORIES = 13 }; // LC_ALL is one of the numbers

struct turn {
	int has; // the settings that are not the rank's
	char directory[4096];
	mode_t modes;
	cpu_set_t cpus;
	locale_t chosen;         // by uselocale
	locale_t locale;         // of setlocale, made on this rank; 0 if it is to be made
	char *names[CATEGORIES]; // of its categories; 0 for "C"
	const void *tables[3];   // of characters
};

// The rank's.
static int start = -1; // its working directory
static __thread mode_t modes;
static __thread cpu_set_t cpus;

void migbsp_first_turn(void) { start = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC); }

static struct turn *its(process *c) {
	if (!c->turn && !(c->turn = migbsp_zeroed(c, sizeof *c->turn)))
		migbsp_fail("no memory is left");
	return c->turn;
}

// Working directories and masks of modes.

static struct turn *ofFiles(process *c, const char *name) {
	if (unshare(CLONE_FS))
		migbsp_refuse(c, "%s: a thread cannot have a working directory of its own here (%s): link by  bspcc -static-rank", name, strerror(errno));
	return its(c);
}

// migbsp_changes_directory is called before the library changes the working directory.
void migbsp_changes_directory(const char *name) {
	process *c = migbsp_now();
	if (c && !migbsp_forked)
		ofFiles(c, name)->has |= DIRECTORY;
}

static int own_chdir(const char *path) {
	migbsp_changes_directory("chdir");
	return chdir(path);
}

static int own_fchdir(int fd) {
	migbsp_changes_directory("fchdir");
	return fchdir(fd);
}

static mode_t own_umask(mode_t to) {
	process *c = migbsp_now();
	if (!c || migbsp_forked)
		return umask(to);
	struct turn *t = ofFiles(c, "umask");
	mode_t old = umask(to);
	if (!(t->has & MODES))
		modes = old;
	t->has |= MODES;
	return old;
}

// REFUSED is a function that changes a setting of all processes of a rank. A child of the process may call it.
#define REFUSED(name) \
	static long own_##name(void *a, void *b, void *c, void *d) { \
		static long (*next)(void *, void *, void *, void *); \
		if (migbsp_now() && !migbsp_forked) \
			migbsp_refuse(migbsp_now(), #name ": is for all processes of a rank: link by  bspcc -static-rank"); \
		if (!next) \
			*(void **)&next = dlsym(RTLD_DEFAULT, #name); \
		return next(a, b, c, d); \
	}

REFUSED(chroot)
REFUSED(pivot_root)
REFUSED(setns)
REFUSED(unshare)
REFUSED(daemon)
REFUSED(setuid)
REFUSED(setgid)
REFUSED(seteuid)
REFUSED(setegid)
REFUSED(setreuid)
REFUSED(setregid)
REFUSED(setresuid)
REFUSED(setresgid)
REFUSED(setgroups)
REFUSED(initgroups)
REFUSED(re_comp)
REFUSED(getfsent)
REFUSED(getfsfile)
REFUSED(getfsspec)
REFUSED(getttyent)
REFUSED(getttynam)
REFUSED(getsgent)
REFUSED(getsgnam)
REFUSED(getaliasent)
REFUSED(getaliasbyname)
REFUSED(getnetgrent)
REFUSED(getutent)
REFUSED(getutid)
REFUSED(getutline)
REFUSED(pututline)
REFUSED(login_tty)
REFUSED(forkpty)

int migbsp_any_shared; // a process has called one of these

// HOLDS is a function that changes a setting of all processes of a rank, on which no result depends.
#define HOLDS(name) \
	static void *own_##name(void *a, void *b, void *c, void *d, void *e) { \
		static void *(*next)(void *, void *, void *, void *, void *); \
		process *p = migbsp_now(); \
		if (p && !migbsp_forked && !p->shared) { \
			p->sharedSite = (uintptr_t)__builtin_return_address(0); \
			p->shared = #name; \
			migbsp_any_shared = 1; \
		} \
		if (!next) \
			*(void **)&next = dlsym(RTLD_DEFAULT, #name); \
		return next(a, b, c, d, e); \
	}

// migbsp_shared returns the name of such a function that a process has called, and its place, once; or null.
const char *migbsp_shared(process *c, uintptr_t *site) {
	if (c->sharedTold)
		return 0;
	c->sharedTold = c->shared != 0;
	*site = c->sharedSite;
	return c->shared;
}

HOLDS(nice)
HOLDS(setpriority)
HOLDS(setrlimit)
HOLDS(ulimit)
HOLDS(sched_setscheduler)
HOLDS(sched_setparam)
HOLDS(mlockall)
HOLDS(setsid)
HOLDS(setpgid)
HOLDS(setpgrp)
HOLDS(openlog)
HOLDS(setlogmask)

// Processors.

static int ofThis(pid_t id) { return id == 0 || id == getpid() || id == gettid(); }

static int own_sched_setaffinity(pid_t id, size_t size, const cpu_set_t *to) {
	process *c = migbsp_now();
	cpu_set_t old;
	if (!c || !ofThis(id))
		return sched_setaffinity(id, size, to);
	if (sched_getaffinity(0, sizeof old, &old) || sched_setaffinity(0, size, to))
		return -1;
	struct turn *t = its(c);
	if (!(t->has & CPUS))
		cpus = old;
	t->has |= CPUS;
	return 0;
}

// Locales. A process has the locale that it has set by setlocale, which is made by its names wherever the process goes,
// or one that it has made, which keeps it on its rank.

static locale_t classic(void) {
	static locale_t is;
	if (!is)
		is = newlocale(LC_ALL_MASK, "C", 0);
	return is;
}

// make makes the locale of setlocale from its names.
static int make(struct turn *t) {
	locale_t made = 0;
	for (int i = 0; i < CATEGORIES; i++) {
		locale_t more = i == LC_ALL ? made : newlocale(1 << i, t->names[i] ? t->names[i] : "C", made);
		if (!more && i != LC_ALL) {
			if (made)
				freelocale(made);
			return 0;
		}
		made = more;
	}
	t->locale = made;
	return 1;
}

static void tables(struct turn *t) {
	t->tables[0] = *__ctype_b_loc();
	t->tables[1] = *__ctype_tolower_loc();
	t->tables[2] = *__ctype_toupper_loc();
}

static void use(struct turn *t) {
	uselocale(t->chosen ? t->chosen : t->locale ? t->locale : LC_GLOBAL_LOCALE);
	tables(t);
}

static const char *nameOf(struct turn *t, int category) { return t->names[category] ? t->names[category] : "C"; }

static const char *const categories[] = {"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", 0, "LC_PAPER", "LC_NAME", "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};

static char *allNames(process *c, struct turn *t) {
	char text[CATEGORIES * 100] = "";
	int differ = 0;
	size_t n = 0;
	for (int i = 0; i < CATEGORIES; i++) {
		if (i == LC_ALL)
			continue;
		differ |= strcmp(nameOf(t, i), nameOf(t, 0));
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%.60s", n ? ";" : "", categories[i], nameOf(t, i));
	}
	return migbsp_kept(c, differ ? text : nameOf(t, 0));
}

static char *own_setlocale(int category, const char *name) {
	process *c = migbsp_now();
	if (!c)
		return setlocale(category, name);
	if (category < 0 || category >= CATEGORIES) {
		errno = EINVAL;
		return 0;
	}
	struct turn *t = its(c);
	if (name) {
		locale_t base = t->locale ? duplocale(t->locale) : 0;
		locale_t made = newlocale(category == LC_ALL ? LC_ALL_MASK : 1 << category, name, base);
		if (!made) {
			if (base)
				freelocale(base);
			return 0;
		}
		if (t->locale)
			freelocale(t->locale);
		t->locale = made;
		t->has |= LOCALE;
		for (int i = 0; i < CATEGORIES; i++)
			if (i != LC_ALL && (category == i || category == LC_ALL))
				t->names[i] = migbsp_kept(c, made->__names[i]);
		use(t);
	}
	return category == LC_ALL ? allNames(c, t) : migbsp_kept(c, nameOf(t, category));
}

static locale_t own_uselocale(locale_t to) {
	process *c = migbsp_now();
	if (!c)
		return uselocale(to);
	struct turn *t = its(c);
	locale_t old = t->chosen ? t->chosen : LC_GLOBAL_LOCALE;
	if (to) {
		t->chosen = to == LC_GLOBAL_LOCALE ? 0 : to;
		t->has |= LOCALE;
		use(t);
	}
	return old;
}

// ofRank notes that a process has, or has no longer, memory of its rank.
static locale_t ofRank(locale_t l, const char *name, void *caller) {
	if (l && l != classic())
		migbsp_pins(name, caller);
	return l;
}

static void gone(locale_t l) {
	if (l && l != classic())
		migbsp_unpins();
}

static locale_t own_newlocale(int mask, const char *name, locale_t base) {
	locale_t made = newlocale(mask, name, base);
	if (made)
		gone(base);
	return ofRank(made, "newlocale", __builtin_return_address(0));
}

static locale_t own_duplocale(locale_t l) {
	process *c = migbsp_now();
	if (l == LC_GLOBAL_LOCALE && c && its(c)->locale)
		l = its(c)->locale;
	return ofRank(duplocale(l), "duplocale", __builtin_return_address(0));
}

static void own_freelocale(locale_t l) {
	gone(l);
	freelocale(l);
}

// Tables of characters: compilers keep where the library says that a thread has them.
#define TABLE(name, type, i) \
	static const type **own_##name(void) { \
		process *c = migbsp_now(); \
		if (!c) \
			return name(); \
		struct turn *t = its(c); \
		t->tables[i] = *name(); \
		return (const type **)&t->tables[i]; \
	}

TABLE(__ctype_b_loc, unsigned short, 0)
TABLE(__ctype_tolower_loc, int32_t, 1)
TABLE(__ctype_toupper_loc, int32_t, 2)

// migbsp_enters gives the thread the settings of a process that it is to run. If that fails, it writes the reason to the
// text of the process and returns -1.
int migbsp_enters(process *c) {
	struct turn *t = c->turn;
	if (t->has == 0)
		return 0;
	if (t->has & LOCALE) {
		if (!t->locale && !make(t)) {
			snprintf(c->text, sizeof c->text, "setlocale: a locale of the process is not on this host: %.200s", nameOf(t, LC_CTYPE));
			return -1;
		}
		use(t);
	}
	if (t->has & (DIRECTORY | MODES) && unshare(CLONE_FS)) {
		snprintf(c->text, sizeof c->text, "the process cannot have its own working directory on this host: %s", strerror(errno));
		return -1;
	}
	if (t->has & DIRECTORY && chdir(t->directory)) {
		snprintf(c->text, sizeof c->text, "chdir: the working directory of the process cannot be had here: %.900s: %s", t->directory, strerror(errno));
		return -1;
	}
	if (t->has & MODES)
		modes = umask(t->modes);
	if (t->has & CPUS && !sched_getaffinity(0, sizeof cpus, &cpus))
		sched_setaffinity(0, sizeof t->cpus, &t->cpus); // another host may have fewer
	return 0;
}

// migbsp_leaves gives the thread the settings of the rank.
void migbsp_leaves(process *c) {
	struct turn *t = c->turn;
	if (t->has & LOCALE)
		uselocale(LC_GLOBAL_LOCALE);
	if (t->has & DIRECTORY && !getcwd(t->directory, sizeof t->directory))
		strcpy(t->directory, "(deleted)");
	if (t->has & MODES)
		t->modes = umask(modes);
	if (t->has & DIRECTORY) {
		unshare(CLONE_FS); // a thread of the program keeps it
		if (fchdir(start))
			abort();
	}
	if (t->has & CPUS && !sched_getaffinity(0, sizeof t->cpus, &t->cpus))
		sched_setaffinity(0, sizeof cpus, &cpus);
}

// migbsp_comes forgets the locale that a process had on another rank.
void migbsp_comes(process *c) {
	if (c->turn)
		c->turn->locale = 0;
}

uintptr_t migbsp_of_turns(const char *name) {
	static const migbsp_name all[] = {
		OWN(chdir), OWN(fchdir), OWN(umask), OWN(sched_setaffinity),
		OWN(chroot), OWN(pivot_root), OWN(setns), OWN(unshare), OWN(daemon), OWN(setuid), OWN(setgid), OWN(seteuid), OWN(setegid), OWN(setreuid), OWN(setregid), OWN(setresuid), OWN(setresgid), OWN(setgroups), OWN(initgroups),
		OWN(re_comp), OWN(getfsent), OWN(getfsfile), OWN(getfsspec), OWN(getttyent), OWN(getttynam),
		OWN(getsgent), OWN(getsgnam), OWN(getaliasent), OWN(getaliasbyname), OWN(getnetgrent), OWN(getutent), ALIAS(getutxent, getutent), OWN(getutid), ALIAS(getutxid, getutid), OWN(getutline), ALIAS(getutxline, getutline),
		OWN(pututline), ALIAS(pututxline, pututline), OWN(login_tty), OWN(forkpty),
		OWN(nice), OWN(setpriority), OWN(setrlimit), ALIAS(setrlimit64, setrlimit), OWN(ulimit), OWN(sched_setscheduler), OWN(sched_setparam), OWN(mlockall), OWN(setsid), OWN(setpgid), OWN(setpgrp), OWN(openlog), OWN(setlogmask),
		OWN(setlocale), OWN(uselocale), ALIAS(__uselocale, uselocale), OWN(newlocale), ALIAS(__newlocale, newlocale),
		OWN(duplocale), ALIAS(__duplocale, duplocale), OWN(freelocale), ALIAS(__freelocale, freelocale),
		OWN(__ctype_b_loc), OWN(__ctype_tolower_loc), OWN(__ctype_toupper_loc),
	};
	return migbsp_named(all, sizeof all / sizeof *all, name);
}
