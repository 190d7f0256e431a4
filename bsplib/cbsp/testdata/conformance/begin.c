/* Begin and end of programs. */
#include <math.h>
#include <setjmp.h>

#include "check.h"

CHECK(begin_all, "ok") { MUST(PROCS == 4); }

CHECK(pid_in_range, "ok") { MUST(SELF >= 0 && SELF < PROCS); }

CHECK(pids_differ, "ok") {
  int seen[4] = {0}, one = 1, i;
  reg(seen, sizeof seen);
  bsp_put(0, &one, seen, SELF * (int)sizeof one, sizeof one);
  bsp_sync();
  for (i = 0; i < PROCS && SELF == 0; i++) MUST(seen[i] == 1);
}

WHOLE(begin_fewer, "procs 2\n") {
  bsp_begin(2);
  print("procs", PROCS);
  bsp_end();
}

WHOLE(begin_one, "procs 1\n") {
  bsp_begin(1);
  print("procs", PROCS);
  bsp_end();
}

WHOLE(begin_more_than_there_are, "procs 4\n") {
  bsp_begin(1000);
  print("procs", PROCS);
  bsp_end();
}

WHOLE(begin_twice, "abort: bsp_begin: May be called only once") {
  bsp_begin(bsp_nprocs());
  bsp_begin(2);
  bsp_end();
}

WHOLE(begin_zero, "abort: bsp_begin: The requested number of processes must be strictly greater than 0. Instead, it was 0") {
  bsp_begin(0);
  bsp_end();
}

WHOLE(begin_negative, "abort: bsp_begin: The requested number of processes must be strictly greater than 0. Instead, it was -3") {
  bsp_begin(-3);
  bsp_end();
}

static void four_before(void) {
  bsp_begin(bsp_nprocs());
  bsp_end();
}

WHOLE(nprocs_before_begin, "4\n") {
  bsp_init(four_before, arguments, argument);
  printf("%d\n", (int)bsp_nprocs());
  four_before();
}

static void begin_three(void) {
  bsp_begin(3);
  bsp_end();
}

WHOLE(nprocs_after_end, "3\n") {
  bsp_init(begin_three, arguments, argument);
  begin_three();
  printf("%d\n", (int)bsp_nprocs());
}

WHOLE(pid_before_begin, "abort: bsp_pid: can only be called within SPMD section") {
  bsp_pid();
  bsp_begin(1);
  bsp_end();
}

WHOLE(time_before_begin, "abort: bsp_time: can only be called within SPMD section") {
  bsp_time();
  bsp_begin(1);
  bsp_end();
}

WHOLE(sync_before_begin, "abort: bsp_sync: can only be called within SPMD section") {
  bsp_sync();
  bsp_begin(1);
  bsp_end();
}

WHOLE(sync_after_end, "abort: bsp_sync: can only be called within SPMD section") {
  bsp_begin(1);
  bsp_end();
  bsp_sync();
}

WHOLE(end_before_begin, "abort: bsp_end: called without calling bsp_begin() before") { bsp_end(); }

WHOLE(end_twice, "abort: bsp_end: may not be called multiple times") {
  bsp_begin(1);
  bsp_end();
  bsp_end();
}

WHOLE(end_missing, "abort: bsp_end: was not called before end of program") {
  bsp_begin(bsp_nprocs());
  bsp_sync();
}

WHOLE(exit_in_section, "abort: bsp_end: was not called before end of program") {
  bsp_begin(bsp_nprocs());
  bsp_sync();
  exit(0);
}

WHOLE(exit_in_section_of_one, "abort: bsp_end: was not called before end of program") {
  bsp_begin(bsp_nprocs());
  bsp_sync();
  if (SELF == 2) exit(0);
  bsp_sync();
  bsp_end();
}

CHECK(end_while_others_sync, "abort: bsp_sync/bsp_end: Some processes have called bsp_sync, while others have called bsp_end instead") {
  if (SELF == 1) bsp_end();
  bsp_sync();
}

static void alone_after_end(void) {
  bsp_begin(bsp_nprocs());
  bsp_end();
}

WHOLE(process_0_goes_on, "after\n") {
  bsp_init(alone_after_end, arguments, argument);
  alone_after_end();
  puts("after");
}

static int set_by_process_0;
static void where_set(void) {
  bsp_begin(bsp_nprocs());
  MUST(SELF > 0 || set_by_process_0 == 5);
  bsp_sync();
  set_by_process_0 += SELF + 1;
  print("set", set_by_process_0);
  bsp_end();
}

WHOLE(init_runs_section, "set 6\nthen 6\n") {
  bsp_init(where_set, arguments, argument);
  set_by_process_0 = 5;
  where_set();
  printf("then %d\n", set_by_process_0);
}

