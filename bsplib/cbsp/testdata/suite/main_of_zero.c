/* Only process 0 runs main up to bsp_begin, and the others find the values of its variables: in the data, in the heap
 * and in main. Each has its own copy.
 * input: 20 */
#include <mcbsp.h>
#include <string.h>

static unsigned procs;
static int counted, *numbers, **chain, *inMain;
static int (*function)(int);
static const char *name;
static char *inName;
static _Thread_local int ofThread;

static int twice(int x) { return 2 * x; }

static void is(int right, const char *what) {
	if (!right)
		bsp_abort("process %u: %s is wrong", bsp_pid(), what);
}

static void spmd(void) {
	bsp_begin(procs);
	int s = (int)bsp_pid(), sum = 0;
	is(counted == 1, "the count of calls of main");
	is(procs == bsp_nprocs() && function(s) == 2 * s && !strcmp(name, "name") && *inName == 'm' && ofThread == 7, "a variable");
	for (int i = 0; i < 10; i++)
		sum += numbers[i];
	is(sum == 55 && *chain[3] == 4 && chain[3] == &numbers[3] && *inMain == 42, "memory");
	numbers[0] = 100 + s;
	*inMain = s;
	ofThread = s;
	counted = s;
	bsp_push_reg(numbers, 10 * sizeof *numbers);
	bsp_sync();
	bsp_put((bsp_pid() + 1) % procs, numbers, numbers, sizeof *numbers, sizeof *numbers);
	chain = realloc(chain, 1000 * sizeof *chain);
	bsp_sync();
	is(numbers[0] == 100 + s && *inMain == s && counted == s && ofThread == s, "its own copy");
	is(numbers[1] == 100 + (s + (int)procs - 1) % (int)procs, "the value of a put");
	free(chain);
	free(numbers);
	bsp_end();
}

int main(int argc, char **argv) {
	int local = 42, x;
	counted++;
	inMain = &local;
	function = twice;
	name = "name";
	inName = argv[0];
	ofThread = 7;
	numbers = malloc(10 * sizeof *numbers);
	chain = malloc(10 * sizeof *chain);
	for (int i = 0; i < 10; i++) {
		if (scanf("%d", &numbers[i]) != 1)
			return 1;
		chain[i] = &numbers[i];
	}
	bsp_init(spmd, argc, argv);
	procs = bsp_nprocs(); // after bsp_init too
	spmd();
	if (scanf("%d", &x) != 1 || x != 11)
		printf("read %d\n", x);
	printf("all is right\n");
	return 0;
}
