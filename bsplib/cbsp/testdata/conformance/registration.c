/* Registration of areas. */
#include "check.h"

static int global[4];

CHECK(register_global, "ok") {
  int x = SELF + 1;
  reg(global, sizeof global);
  bsp_put(RIGHT, &x, global, 4, sizeof x);
  bsp_sync();
  MUST(global[1] == LEFT + 1 && global[0] == 0);
}

CHECK(register_heap, "ok") {
  int x = SELF + 1, *area;
  void *before = malloc((size_t)SELF * 100 + 1); /* so that addresses differ */
  area = (int *)calloc(10, sizeof *area);
  reg(area, 10 * sizeof *area);
  bsp_put(RIGHT, &x, area, 36, sizeof x);
  bsp_sync();
  MUST(area[9] == LEFT + 1);
  bsp_pop_reg(area);
  bsp_sync();
  free(area);
  free(before);
}

static int of_function(int x) {
  int there = -1;
  reg(&there, sizeof there);
  bsp_put(RIGHT, &x, &there, 0, sizeof x);
  bsp_sync();
  bsp_pop_reg(&there);
  return there;
}

CHECK(register_stack, "ok") {
  MUST(of_function(SELF) == LEFT);
  MUST(of_function(SELF * 2) == LEFT * 2);
}

CHECK(addresses_at_other_depths, "ok") {
  int x[3] = {-1, -1, -1}, *area = &x[SELF % 3], v = SELF;
  reg(area, sizeof *area);
  bsp_put(RIGHT, &v, area, 0, sizeof v);
  bsp_sync();
  MUST(*area == LEFT);
}

