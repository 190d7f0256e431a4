/* Reading from areas of other processes. */
#include "check.h"

CHECK(get_from_a_neighbour, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == RIGHT && x == SELF);
}

CHECK(get_from_itself, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_get(SELF, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == SELF);
}

CHECK(get_writes_at_sync, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_get(SELF, &x, 0, &v, sizeof v);
  MUST(v == -1);
  bsp_sync();
  MUST(v == SELF);
}

CHECK(get_takes_data_at_sync, "ok") {
  int x = -1, v = -1;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &v, sizeof v);
  x = SELF * 7;
  bsp_sync();
  MUST(v == RIGHT * 7);
}

CHECK(get_reads_before_put_writes, "ok") {
  int x = SELF, v = -1, n = 100 + SELF;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &n, &x, 0, sizeof n);
  bsp_get(RIGHT, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == RIGHT && x == 100 + LEFT);
}

CHECK(get_reads_before_get_writes, "ok") {
  int x = SELF;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &x, sizeof x);
  bsp_sync();
  MUST(x == RIGHT);
}

CHECK(gets_that_swap, "ok") {
  int x[2] = {SELF, SELF + 100};
  reg(x, sizeof x);
  bsp_get(RIGHT, x, 0, &x[1], 4);
  bsp_get(RIGHT, x, 4, &x[0], 4);
  bsp_sync();
  MUST(x[0] == RIGHT + 100 && x[1] == RIGHT);
}

CHECK(get_with_offset, "ok") {
  int x[4] = {SELF, SELF + 10, SELF + 20, SELF + 30}, v[2] = {-1, -1};
  reg(x, sizeof x);
  bsp_get(LEFT, x, 8, v, 8);
  bsp_sync();
  MUST(v[0] == LEFT + 20 && v[1] == LEFT + 30);
}

CHECK(get_of_odd_sizes, "ok") {
  unsigned char x[512], v[512];
  int n, at = 0, i;
  for (i = 0; i < 512; i++) x[i] = (unsigned char)(i * 3 + SELF);
  memset(v, 0, sizeof v);
  reg(x, sizeof x);
  for (n = 1; n < 30; n++) {
    bsp_get(RIGHT, x, at, v + at, n);
    at += n;
  }
  bsp_sync();
  for (i = 0; i < 512; i++) MUST(v[i] == (i < at ? (unsigned char)(i * 3 + RIGHT) : 0));
}

CHECK(get_of_no_bytes, "ok") {
  int x = 7;
  bsp_get(RIGHT, NULL, 0, NULL, 0);
  bsp_get(99, &x, -1, &x, 0);
  bsp_sync();
  MUST(x == 7);
}

CHECK(get_of_a_mebibyte, "ok") {
  enum { N = 1 << 17 };
  double *x = (double *)malloc(N * sizeof *x), *v = (double *)malloc(N * sizeof *v);
  int i;
  for (i = 0; i < N; i++) x[i] = SELF * 1e6 + i;
  reg(x, N * sizeof *x);
  bsp_get(RIGHT, x, 0, v, N * sizeof *v);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(v[i] == RIGHT * 1e6 + i);
}

CHECK(gets_of_many_words, "ok") {
  enum { N = 1000 };
  double x[N], v[N];
  int i;
  for (i = 0; i < N; i++) x[i] = SELF * 1e6 + i;
  reg(x, sizeof x);
  for (i = 0; i < N; i++) bsp_get(RIGHT, x, (N - 1 - i) * (int)sizeof v[0], &v[i], sizeof v[0]);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(v[i] == RIGHT * 1e6 + N - 1 - i);
}

CHECK(get_by_some, "ok") {
  int x = SELF + 3, v = -1;
  reg(&x, sizeof x);
  if (SELF == 2) bsp_get(0, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == (SELF == 2 ? 3 : -1));
}

CHECK(get_into_registered_area, "ok") {
  int x[2] = {SELF, -1};
  reg(x, sizeof x);
  bsp_get(LEFT, x, 0, &x[1], 4);
  bsp_sync();
  MUST(x[0] == SELF && x[1] == LEFT);
}

