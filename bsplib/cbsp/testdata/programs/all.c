/* Uses every primitive, with checks, in several supersteps; keeps lists on its heap, recursion on
 * its stack and pointers in its data. */
#include <assert.h>
#include <bsp.h>
#include <stdio_ext.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: process %d: not %s", __FILE__, __LINE__, bsp_pid(), #x); } while (0)

struct node { struct node *next; int value; };
static struct node *list;
static double (*root)(double);
static char big[300000];
static int initialised;
static __thread int own = 5;
double sqrt(double);

__attribute__((constructor)) static void before(void) { initialised = 42; }

static int deep(int n, int *rounds) {
	int here = n;
	if (n == 0) {
		bsp_sync();
		++*rounds;
		return 0;
	}
	int below = deep(n - 1, rounds);
	return here + below;
}

static void spmd(void) {
	bsp_begin(bsp_nprocs());
	CHECK(__fbufsize(stdout) > 1);
	int p = bsp_nprocs(), s = bsp_pid();
	CHECK(initialised == 42);
	CHECK(own == 5);
	own += s;
	root = sqrt;
	memset(big, s + 1, sizeof big);
	int x = -1, y[4] = {0}, rounds = 0;
	double *v = malloc(1000 * sizeof *v);
	for (int i = 0; i < 1000; i++) v[i] = 0;
	bsp_push_reg(&x, sizeof x);
	bsp_push_reg(v, 1000 * sizeof *v);
	bsp_sync();
	int to = (s + 1) % p, from = (s + p - 1) % p;
	bsp_put(to, &s, &x, 0, sizeof s);
	for (int i = 0; i < 1000; i++) {
		double w = 1000. * s + i;
		bsp_put(to, &w, v, i * (int)sizeof w, sizeof w);
	}
	bsp_sync();
	CHECK(x == from);
	for (int i = 0; i < 1000; i++) CHECK(v[i] == 1000. * from + i);
	bsp_get(to, &x, 0, &y[0], sizeof(int));
	bsp_sync();
	CHECK(y[0] == s);
	int tag = 3;
	bsp_set_tagsize(&tag);
	CHECK(tag == 0);
	bsp_sync();
	char t[3] = {'a', (char)s, 'c'};
	for (int i = 0; i < p; i++) bsp_send(i, t, v, 8 * i);
	bsp_sync();
	int n, bytes, status;
	bsp_qsize(&n, &bytes);
	CHECK(n == p && bytes == 8 * s * p);
	for (int i = 0; i < n; i++) {
		bsp_get_tag(&status, t);
		CHECK(status == 8 * s && t[0] == 'a' && t[2] == 'c');
		double w[1000];
		bsp_move(w, sizeof w);
		if (s > 0) CHECK(w[0] == 1000. * ((t[1] + p - 1) % p));
	}
	bsp_get_tag(&status, t);
	CHECK(status == -1);
	for (int i = 0; i < 20; i++) {
		struct node *k = malloc(sizeof *k);
		k->next = list, k->value = i;
		list = k;
		CHECK(deep(10 * i, &rounds) == 5 * i * (10 * i + 1));
		int count = 0;
		for (k = list; k; k = k->next) count += k->value;
		CHECK(count == i * (i + 1) / 2);
		CHECK(root(9) == 3);
		CHECK(own == 5 + s);
		CHECK(big[i * 1000] == (char)(s + 1) && big[sizeof big - 1] == (char)(s + 1));
		bsp_hpput(to, v, v, 0, 0);
		if (i == 10) { free(v); v = malloc(8000); bsp_push_reg(v, 8000); }
	}
	CHECK(rounds == 20);
	CHECK(bsp_time() > 0 && bsp_time() < 1000 && bsp_dtime() >= 0 && bsp_dtime() < 1000);
	bsp_pop_reg(v);
	bsp_pop_reg(&x);
	bsp_sync();
	char *text;
	text = strdup("kept");
	int longtag = 12;
	bsp_set_tagsize(&longtag);
	CHECK(longtag == 3);
	bsp_sync();
	CHECK(!strcmp(text, "kept"));
	bsp_send(to, "twelve bytes", &s, sizeof s);
	bsp_sync();
	char tt[12];
	bsp_get_tag(&status, tt);
	CHECK(status == sizeof s && !memcmp(tt, "twelve bytes", 12));
	void *tp, *pp;
	CHECK(bsp_hpmove(&tp, &pp) == sizeof s && *(int *)pp == from && !memcmp(tp, "twelve bytes", 12));
	CHECK(bsp_hpmove(&tp, &pp) == -1);
	bsp_end();
}

int main(int argc, char **argv) {
	bsp_init(spmd, argc, argv);
	spmd();
	printf("all is right\n");
	return argc > 1 ? atoi(argv[1]) : 0;
}