CHECK(put_before_registered, "abort: bsp_put: Remote address was just registered") {
  int x = 0;
  bsp_push_reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(hpput_before_registered, "abort: bsp_hpput: Remote address was just registered") {
  int x = 0;
  bsp_push_reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(get_before_registered, "abort: bsp_get: Remote address was just registered") {
  int x = 0;
  bsp_push_reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &x, sizeof x);
  bsp_sync();
}

CHECK(hpget_before_registered, "abort: bsp_hpget: Remote address was just registered") {
  int x = 0;
  bsp_push_reg(&x, sizeof x);
  bsp_hpget(RIGHT, &x, 0, &x, sizeof x);
  bsp_sync();
}

CHECK(put_not_registered, "abort: bsp_put: Remote address 0x") {
  int x = 0;
  bsp_put(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(hpput_not_registered, "abort: bsp_hpput: Remote address 0x") {
  int x = 0;
  bsp_hpput(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(get_not_registered, "abort: bsp_get: Remote address 0x") {
  int x = 0;
  bsp_get(RIGHT, &x, 0, &x, sizeof x);
  bsp_sync();
}

CHECK(hpget_not_registered, "abort: bsp_hpget: Remote address 0x") {
  int x = 0;
  bsp_hpget(RIGHT, &x, 0, &x, sizeof x);
  bsp_sync();
}

CHECK(inside_of_area_is_not_registered, "abort: bsp_put: Remote address 0x") {
  int x[4] = {0};
  reg(x, sizeof x);
  bsp_put(RIGHT, x, &x[1], 0, sizeof x[0]);
  bsp_sync();
}

CHECK(pop_not_registered, "abort: bsp_pop_reg: memory at address 0x") {
  int x;
  bsp_pop_reg(&x);
  bsp_sync();
}

CHECK(pop_twice, "abort: bsp_pop_reg: memory at address 0x") {
  int x;
  reg(&x, sizeof x);
  bsp_pop_reg(&x);
  bsp_sync();
  bsp_pop_reg(&x);
  bsp_sync();
}

CHECK(pop_takes_effect_at_sync, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_pop_reg(&x);
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(pop_takes_effect_at_sync_for_get, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_pop_reg(&x);
  bsp_get(RIGHT, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == RIGHT);
}

CHECK(put_after_get_before_pop, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &v, sizeof v);
  bsp_pop_reg(&x);
  bsp_sync();
  MUST(v == RIGHT);
}

CHECK(put_after_pop, "abort: bsp_put: Remote address 0x") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_pop_reg(&x);
  bsp_sync();
  bsp_put(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(newest_registration_counts, "ok") {
  int x[2] = {-1, -1}, v = SELF;
  reg(x, 4);
  reg(x, 8);
  bsp_put(RIGHT, &v, x, 4, sizeof v);
  bsp_sync();
  MUST(x[1] == LEFT);
}

CHECK(newest_registration_is_smaller, "abort: bsp_put: Writes 4 bytes beyond registered range") {
  int x[2] = {-1, -1}, v = SELF;
  reg(x, 8);
  reg(x, 4);
  bsp_put(RIGHT, &v, x, 4, sizeof v);
  bsp_sync();
}

CHECK(pop_brings_the_older_back, "ok") {
  int x[2] = {-1, -1}, v = SELF;
  reg(x, 8);
  reg(x, 4);
  bsp_pop_reg(x);
  bsp_sync();
  bsp_put(RIGHT, &v, x, 4, sizeof v);
  bsp_sync();
  MUST(x[1] == LEFT);
}

CHECK(pushed_twice_popped_once, "ok") {
  int x = -1, v = SELF;
  bsp_push_reg(&x, sizeof x);
  bsp_push_reg(&x, sizeof x);
  bsp_sync();
  bsp_pop_reg(&x);
  bsp_sync();
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(pushed_twice_popped_twice, "abort: bsp_put: Remote address 0x") {
  int x = -1, v = SELF;
  bsp_push_reg(&x, sizeof x);
  bsp_push_reg(&x, sizeof x);
  bsp_sync();
  bsp_pop_reg(&x);
  bsp_pop_reg(&x);
  bsp_sync();
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
}

CHECK(push_and_pop_in_one_superstep, "abort: bsp_put: Remote address 0x") {
  int x = -1, v = SELF;
  bsp_push_reg(&x, sizeof x);
  bsp_pop_reg(&x);
  bsp_sync();
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
}

CHECK(pop_and_push_in_one_superstep, "ok") {
  int x[2] = {-1, -1}, v = SELF;
  reg(x, 4);
  bsp_pop_reg(x);
  bsp_push_reg(x, 8);
  bsp_sync();
  bsp_put(RIGHT, &v, x, 4, sizeof v);
  bsp_sync();
  MUST(x[1] == LEFT);
}

CHECK(push_negative, "abort: bsp_push_reg: memory size must be positive") {
  int x;
  bsp_push_reg(&x, -1);
  bsp_sync();
}

CHECK(push_of_no_bytes, "ok") {
  int x = 7;
  reg(&x, 0);
  bsp_put(RIGHT, &x, &x, 0, 0);
  bsp_sync();
  MUST(x == 7);
}

CHECK(put_into_no_bytes, "abort: bsp_put: Writes 4 bytes beyond registered range") {
  int x = 7;
  reg(&x, 0);
  bsp_put(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(push_null, "ok") {
  reg(NULL, 0);
  bsp_pop_reg(NULL);
  bsp_sync();
}

CHECK(push_and_pop_null_in_one_superstep, "ok") {
  bsp_push_reg(NULL, 0);
  bsp_pop_reg(NULL);
  bsp_sync();
}

CHECK(null_at_one_process, "ok") {
  int x = -1, v = SELF + 10;
  reg(SELF == 0 ? NULL : &x, SELF == 0 ? 0 : (int)sizeof x);
  if (SELF > 0) bsp_put(SELF == PROCS - 1 ? 1 : SELF + 1, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == (SELF == 0 ? -1 : (SELF == 1 ? PROCS - 1 : SELF - 1) + 10));
}

CHECK(put_where_it_is_null, "abort: bsp_put: Writes 4 bytes beyond registered range") {
  int x = -1;
  reg(SELF == 0 ? NULL : &x, SELF == 0 ? 0 : (int)sizeof x);
  if (SELF == 1) bsp_put(0, &x, &x, 0, sizeof x);
  bsp_sync();
}

CHECK(pop_null_never_registered, "abort: bsp_sync/bsp_pop_reg: Tried to deregister NULL on all processes, but NULL was never registered") {
  bsp_pop_reg(NULL);
  bsp_sync();
}

CHECK(sizes_differ, "ok") {
  char area[5] = {0}, v = (char)(SELF + 1);
  reg(area, SELF + 1);
  bsp_put(RIGHT, &v, area, RIGHT, 1);
  bsp_sync();
  MUST(area[SELF] == LEFT + 1);
}

CHECK(size_of_the_target_counts, "abort: bsp_put: Writes 1 bytes beyond registered range") {
  char area[5] = {0};
  reg(area, SELF + 1);
  if (SELF == 3) bsp_put(0, area, area, 1, 1);
  bsp_sync();
}

CHECK(areas_by_order, "ok") {
  int a = -1, b = -1, v = SELF;
  /* What belongs together is decided by the order of pushes, not by names. */
  bsp_push_reg(SELF % 2 ? &a : &b, sizeof a);
  bsp_push_reg(SELF % 2 ? &b : &a, sizeof a);
  bsp_sync();
  bsp_put(RIGHT, &v, &a, 0, sizeof v);
  bsp_sync();
  MUST(b == LEFT && a == -1);
}

CHECK(pop_in_another_order, "ok") {
  int a = -1, b = -1, c = -1, v = SELF;
  bsp_push_reg(&a, sizeof a);
  bsp_push_reg(&b, sizeof b);
  bsp_push_reg(&c, sizeof c);
  bsp_sync();
  bsp_pop_reg(&a);
  bsp_sync();
  bsp_put(RIGHT, &v, &c, 0, sizeof v);
  bsp_pop_reg(&c);
  bsp_sync();
  bsp_put(RIGHT, &v, &b, 0, sizeof v);
  bsp_sync();
  MUST(a == -1 && b == LEFT && c == LEFT);
}

CHECK(many_areas, "ok") {
  enum { N = 300 };
  int i, x[N], v = SELF;
  for (i = 0; i < N; i++) bsp_push_reg(&x[i], sizeof x[i]);
  bsp_sync();
  for (i = 0; i < N; i++) {
    int k = (i * 101) % N, n = v + k;
    bsp_put(RIGHT, &n, &x[k], 0, sizeof n);
  }
  bsp_sync();
  for (i = 0; i < N; i++) MUST(x[i] == LEFT + i);
  for (i = N - 1; i >= 0; i--) bsp_pop_reg(&x[i]);
  bsp_sync();
}

CHECK(area_within_an_area, "ok") {
  int x[4] = {-1, -1, -1, -1}, v = SELF;
  bsp_push_reg(x, sizeof x);
  bsp_push_reg(&x[2], 2 * sizeof x[0]);
  bsp_sync();
  bsp_put(RIGHT, &v, x, 0, sizeof v);
  bsp_put(RIGHT, &v, &x[2], 4, sizeof v);
  bsp_sync();
  MUST(x[0] == LEFT && x[1] == -1 && x[2] == -1 && x[3] == LEFT);
}

CHECK(pushes_differ_in_number, "abort: bsp_sync/bsp_push_reg: Not all processes registered the same number of memory blocks") {
  int x;
  if (SELF > 0) bsp_push_reg(&x, sizeof x);
  bsp_sync();
}

CHECK(pops_differ_in_number, "abort: bsp_sync/bsp_pop_reg: Not all processes popped the same number of memory blocks") {
  int x;
  reg(&x, sizeof x);
  if (SELF > 0) bsp_pop_reg(&x);
  bsp_sync();
}

WHOLE(push_outside, "abort: bsp_push_reg: can only be called within SPMD section") {
  int x;
  bsp_push_reg(&x, sizeof x);
}

WHOLE(pop_outside, "abort: bsp_pop_reg: can only be called within SPMD section") {
  int x;
  bsp_pop_reg(&x);
}
