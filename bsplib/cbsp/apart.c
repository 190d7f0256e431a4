//go:build !staticrank

// What the C library keeps for its program from call to call, kept for each process: random numbers, words of
// strtok, options, the environment, values of threads. So a process finds its own wherever it
// runs, and however many run there.
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"

typedef struct {
	int used, inThreads; // the process's own threads have values too,
	pthread_key_t real;  // which the library keeps
	const void *value;
	void (*destructor)(void *);
} key;

enum { MOST_KEYS = 1024 };

struct apart {
	int32_t table[32]; // as large as the library's own
	struct random_data numbers;
	struct drand48_data fractions;
	char *words; // where strtok goes on
	key *keys;
	unsigned nkeys;
};

// its is that of the process, which does not stop meanwhile; 0 for a thread that the program has started, for which
// things are as ever.
static inline struct apart *its(void) {
	process *c = migbsp_running;
	if (__builtin_expect(!c, 0))
		return 0;
	struct apart *a = c->apart;
	if (__builtin_expect(!a, 0)) {
		a = c->apart = migbsp_zeroed(c, sizeof *a);
		if (!a)
			migbsp_fail("no memory is left");
		initstate_r(1, (char *)a->table, sizeof a->table, &a->numbers);
	}
	return a;
}

// Random numbers: the library's, of states of the process.

static long own_random(void) {
	int32_t next;
	struct apart *a = its();
	if (!a)
		return random();
	random_r(&a->numbers, &next);
	return next;
}

static int own_rand(void) { return (int)own_random(); }

static void own_srandom(unsigned seed) {
	struct apart *a = its();
	if (a)
		srandom_r(seed, &a->numbers);
	else
		srandom(seed);
}

static char *own_initstate(unsigned seed, char *state, size_t size) {
	struct apart *a = its();
	if (!a)
		return initstate(seed, state, size);
	char *old = (char *)(a->numbers.state - 1);
	return initstate_r(seed, state, size, &a->numbers) ? 0 : old;
}

static char *own_setstate(char *state) {
	struct apart *a = its();
	if (!a)
		return setstate(state);
	char *old = (char *)(a->numbers.state - 1);
	return setstate_r(state, &a->numbers) ? 0 : old;
}

#define OF_FRACTIONS(name, type) \
	static type own_##name(void) { \
		type next; \
		struct apart *a = its(); \
		if (!a) \
			return name(); \
		name##_r(&a->fractions, &next); \
		return next; \
	}
#define OF_GIVEN(name, type) \
	static type own_##name(unsigned short x[3]) { \
		type next; \
		struct apart *a = its(); \
		if (!a) \
			return name(x); \
		name##_r(x, &a->fractions, &next); \
		return next; \
	}

OF_FRACTIONS(drand48, double)
OF_FRACTIONS(lrand48, long)
OF_FRACTIONS(mrand48, long)
OF_GIVEN(erand48, double)
OF_GIVEN(nrand48, long)
OF_GIVEN(jrand48, long)

static void own_srand48(long seed) {
	struct apart *a = its();
	if (a)
		srand48_r(seed, &a->fractions);
	else
		srand48(seed);
}

static void own_lcong48(unsigned short x[7]) {
	struct apart *a = its();
	if (a)
		lcong48_r(x, &a->fractions);
	else
		lcong48(x);
}

static unsigned short *own_seed48(unsigned short x[3]) {
	struct apart *a = its();
	if (!a)
		return seed48(x);
	seed48_r(x, &a->fractions);
	return a->fractions.__old_x;
}

static char *own_strtok(char *text, const char *between) {
	struct apart *a = its();
	return a ? strtok_r(text, between, &a->words) : strtok(text, between);
}

// Options. The library keeps where it is within them. What another process has left there is replaced by going
// through this one's options so far once more.

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static process *last; // that has asked
static int asked;     // how often, since it began with its options

typedef int options(int, char *const *, const char *, const struct option *, int *);

static int plain(int argc, char *const *argv, const char *letters, const struct option *longer, int *which) {
	(void)longer, (void)which;
	return getopt(argc, argv, letters);
}

static int next(options *f, int argc, char *const *argv, const char *letters, const struct option *longer, int *which) {
	process *c = migbsp_now();
	if (!c)
		return f(argc, argv, letters, longer, which);
	pthread_mutex_lock(&asking);
	if (c->optind == 0 || c->optind != c->optionsTo || !c->options) // it begins, perhaps once more
		c->options = 0, c->optionsFrom = c->optind;
	if (c != last || c->options != asked || !c->options) {
		char *nothing[] = {"", 0};
		int unused;
		optind = 0;
		getopt(1, nothing, ""); // forgets all
		optind = c->optionsFrom;
		opterr = 0;
		for (int i = 0; i < c->options; i++)
			f(argc, argv, letters, longer, &unused);
	}
	optind = c->optind;
	opterr = c->opterr;
	optopt = c->optopt;
	int found = f(argc, argv, letters, longer, which);
	c->optind = c->optionsTo = optind;
	c->optopt = optopt;
	c->optarg = optarg;
	last = c;
	asked = c->options = found == -1 ? 0 : c->options + 1;
	pthread_mutex_unlock(&asking);
	return found;
}

