/* Coroutines of makecontext and swapcontext that end supersteps: on stacks in the heap, in the data and in a mapping. */
#include <bsp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { ROUNDS = 5, SIZE = 256 << 10 };
static ucontext_t whole, part;
static char data[SIZE];
static int x, *sum;

static void work(int first) {
	int local[1000];
	for (int i = 0; i < 1000; i++)
		local[i] = first + i;
	for (int r = 0; r < ROUNDS; r++) {
		int next = (bsp_pid() + 1) % bsp_nprocs(), mine = first + bsp_pid() + r;
		bsp_put(next, &mine, &x, 0, sizeof x);
		bsp_sync();
		*sum += x - local[r];
		swapcontext(&part, &whole);
	}
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int before = (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs();
	sum = calloc(1, sizeof *sum);
	bsp_push_reg(&x, sizeof x);
	bsp_sync();
	for (int kind = 0; kind < 3; kind++) {
		char deep[100000];
		memset(deep, kind, sizeof deep);
		char *stack = kind == 0 ? malloc(SIZE) : kind == 1 ? data : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		getcontext(&part);
		part.uc_stack.ss_sp = stack;
		part.uc_stack.ss_size = SIZE;
		part.uc_link = &whole;
		*sum = 0;
		makecontext(&part, (void (*)(void))work, 1, 1000 * kind);
		for (int r = 0; r < ROUNDS; r++) {
			swapcontext(&whole, &part);
			bsp_sync();
		}
		swapcontext(&whole, &part);
		if (*sum != ROUNDS * before || deep[500] != kind)
			bsp_abort("kind %d: %d, want %d", kind, *sum, ROUNDS * before);
		if (kind == 0)
			free(stack);
		if (kind == 2)
			munmap(stack, SIZE);
	}
	if (bsp_pid() == 0)
		printf("all is right\n");
	bsp_end();
	return 0;
}
