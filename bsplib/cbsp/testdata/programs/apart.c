/* What the C library keeps for its program, each process finds as it has left it: while others run on the same rank,
 * and where it has moved. */
#define _GNU_SOURCE
#include <bsp.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: not so: %s", __FILE__, __LINE__, #x); } while (0)

extern char **environ;
static int s, calls, syncs;
static char room[BUFSIZ];

/* Addresses that the library gives belong to threads; compilers keep them in loops. */
static void errors(void) {
	const char *texts[] = {"12", "99999999999999999999999", "abc", "-7"};
	for (int i = 0; i < 12; i++) {
		errno = 0;
		long v = strtol(texts[i % 4], NULL, 10);
		CHECK((errno == ERANGE) == (i % 4 == 1) && (i % 4 || v == 12));
		bsp_sync();
		errno = s + 1;
		bsp_sync();
		CHECK(errno == s + 1);
		int letters = 0;
		for (const char *t = "aB3 xY"; *t; t++) {
			letters += isalpha((unsigned char)*t) != 0;
			letters += toupper((unsigned char)*t) == 'B';
		}
		CHECK(letters == 5);
		bsp_sync();
	}
}

static void numbers(void) {
	int before[6];
	double fractions[6];
	char state[64];
	if (s == 0)
		CHECK(rand() == 1804289383 && random() == 846930886);
	srand(s + 1);
	srand48(s);
	for (int i = 0; i < 6; i++) {
		before[i] = rand();
		fractions[i] = drand48();
		bsp_sync();
	}
	if (s == 0)
		CHECK(before[0] == 1804289383 && before[1] == 846930886 && fractions[0] > 0.170827 && fractions[0] < 0.170829);
	char *old = initstate(7, state, sizeof state);
	long first = random();
	bsp_sync();
	CHECK(old && setstate(old) == state);
	srand(s + 1);
	srand48(s);
	for (int i = 0; i < 6; i++) {
		CHECK(rand() == before[i] && drand48() == fractions[i]);
		bsp_sync();
	}
	CHECK(setstate(state) && random() != first);
}

static void words(void) {
	char text[] = "one two,three four", *word;
	int n = 0;
	for (word = strtok(text, " ,"); word; word = strtok(NULL, " ,")) {
		CHECK(strlen(word) == (n == 2 ? 5 : n == 3 ? 4 : 3));
		n++;
		bsp_sync();
	}
	CHECK(n == 4);
}

static void options(int synchronises) {
	char *argv[] = {"name", "-ab", "word", "--count", "17", "-vv", "--", "-x", NULL}, *arguments[9];
	const struct option longer[] = {{"count", required_argument, NULL, 'c'}, {NULL, 0, NULL, 0}};
	int a = 0, v = 0, count = 0, ch;
	memcpy(arguments, argv, sizeof argv);
	optind = 1;
	while ((ch = getopt_long(8, arguments, "abv", longer, NULL)) != -1) {
		a += ch == 'a' || ch == 'b';
		v += ch == 'v';
		if (ch == 'c')
			count = atoi(optarg);
		CHECK(ch != '?');
		if (synchronises)
			bsp_sync();
	}
	CHECK(a == 2 && v == 2 && count == 17 && optind == 6 && !strcmp(arguments[6], "word") && !strcmp(arguments[7], "-x"));
	bsp_sync();
	optind = 1;
	opterr = 0;
	CHECK(getopt(2, (char *[]){"name", "-q", NULL}, "ab") == '?' && optopt == 'q');
}

static void environment(char **given) {
	char *path = getenv("PATH"), copy[10000], number[20], own[40];
	int n = 0;
	CHECK(path && strlen(path) < sizeof copy && given == environ);
	while (given[n])
		n++;
	strcpy(copy, path);
	sprintf(number, "%d", s);
	sprintf(own, "APART_TOO=%d", 3 * s);
	CHECK(!setenv("APART", number, 1) && !putenv(own) && !setenv("APART", "x", 0));
	char *kept = getenv("APART");
	bsp_sync();
	bsp_sync();
	CHECK(!strcmp(path, copy) && getenv("PATH") == path && atoi(kept) == s && getenv("APART") == kept && atoi(getenv("APART_TOO")) == 3 * s);
	sprintf(own, "APART_TOO=%d", 5 * s);
	CHECK(!unsetenv("APART") && unsetenv("") == -1 && errno == EINVAL);
	bsp_sync();
	CHECK(!getenv("APART") && atoi(getenv("APART_TOO")) == 5 * s && given[n] == NULL);
	CHECK(!setenv("APART_CHILD", "7", 1) && system("test \"$APART_CHILD\" = 7") == 0);
}