WHOLE(init_twice, "abort: bsp_init: May be called only once") {
  bsp_init(alone_after_end, arguments, argument);
  bsp_init(alone_after_end, arguments, argument);
  alone_after_end();
}

WHOLE(init_null, "abort: bsp_init: Pointer to function must not point to NULL") {
  bsp_init(NULL, arguments, argument);
  alone_after_end();
}

static int wanted;
static void as_many_as_wanted(void) {
  bsp_begin(wanted);
  print("procs", PROCS);
  bsp_end();
}

WHOLE(begin_by_process_0_only, "procs 3\n") {
  bsp_init(as_many_as_wanted, arguments, argument);
  wanted = 3;
  as_many_as_wanted();
}

WHOLE(output_before_begin, "once\nprocs 3\n") {
  bsp_init(as_many_as_wanted, arguments, argument);
  puts("once");
  wanted = 3;
  as_many_as_wanted();
}

WHOLE(input_before_begin, "procs 3\n") {
  bsp_init(as_many_as_wanted, arguments, argument);
  MUST(scanf("%d", &wanted) == 1);
  as_many_as_wanted();
}

CHECK(input_after_sync, "ok") {
  int a = 0, b = 0;
  bsp_sync();
  if (SELF == 0) MUST(scanf("%d", &a) == 1);
  bsp_sync();
  if (SELF == 0) MUST(scanf("%d", &b) == 1);
  bsp_sync();
  MUST(SELF != 0 || (a == 3 && b == 17));
}

CHECK(input_ends, "ok") {
  int n, count = 0;
  bsp_sync();
  while (SELF == 0 && scanf("%d", &n) == 1) count++;
  MUST(SELF != 0 || (count == 2 && feof(stdin)));
  bsp_sync();
  MUST(SELF != 0 || scanf("%d", &n) == EOF);
}

CHECK(arguments_of_all, "ok") {
  MUST(arguments == 4 && !strcmp(argument[2], "first") && !strcmp(argument[3], "second argument") && !argument[4]);
}

WHOLE(ours_exit_code_of_main, "exit 3") {
  bsp_begin(bsp_nprocs());
  bsp_end();
  exit(3);
}

WHOLE(exit_after_end, "done\n") {
  bsp_init(alone_after_end, arguments, argument);
  alone_after_end();
  puts("done");
  exit(0);
}

WHOLE(ours_no_section, "alone\n") {
  bsp_init(alone_after_end, arguments, argument);
  puts("alone");
}

static void at_exit(void) { puts("at exit"); }

WHOLE(ours_exit_handlers, "end\nat exit\n") {
  bsp_init(alone_after_end, arguments, argument);
  atexit(at_exit);
  alone_after_end();
  puts("end");
}

CHECK(abort_of_all, "abort: the sum is 7 and not 8") { bsp_abort("the sum is %d and not %s\n", 7, "8"); }

CHECK(abort_of_one, "abort: given up by 3") {
  bsp_sync();
  if (SELF == 3) bsp_abort("given up by %d\n", SELF);
  bsp_sync();
}

WHOLE(abort_before_begin, "abort: no input") {
  bsp_abort("no input\n");
}

CHECK(time_goes_on, "ok") {
  double first = bsp_time(), later;
  bsp_sync();
  later = bsp_time();
  MUST(first >= 0 && later >= first && later < 1000);
}

CHECK(ours_dtime, "ok") {
  double d;
  bsp_dtime();
  d = bsp_dtime();
  MUST(d >= 0 && d < 1000);
}

CHECK(many_supersteps, "ok") {
  int i, x = 0;
  reg(&x, sizeof x);
  for (i = 1; i <= 500; i++) {
    bsp_put(RIGHT, &i, &x, 0, sizeof i);
    bsp_sync();
    MUST(x == i);
  }
}

static int counter = 10;
static double initialized[3] = {1, 2, 3};
static int zero[1000];

CHECK(globals_are_private, "ok") {
  counter += SELF;
  initialized[1] *= SELF;
  zero[999] += SELF;
  bsp_sync();
  MUST(counter == 10 + SELF && initialized[1] == 2 * SELF && initialized[2] == 3 && zero[999] == SELF);
}

CHECK(heap_is_private, "ok") {
  int i, k, *block[64];
  for (i = 0; i < 64; i++) {
    block[i] = (int *)malloc((size_t)(i * i * 13 + 1) * sizeof(int));
    for (k = 0; k <= i * i * 13; k++) block[i][k] = SELF * 1000003 + k;
    if (i % 8 == 0) bsp_sync();
  }
  for (i = 0; i < 64; i += 2) free(block[i]);
  bsp_sync();
  for (i = 1; i < 64; i += 2) {
    for (k = 0; k <= i * i * 13; k++) MUST(block[i][k] == SELF * 1000003 + k);
    free(block[i]);
  }
}