static int own_getopt(int argc, char *const *argv, const char *letters) { return next(plain, argc, argv, letters, 0, 0); }
static int own_getopt_long(int argc, char *const *argv, const char *letters, const struct option *longer, int *which) {
	return next(getopt_long, argc, argv, letters, longer, which);
}
static int own_getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *longer, int *which) {
	return next(getopt_long_only, argc, argv, letters, longer, which);
}

// The environment. What a process sets its rank knows too, for other programs that are called.

static char **variable(process *c, const char *name, size_t n) {
	char **e = c->environ;
	while (e && *e && (strncmp(*e, name, n) || (*e)[n] != '='))
		e++;
	return e && *e ? e : 0;
}

static char *own_getenv(const char *name) {
	process *c = migbsp_now();
	size_t n = strlen(name);
	char **e = c ? variable(c, name, n) : 0;
	return e ? *e + n + 1 : c ? 0 : getenv(name);
}

// keep has the environment contain a text.
static int keep(process *c, char *text, size_t n) {
	char **e = variable(c, text, n);
	if (e) {
		*e = text;
		return 0;
	}
	size_t all = 0;
	while (c->environ && c->environ[all])
		all++;
	char **larger = migbsp_allocate(c, (all + 2) * sizeof *larger);
	if (!larger) {
		errno = ENOMEM;
		return -1;
	}
	if (all)
		memcpy(larger, c->environ, all * sizeof *larger);
	larger[all] = text;
	larger[all + 1] = 0;
	c->environ = larger; // the old one may be in use
	return 0;
}

static int own_setenv(const char *name, const char *value, int again) {
	process *c = migbsp_now();
	size_t n = name ? strlen(name) : 0;
	if (!c || n == 0 || strchr(name, '='))
		return setenv(name, value, again);
	if (!again && variable(c, name, n))
		return 0;
	char *text = migbsp_allocate(c, n + strlen(value) + 2);
	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	memcpy(text, name, n);
	text[n] = '=';
	strcpy(text + n + 1, value);
	setenv(name, value, 1);
	return keep(c, text, n);
}

static int own_unsetenv(const char *name) {
	process *c = migbsp_now();
	size_t n = name ? strlen(name) : 0;
	if (!c || n == 0 || strchr(name, '='))
		return unsetenv(name);
	for (char **e; (e = variable(c, name, n));)
		do
			e[0] = e[1];
		while (*e++);
	return unsetenv(name);
}

static int own_putenv(char *text) {
	process *c = migbsp_now();
	char *value = strchr(text, '=');
	if (!c)
		return putenv(text);
	if (!value)
		return own_unsetenv(text);
	char *name = strndup(text, (size_t)(value - text));
	if (name)
		setenv(name, value + 1, 1);
	free(name);
	return keep(c, text, (size_t)(value - text));
}

static int own_clearenv(void) {
	process *c = migbsp_now();
	if (c)
		c->environ = 0;
	return c ? 0 : clearenv();
}

// Values of threads. A process is one, on whichever thread of the rank it runs.

static key *keyOf(pthread_key_t number) {
	process *c = migbsp_process((int)(number / MOST_KEYS));
	unsigned i = number % MOST_KEYS;
	return number / MOST_KEYS < (unsigned)MAX_PROCS && c->apart && i < c->apart->nkeys && c->apart->keys[i].used ? &c->apart->keys[i] : 0;
}

static int own_pthread_key_create(pthread_key_t *number, void (*destructor)(void *)) {
	process *c = migbsp_now();
	if (!c)
		return EAGAIN;
	struct apart *a = its();
	unsigned i = 0;
	while (i < a->nkeys && a->keys[i].used)
		i++;
	if (i == MOST_KEYS)
		return EAGAIN;
	if (i == a->nkeys) {
		key *more = migbsp_zeroed(c, (i + 1) * sizeof *more);
		if (!more)
			return ENOMEM;
		if (i > 0) {
			memcpy(more, a->keys, i * sizeof *more);
			migbsp_release(c, a->keys);
		}
		a->keys = more;
		a->nkeys++;
	}
	a->keys[i] = (key){.used = 1, .destructor = destructor};
	*number = (pthread_key_t)c->pid * MOST_KEYS + i;
	return 0;
}

static int own_pthread_key_delete(pthread_key_t number) {
	key *k = keyOf(number);
	if (!k)
		return EINVAL;
	k->used = 0;
	return k->inThreads ? pthread_key_delete(k->real) : 0;
}