CHECK(gets_in_many_supersteps, "ok") {
  int x = 0, v = 0, i;
  reg(&x, sizeof x);
  for (i = 1; i <= 100; i++) {
    x = i * 10 + SELF;
    bsp_get(RIGHT, &x, 0, &v, sizeof v);
    bsp_sync();
    MUST(v == i * 10 + RIGHT);
    bsp_sync();
  }
}

CHECK(sum_by_hpgets, "sum 6\nok") {
  int x = SELF, v[4], i, sum = 0;
  reg(&x, sizeof x);
  for (i = 0; i < PROCS; i++) bsp_hpget(i, &x, 0, &v[i], sizeof x);
  bsp_sync();
  for (i = 0; i < PROCS; i++) sum += v[i];
  print("sum", sum);
}

CHECK(hpget_from_itself, "ok") {
  int x = SELF, v = -1;
  reg(&x, sizeof x);
  bsp_hpget(SELF, &x, 0, &v, sizeof v);
  bsp_sync();
  MUST(v == SELF);
}

CHECK(hpget_of_a_mebibyte, "ok") {
  enum { N = 1 << 17 };
  double *x = (double *)malloc(N * sizeof *x), *v = (double *)malloc(N * sizeof *v);
  int i;
  for (i = 0; i < N; i++) x[i] = SELF * 1e6 + i;
  reg(x, N * sizeof *x);
  bsp_hpget(RIGHT, x, 0, v, N * sizeof *v);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(v[i] == RIGHT * 1e6 + i);
}

CHECK(hpget_of_no_bytes, "ok") {
  bsp_hpget(RIGHT, NULL, 0, NULL, 0);
  bsp_sync();
}

CHECK(get_from_no_process, "abort: bsp_get: The source process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(PROCS, &x, 0, &x, 4);
  bsp_sync();
}

CHECK(get_from_negative_process, "abort: bsp_get: The source process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(-1, &x, 0, &x, 4);
  bsp_sync();
}

CHECK(get_negative_offset, "abort: bsp_get: The offset was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, -1, &x, 4);
  bsp_sync();
}

CHECK(get_negative_size, "abort: bsp_get: The size was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 0, &x, -4);
  bsp_sync();
}

CHECK(get_null, "abort: bsp_get: Source address cannot be identified by NULL") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(RIGHT, NULL, 0, &x, 4);
  bsp_sync();
}

CHECK(get_beyond_the_end, "abort: bsp_get: Reads 3 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 3, &x, 4);
  bsp_sync();
}

CHECK(get_far_beyond_the_end, "abort: bsp_get: Reads 1000000 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_get(RIGHT, &x, 1000000, &x, 4);
  bsp_sync();
}

WHOLE(get_outside, "abort: bsp_get: can only be called within SPMD section") {
  int x = 0;
  bsp_get(0, &x, 0, &x, 4);
}

CHECK(hpget_from_no_process, "abort: bsp_hpget: The source process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(PROCS, &x, 0, &x, 4);
  bsp_sync();
}

CHECK(hpget_from_negative_process, "abort: bsp_hpget: The source process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(-1, &x, 0, &x, 4);
  bsp_sync();
}

CHECK(hpget_negative_offset, "abort: bsp_hpget: The offset was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(RIGHT, &x, -1, &x, 4);
  bsp_sync();
}

CHECK(hpget_negative_size, "abort: bsp_hpget: The size was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(RIGHT, &x, 0, &x, -4);
  bsp_sync();
}

CHECK(hpget_null, "abort: bsp_hpget: Source address cannot be identified by NULL") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(RIGHT, NULL, 0, &x, 4);
  bsp_sync();
}

CHECK(hpget_beyond_the_end, "abort: bsp_") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpget(RIGHT, &x, 3, &x, 4);
  bsp_sync();
}

WHOLE(hpget_outside, "abort: bsp_hpget: can only be called within SPMD section") {
  int x = 0;
  bsp_hpget(0, &x, 0, &x, 4);
}