CHECK(realloc_keeps, "ok") {
  int n, *p = NULL;
  for (n = 1; n <= 4096; n *= 2) {
    int i;
    p = (int *)realloc(p, (size_t)n * sizeof *p);
    for (i = n / 2; i < n; i++) p[i] = SELF + i;
    bsp_sync();
    for (i = 0; i < n; i++) MUST(p[i] == SELF + i);
  }
  free(p);
}

CHECK(calloc_clears, "ok") {
  int round, i;
  for (round = 0; round < 4; round++) {
    char *p = (char *)calloc(1000, 10);
    for (i = 0; i < 10000; i++) MUST(p[i] == 0);
    memset(p, 255, 10000);
    free(p);
    bsp_sync();
  }
}

CHECK(aligned_memory, "ok") {
  void *p = NULL;
  MUST(posix_memalign(&p, 4096, 100) == 0 && (size_t)p % 4096 == 0);
  memset(p, SELF, 100);
  bsp_sync();
  MUST(((char *)p)[99] == (char)SELF);
  free(p);
}

CHECK(text_of_libc, "ok") {
  char *copy = strdup("a text");
  char line[40];
  bsp_sync();
  snprintf(line, sizeof line, "%s %d %.3f", copy, SELF, 1.5);
  MUST(!strncmp(line, "a text ", 7) && strlen(line) == 14);
  free(copy);
}

static int descend(int depth) {
  int here[50], i, sum;
  for (i = 0; i < 50; i++) here[i] = depth * SELF + i;
  if (depth % 10 == 0) bsp_sync();
  sum = depth > 0 ? descend(depth - 1) : 0;
  for (i = 0; i < 50; i++) MUST(here[i] == depth * SELF + i);
  return sum + here[0];
}

CHECK(sync_in_recursion, "ok") { MUST(descend(50) == SELF * 50 * 51 / 2); }

CHECK(deep_stack, "ok") {
  volatile char big[1 << 20];
  big[0] = (char)SELF;
  big[(1 << 20) - 1] = (char)(SELF + 1);
  bsp_sync();
  MUST(big[0] == (char)SELF && big[(1 << 20) - 1] == (char)(SELF + 1));
}

static double (*function)(double) = sqrt;

CHECK(pointer_to_library_function, "ok") {
  double (*local)(double) = cos;
  bsp_sync();
  MUST(function(16.0) == 4.0 && local(0.0) == 1.0);
}

static int twice(int x) { return 2 * x; }
static int (*own_function)(int) = twice;

CHECK(pointer_to_own_function, "ok") {
  int (*local)(int) = twice;
  bsp_sync();
  MUST(own_function(SELF) == 2 * SELF && local(SELF) == 2 * SELF);
}

WHOLE(stream_kept_in_a_variable, "line\n") {
  FILE *out = stdout;
  bsp_begin(bsp_nprocs());
  bsp_sync();
  if (SELF == 0) fprintf(out, "line\n");
  bsp_end();
}

static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

CHECK(callback_of_library, "ok") {
  int i, x[100];
  for (i = 0; i < 100; i++) x[i] = (i * 37 + SELF) % 100;
  bsp_sync();
  qsort(x, 100, sizeof x[0], compare);
  for (i = 0; i < 100; i++) MUST(x[i] == i);
}

CHECK(jump_within_a_superstep, "ok") {
  jmp_buf back;
  volatile int times = 0;
  if (setjmp(back) < 3) {
    times++;
    longjmp(back, times);
  }
  bsp_sync();
  MUST(times == 3);
}

static double registers(double a, double b, int n) {
  double x = a * 1.5, y = b * 2.5, z = a - b, w = a + b;
  long i = n * 3L, j = n * 5L, k = n * 7L;
  bsp_sync();
  return x + y + z + w + (double)(i + j + k);
}

CHECK(registers_survive_sync, "ok") {
  double s = SELF;
  MUST(registers(s, s + 1, SELF) == s * 1.5 + (s + 1) * 2.5 - 1 + 2 * s + 1 + 15 * s);
}

CHECK(rounding_survives_sync, "ok") {
  volatile double third = 1.0 / 3;
  bsp_sync();
  MUST(third == 1.0 / 3 && rint(2.5) == 2.0);
}

CHECK(output_of_all, "ok") {
  bsp_sync();
  fprintf(stderr, "process %d\n", SELF);
  bsp_sync();
}

WHOLE(nprocs_is_the_same_on_all_before_begin, "4\n") {
  int before = bsp_nprocs();
  bsp_begin(before);
  MUST(before == PROCS);
  if (SELF == 0) printf("%d\n", before);
  bsp_end();
}
