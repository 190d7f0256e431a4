/* Calls primitives with the arguments that a text of hexadecimal digits says: four bytes for each call. The
 * first byte of the text says where the calls are made, and whether some objects are registered before. Objects are longer than what is written to them, so
 * that no call overwrites other memory; messages of 2 GiB, which would be right, are left out. */
#include <bsp.h>
#include <bsp_level1.h>
#include <migbsp.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { LONG = 1 << 17 };
static const char constant[LONG] = "constant";
static char variable[LONG], other[LONG];
static char *freed, *heap, *hole, *stack;
static const char *text = "";
static int inside;

int main(void);

static int nibble(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }
static unsigned next(void) {
	if (!text[0] || !text[1])
		return 0;
	text += 2;
	return (unsigned)(nibble(text[-2]) << 4 | nibble(text[-1]));
}

static void *address(unsigned k) {
	void *all[] = {variable, other, heap, stack, variable + 1, variable + 4096, (void *)constant, freed, hole, NULL, (void *)16, (void *)-64l, variable + (1l << 32), (void *)main, (void *)(1l << 50)};
	return k % 32 < 16 ? all[k % 5] : all[k % (sizeof all / sizeof *all)];
}

static bsp_size_t size(unsigned k) {
	const bsp_size_t all[] = {8, 4, 8, 100, 0, 1, 4096, 5000, 60000, (bsp_size_t)-1, INT_MAX, (bsp_size_t)(1ul << (8 * sizeof(bsp_size_t) - 1)), (bsp_size_t)(1ul << 62)};
	return k % 32 < 16 ? all[k % 4] : all[k % (sizeof all / sizeof *all)];
}

static bsp_pid_t pid(unsigned k) {
	const bsp_pid_t all[] = {0, 1, 2, 0, 1, (bsp_pid_t)-1, 3, INT_MAX};
	return all[k % 8];
}

static int less(void *a, void *b) { return *(char *)a < *(char *)b; }
static void plus(void *to, void *a, void *b, int *n) { *(char *)to = *(char *)a; (void)b, (void)n; }

static void spmd(void) {}

static void call(void) {
	unsigned op = next(), a = next(), b = next(), c = next();
	void *p = address(a), *q = address(b);
	bsp_size_t n = size(c), most = a & 64 ? 1 << 16 : size(b), offset = size(c >> 3);
	bsp_nprocs_t messages;
	size_t word = n;
	if (op & 128 && inside && bsp_pid() != (bsp_pid_t)(b % 3)) // by one process only
		return;
	switch (op % 48) {
	case 0: case 1: case 2: case 3: bsp_sync(); break;
	case 4: case 5: case 6: bsp_push_reg(p, b % 4 ? 1 << 16 : most); break;
	case 7: bsp_pop_reg(p); break;
	case 8: case 9: case 10: bsp_put(pid(c), q, p, offset, n); break;
	case 11: bsp_hpput(pid(c), q, p, offset, n); break;
	case 12: case 13: case 14: bsp_get(pid(c), p, offset, q, n); break;
	case 15: bsp_hpget(pid(c), p, offset, q, n); break;
	case 16: bsp_set_tagsize(c & 1 ? &n : (bsp_size_t *)p); break;
	case 17: case 18: case 19: if (n != INT_MAX) bsp_send(pid(c), p, q, n); break;
	case 20: bsp_qsize(c & 1 ? &messages : (bsp_nprocs_t *)p, (bsp_size_t *)q); break;
	case 21: bsp_get_tag(c & 1 ? &n : (bsp_size_t *)p, q); break;
	case 22: bsp_move(p, n); break;
	case 23: bsp_hpmove((void **)p, (void **)q); break;
	case 24: bsp_begin((bsp_nprocs_t)n); break;
	case 25: bsp_end(); break;
	case 26: bsp_init(c & 1 ? spmd : (void (*)(void))p, 0, NULL); break;
	case 27: bsp_abort(c & 1 ? "abort" : (char *)p); break;
	case 28: bsp_time(), bsp_pid(), bsp_nprocs(); break;
	case 29: migbsp_push_reg(p, word); break;
	case 30: migbsp_pop_reg(p); break;
	case 31: migbsp_put((int)pid(c), q, p, (size_t)offset, word); break;
	case 32: migbsp_hpput((int)pid(c), q, p, (size_t)offset, word); break;
	case 33: migbsp_get((int)pid(c), p, (size_t)offset, q, word); break;
	case 34: migbsp_hpget((int)pid(c), p, (size_t)offset, q, word); break;
	case 35: migbsp_set_tagsize(c & 1 ? &word : (size_t *)p); break;
	case 36: if (n != INT_MAX) migbsp_send((int)pid(c), p, q, word); break;
	case 37: migbsp_qsize((size_t *)p, (size_t *)q); break;
	case 38: migbsp_get_tag((size_t *)p, q); break;
	case 39: migbsp_move(p, word); break;
	case 40: migbsp_hpmove((void **)p, (void **)q, &word); break;
	case 41: migbsp_sync(); break;
	case 42: bsp_bcast((int)pid(c), p, q, (int)n); break;
	case 43: bsp_gather((int)pid(c), p, q, (int)n); break;
	case 44: bsp_fold(plus, p, q, (int)n); break;
	case 45: bsp_sort(less, p, q, (int)n); break;
	case 46: exit((int)c); break;
	case 47: c & 1 ? migbsp_end() : migbsp_begin((int)n); break;
	}
}

static void calls(void) {
	while (*text)
		call();
}

static void handler(int number) {
	(void)number;
	calls();
}

static void *thread(void *unused) {
	calls();
	return unused;
}

__attribute__((constructor)) static void before(int argc, char **argv) {
	static char memory[LONG];
	stack = memory;
	heap = malloc(LONG);
	freed = malloc(LONG);
	malloc(16);
	free(freed);
	hole = mmap(NULL, LONG, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	text = argc > 1 ? argv[1] : "";
	if (strncmp(text, "01", 2) == 0) {
		text += 2;
		calls();
	}
}

__attribute__((destructor)) static void after(void) {
	if (strncmp(text, "02", 2) == 0) {
		text += 2;
		calls();
	}
}

int main(void) {
	char own[LONG];
	pthread_t other;
	unsigned first = next(), where = first & 7;
	bsp_size_t tag = 8;
	stack = own;
	if (where == 2)
		text -= 2;
	if (where == 3)
		atexit(calls);
	if (where == 4)
		calls();
	bsp_begin(3);
	inside = 1;
	if (first & 8) {
		bsp_set_tagsize(&tag);
		for (unsigned k = 0; k < 6; k++)
			bsp_push_reg(address(k), 1 << 16);
		bsp_sync();
	}
	switch (where) {
	case 2: case 3:
		break;
	case 5:
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
		break;
	case 6:
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
		break;
	case 7:
		bsp_end();
		inside = 0;
		calls();
		break;
	default:
		calls();
	}
	if (where != 7) {
		bsp_sync();
		bsp_end();
	}
	inside = 0;
	return 0;
}