static int by(const void *a, const void *b) {
	if (calls++ % 100 == 0 && syncs++ < 5)
		bsp_sync();
	return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b);
}

/* What the library allocates belongs to who has called it. */
static void allocated(void) {
	regex_t pattern;
	regmatch_t at[3];
	void *tree = NULL;
	static int keys[50];
	char *word;
	int n = 3000, *v = malloc((size_t)n * sizeof *v);
	wchar_t *wide = wcsdup(L"wide");
	CHECK(!regcomp(&pattern, "([a-z]+)([0-9]+)", REG_EXTENDED));
	for (int i = 0; i < 50; i++) {
		keys[i] = i * 37 % 50;
		calls = 1;
		tsearch(&keys[i], &tree, by);
	}
	CHECK(sscanf("5 word", "%*d %ms", &word) == 1);
	bsp_sync();
	CHECK(!regexec(&pattern, "..abc123", 3, at, 0) && at[2].rm_so == 5 && !strcmp(word, "word") && !wcscmp(wide, L"wide"));
	bsp_sync();
	CHECK(regexec(&pattern, "123", 3, at, 0) == REG_NOMATCH);
	regfree(&pattern);
	for (int i = 0; i < 50; i++)
		CHECK(**(int **)tfind(&i, &tree, by) == i);
	for (int i = 0; i < 50; i++)
		tdelete(&i, &tree, by);
	CHECK(!tree);
	for (int i = 0; i < n; i++)
		v[i] = (i * 7919 + s) % 10007;
	calls = syncs = 0;
	qsort(v, (size_t)n, sizeof *v, by);
	for (int i = 1; i < n; i++)
		CHECK(v[i - 1] <= v[i]);
	CHECK(syncs > 5);
	free(v);
	free(word);
	free(wide);
}

static pthread_key_t key;

static void *another(void *none) {
	CHECK(!pthread_getspecific(key) && !pthread_setspecific(key, &key) && pthread_getspecific(key) == &key);
	return none;
}

static void threads(void) {
	pthread_key_t gone;
	pthread_t thread;
	CHECK(!pthread_key_create(&gone, NULL) && !pthread_key_create(&key, NULL) && !pthread_setspecific(key, room) && !pthread_key_delete(gone));
	bsp_sync();
	CHECK(pthread_getspecific(key) == room && pthread_setspecific(gone, room) == EINVAL);
	bsp_sync();
	CHECK(!pthread_create(&thread, NULL, another, NULL) && !pthread_join(thread, NULL));
	CHECK(pthread_getspecific(key) == room && !pthread_key_delete(key) && !pthread_getspecific(key));
}

static volatile sig_atomic_t got;
static sigjmp_buf back;

static void takes(int number) {
	char deep[8000];
	memset(deep, number, sizeof deep);
	got += deep[number];
}

static void jumps(int number) { siglongjmp(back, number); }

static void handled(void) {
	volatile int jumped = 0;
	struct sigaction old, action = {.sa_handler = takes};
	CHECK(signal(SIGSEGV, jumps) == SIG_DFL);
	for (volatile int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1))
			jumped++;
		else
			*(volatile int *)8 = 1;
		bsp_sync();
	}
	CHECK(jumped == 3 && signal(SIGSEGV, SIG_DFL) == jumps);
	CHECK(!sigaction(SIGUSR2, &action, &old) && old.sa_handler == SIG_DFL);
	for (int i = 0; i < 4; i++) {
		raise(SIGUSR2);
		bsp_sync();
	}
	CHECK(got == 4 * SIGUSR2 && !sigaction(SIGUSR2, &old, &action) && action.sa_handler == takes);
}

/* What a process forks ends by itself. */
static void children(void) {
	int status;
	if (s == 0)
		puts("once");
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		if (child == 0) {
			if (i == 0)
				exit(3);
			if (i == 1)
				_exit(4);
			abort();
		}
		CHECK(waitpid(child, &status, 0) == child && !(WIFEXITED(status) && WEXITSTATUS(status) == 0) && (i == 2 || WEXITSTATUS(status) == 3 + i));
		bsp_sync();
	}
}

int main(int argc, char **argv, char **given) {
	bsp_begin(bsp_nprocs());
	s = bsp_pid();
	setvbuf(stdout, room, s % 2 ? _IOFBF : _IOLBF, sizeof room);
	bsp_sync();
	options(1);
	options(0);
	errors();
	numbers();
	words();
	environment(given);
	allocated();
	handled();
	for (int i = 0; i < 3; i++) {
		if (s == 0)
			printf("%d\n", i);
		bsp_sync();
	}
	children(); /* from now on it stays */
	threads();
	bsp_sync();
	if (s == 0)
		puts("all is right");
	bsp_end();
	return argc > 0 && argv ? 0 : 1;
}