static int own_pthread_setspecific(pthread_key_t number, const void *value) {
	key *k = keyOf(number);
	if (!k)
		return EINVAL;
	if (migbsp_now()) {
		k->value = value;
		return 0;
	}
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&making);
	int wrong = k->inThreads ? 0 : pthread_key_create(&k->real, k->destructor);
	k->inThreads = !wrong;
	pthread_mutex_unlock(&making);
	return wrong ? wrong : pthread_setspecific(k->real, value);
}

static void *own_pthread_getspecific(pthread_key_t number) {
	key *k = keyOf(number);
	if (!k || (!k->inThreads && !migbsp_now()))
		return 0;
	return migbsp_now() ? (void *)k->value : pthread_getspecific(k->real);
}

// migbsp_named returns the value of a name in a table, 0 if it is not there.
uintptr_t migbsp_named(const migbsp_name *all, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, all[i].name))
			return all[i].at;
	return 0;
}

// migbsp_apart is what a name of the library means for a process, 0 for the same as ever: a function, or if it is
// less than MIGBSP_APART, how far behind the beginning of the process's structure a variable is.
uintptr_t migbsp_apart(const char *name) {
#define INSIDE_IT(name, field) {name, offsetof(process, field)}
	static const migbsp_name all[] = {
		OWN(rand), OWN(random), OWN(srandom), {"srand", (uintptr_t)own_srandom}, OWN(initstate), OWN(setstate),
		OWN(drand48), OWN(lrand48), OWN(mrand48), OWN(erand48), OWN(nrand48), OWN(jrand48), OWN(srand48), OWN(lcong48), OWN(seed48),
		OWN(strtok), OWN(getopt), {"__posix_getopt", (uintptr_t)own_getopt}, OWN(getopt_long), OWN(getopt_long_only),
		OWN(getenv), {"secure_getenv", (uintptr_t)own_getenv}, OWN(setenv), OWN(unsetenv), OWN(putenv), OWN(clearenv),
		OWN(pthread_key_create), OWN(pthread_key_delete), OWN(pthread_setspecific), OWN(pthread_getspecific),
		INSIDE_IT("optind", optind), INSIDE_IT("opterr", opterr), INSIDE_IT("optopt", optopt), INSIDE_IT("optarg", optarg),
		INSIDE_IT("environ", environ), INSIDE_IT("__environ", environ), INSIDE_IT("_environ", environ),
	};
	static uintptr_t (*const more[])(const char *) = {migbsp_of_streams, migbsp_of_stdio, migbsp_of_turns, migbsp_of_handlers, migbsp_of_results, migbsp_of_allocated};
	uintptr_t at = migbsp_named(all, sizeof all / sizeof *all, name);
	for (size_t i = 0; i < sizeof more / sizeof *more && !at; i++)
		at = more[i](name);
	return at;
}

// Variables of the environment that a process has unless the rank has one of the same line. Fortran's library then
// prints each record as it is written, and libraries of linear algebra start no threads, for processes run in parallel
// already.
static const char *const defaults[][4] = {
	{"GFORTRAN_UNBUFFERED_PRECONNECTED=y"},
	{"OPENBLAS_NUM_THREADS=1", "GOTO_NUM_THREADS=", "OMP_NUM_THREADS="},
	{"MKL_NUM_THREADS=1", "OMP_NUM_THREADS="},
	{"BLIS_NUM_THREADS=1", "OMP_NUM_THREADS="},
};
enum { DEFAULTS = sizeof defaults / sizeof *defaults };

// isSet reports whether the rank's environment has one of the variables of a line.
static int isSet(const char *const line[4]) {
	for (int k = 0; k < 4 && line[k]; k++)
		for (char **e = environ; e && *e; e++)
			if (!strncmp(*e, line[k], strcspn(line[k], "=") + 1))
				return 1;
	return 0;
}

// migbsp_parts gives a process an environment, a copy of the rank's with these defaults, and the first of its options.
void migbsp_parts(process *c) {
	c->optind = c->opterr = 1;
	size_t n = 0, bytes = 0;
	for (; environ && environ[n]; n++)
		bytes += strlen(environ[n]) + 1;
	char **list = migbsp_allocate(c, (n + DEFAULTS + 1) * sizeof *list + bytes);
	if (!list)
		return;
	char *word = (char *)(list + n + DEFAULTS + 1);
	for (size_t i = 0; i < n; i++) {
		list[i] = word;
		word = stpcpy(word, environ[i]) + 1;
	}
	for (int i = 0; i < DEFAULTS; i++)
		if (!isSet(defaults[i]))
			list[n++] = (char *)(uintptr_t)defaults[i][0];
	list[n] = 0;
	c->environ = list;
}
