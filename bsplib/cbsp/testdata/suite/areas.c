/* Of several registrations of an address the newest counts, with few and with many registrations. Each
 * process keeps a list of all registrations in which it searches from the end. */
#include <bsp.h>
#include <migbsp.h>

enum { BASES = 500, MOST = 4000 };
static struct { int base, size, live, popped; } list[MOST];
static char memory[BASES][64];
static unsigned seed = 1;
static int n;

static int below(int limit) {
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (unsigned)limit);
}

static int newest(int base, int forPop) {
	int i = n - 1;
	while (i >= 0 && (list[i].base != base || (forPop ? list[i].popped : !list[i].live)))
		i--;
	return i;
}

static void is(migbsp_code code, migbsp_code want, const char *call) {
	if (code != want)
		bsp_abort("%s: code %d, want %d: %s", call, code, want, migbsp_why());
}

int main(void) {
	bsp_begin(bsp_nprocs());
	for (int round = 0; round < 60; round++) {
		int bases = round < 20 ? 4 : BASES, more = round < 20 ? 3 : 60;
		for (int k = below(more + 1); k > 0; k--) {
			list[n].base = below(bases);
			list[n].size = below(64);
			list[n].live = list[n].popped = 0;
			is(migbsp_push_reg(memory[list[n].base], (size_t)list[n].size), MIGBSP_SUCCESS, "push");
			n++;
		}
		for (int k = below(more / 2 + 1); k > 0; k--) {
			int base = below(bases), i = newest(base, 1);
			is(migbsp_pop_reg(memory[base]), i < 0 ? MIGBSP_NOT_REGISTERED : MIGBSP_SUCCESS, "pop");
			if (i >= 0)
				list[i].popped = 1;
		}
		for (int k = 0; k < 100; k++) {
			int base = below(bases), i = newest(base, 0), pid = below(bsp_nprocs());
			size_t size = i < 0 ? 1 : (size_t)list[i].size;
			char c = 0;
			is(migbsp_put(pid, &c, memory[base], size, 1), i < 0 ? MIGBSP_NOT_REGISTERED : MIGBSP_OUT_OF_RANGE, "put");
			if (i >= 0 && size > 0)
				is(migbsp_put(pid, &c, memory[base], size - 1, 1), MIGBSP_SUCCESS, "put");
		}
		is(migbsp_sync(), MIGBSP_SUCCESS, "sync");
		int k = 0;
		for (int i = 0; i < n; i++)
			if (!list[i].popped) {
				list[k] = list[i];
				list[k++].live = 1;
			}
		n = k;
	}
	if (bsp_pid() == 0)
		printf("all is right\n");
	bsp_end();
	return 0;
}
