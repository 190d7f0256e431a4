/* Writing into areas of other processes. */
#include "check.h"

CHECK(put_to_a_neighbour, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(put_to_itself, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_put(SELF, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == SELF);
}

CHECK(put_to_all, "ok") {
  int x[4] = {-1, -1, -1, -1}, i, v = SELF * 10;
  reg(x, sizeof x);
  for (i = 0; i < PROCS; i++) bsp_put(i, &v, x, SELF * (int)sizeof v, sizeof v);
  bsp_sync();
  for (i = 0; i < PROCS; i++) MUST(x[i] == i * 10);
}

CHECK(put_takes_its_data_at_the_call, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  v = 1000;
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(put_writes_at_sync, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_put(SELF, &v, &x, 0, sizeof v);
  MUST(x == -1);
  bsp_sync();
  MUST(x == SELF);
}

static void put_from_a_frame(int *area) {
  int v[8], i;
  for (i = 0; i < 8; i++) v[i] = SELF + i;
  bsp_put(RIGHT, v, area, 0, sizeof v);
}

CHECK(put_from_a_frame_that_is_left, "ok") {
  int x[8], i;
  reg(x, sizeof x);
  put_from_a_frame(x);
  bsp_sync();
  for (i = 0; i < 8; i++) MUST(x[i] == LEFT + i);
}

CHECK(put_from_constants, "ok") {
  static const char text[] = "constant";
  char x[sizeof text];
  reg(x, sizeof x);
  bsp_put(RIGHT, text, x, 0, sizeof text);
  bsp_sync();
  MUST(!strcmp(x, "constant"));
}

CHECK(put_from_the_area_itself, "ok") {
  int x = SELF;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, 0, sizeof x);
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(put_with_offset, "ok") {
  int x[4] = {1, 2, 3, 4}, v = SELF + 10;
  reg(x, sizeof x);
  bsp_put(RIGHT, &v, x, 8, sizeof v);
  bsp_sync();
  MUST(x[0] == 1 && x[1] == 2 && x[2] == LEFT + 10 && x[3] == 4);
}

CHECK(put_up_to_the_end, "ok") {
  char x[7] = "......", v[4] = {'a', 'b', 'c', (char)('0' + SELF)};
  reg(x, sizeof x);
  bsp_put(RIGHT, v, x, 3, 4);
  bsp_sync();
  MUST(x[2] == '.' && x[3] == 'a' && x[5] == 'c' && x[6] == '0' + LEFT);
}

CHECK(put_of_odd_sizes, "ok") {
  unsigned char x[512], v[64];
  int n, at = 0, i;
  memset(x, 0, sizeof x);
  reg(x, sizeof x);
  for (n = 1; n < 30; n++) {
    memset(v, SELF * 40 + n, sizeof v);
    bsp_put(RIGHT, v + n % 3, x, at, n);
    at += n;
  }
  bsp_sync();
  for (n = 1, at = 0; n < 30; n++)
    for (i = 0; i < n; i++, at++) MUST(x[at] == LEFT * 40 + n);
  MUST(x[at] == 0);
}

CHECK(put_of_no_bytes, "ok") {
  int x = 7;
  bsp_put(RIGHT, NULL, NULL, 0, 0);
  bsp_put(RIGHT, &x, &x, 0, 0);
  bsp_put(99, &x, &x, -1, 0);
  bsp_sync();
  MUST(x == 7);
}

CHECK(put_of_a_mebibyte, "ok") {
  enum { N = 1 << 17 };
  double *x = (double *)malloc(N * sizeof *x), *v = (double *)malloc(N * sizeof *v);
  int i;
  for (i = 0; i < N; i++) v[i] = SELF * 1e6 + i;
  reg(x, N * sizeof *x);
  bsp_put(RIGHT, v, x, 0, N * sizeof *v);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(x[i] == LEFT * 1e6 + i);
  bsp_pop_reg(x);
  bsp_sync();
  free(x);
  free(v);
}

CHECK(puts_of_many_words, "ok") {
  enum { N = 1000 };
  double x[N], v;
  int i;
  reg(x, sizeof x);
  for (i = 0; i < N; i++) {
    v = SELF * 1e6 + i;
    bsp_put(RIGHT, &v, x, i * (int)sizeof v, sizeof v);
  }
  bsp_sync();
  for (i = 0; i < N; i++) MUST(x[i] == LEFT * 1e6 + i);
}

CHECK(puts_in_strides, "ok") {
  enum { N = 300 };
  long x[3 * N], v;
  int i, k;
  memset(x, 0, sizeof x);
  reg(x, sizeof x);
  for (i = 0; i < N; i++)
    for (k = 0; k < PROCS; k++)
      if (k != SELF) {
        v = SELF * 1000 + i;
        bsp_put(k, &v, x, (int)sizeof v * (3 * i + (SELF + PROCS - k - 1) % PROCS), sizeof v);
      }
  bsp_sync();
  for (i = 0; i < N; i++)
    for (k = 0; k < 3; k++) MUST(x[3 * i + k] == ((SELF + k + 1) % PROCS) * 1000 + i);
}

CHECK(puts_into_two_areas_in_turns, "ok") {
  enum { N = 100 };
  int a[N], b[N], i, v;
  bsp_push_reg(a, sizeof a);
  bsp_push_reg(b, sizeof b);
  bsp_sync();
  for (i = 0; i < N; i++) {
    v = SELF + i;
    bsp_put(RIGHT, &v, a, i * 4, 4);
    bsp_put(LEFT, &v, b, (N - 1 - i) * 4, 4);
  }
  bsp_sync();
  for (i = 0; i < N; i++) MUST(a[i] == LEFT + i && b[N - 1 - i] == RIGHT + i);
}

CHECK(put_of_a_structure, "ok") {
  struct {
    char letter;
    double number;
    short list[3];
  } x, v;
  memset(&v, 0, sizeof v);
  v.letter = 'm';
  v.number = SELF + 0.5;
  v.list[2] = (short)SELF;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x.letter == 'm' && x.number == LEFT + 0.5 && x.list[2] == LEFT);
}

CHECK(puts_in_many_supersteps, "ok") {
  int x[2] = {0, 0}, i;
  reg(x, sizeof x);
  for (i = 0; i < 100; i++) {
    int v = x[0] + 1;
    bsp_put(RIGHT, &v, x, 0, sizeof v);
    bsp_sync();
  }
  MUST(x[0] == 100 && x[1] == 0);
}

CHECK(ours_later_put_of_a_process_wins, "ok") {
  int x = -1, i;
  reg(&x, sizeof x);
  for (i = 0; i < 10; i++) bsp_put(RIGHT, &i, &x, 0, sizeof i);
  bsp_sync();
  MUST(x == 9);
}

CHECK(ours_put_of_the_highest_process_wins, "ok") {
  int x = -1, i, v = SELF;
  reg(&x, sizeof x);
  for (i = 0; i < PROCS; i++) bsp_put(i, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == PROCS - 1);
}

CHECK(ours_overlapping_puts, "ok") {
  char x[9] = "........";
  reg(x, sizeof x);
  bsp_put(RIGHT, "aaaaaa", x, 0, 6);
  bsp_put(RIGHT, "bb", x, 2, 2);
  bsp_put(RIGHT, "ccc", x, 5, 3);
  bsp_sync();
  MUST(!strcmp(x, "aabbaccc"));
}

CHECK(sum_by_puts, "sum 10\nok") {
  int x[4], i, sum = 0, v = SELF + 1;
  reg(x, sizeof x);
  for (i = 0; i < PROCS; i++) bsp_put(i, &v, x, SELF * (int)sizeof v, sizeof v);
  bsp_sync();
  for (i = 0; i < PROCS; i++) sum += x[i];
  print("sum", sum);
}

CHECK(hpput_to_a_neighbour, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == LEFT);
}

CHECK(hpput_to_itself, "ok") {
  int x = -1, v = SELF;
  reg(&x, sizeof x);
  bsp_hpput(SELF, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == SELF);
}

CHECK(hpput_of_a_mebibyte, "ok") {
  enum { N = 1 << 17 };
  double *x = (double *)malloc(N * sizeof *x), *v = (double *)malloc(N * sizeof *v);
  int i;
  for (i = 0; i < N; i++) v[i] = SELF * 1e6 + i;
  reg(x, N * sizeof *x);
  bsp_hpput(RIGHT, v, x, 0, N * sizeof *v);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(x[i] == LEFT * 1e6 + i);
}

CHECK(hpput_of_no_bytes, "ok") {
  bsp_hpput(RIGHT, NULL, NULL, 0, 0);
  bsp_sync();
}

CHECK(hpputs_with_offsets, "ok") {
  int x[64], v[64], i;
  for (i = 0; i < 64; i++) v[i] = SELF * 100 + i;
  reg(x, sizeof x);
  for (i = 0; i < 64; i++) bsp_hpput(i % PROCS, &v[i], x, ((i / PROCS) * PROCS + SELF) * 4, 4);
  bsp_sync();
  for (i = 0; i < 64; i++) MUST(x[i] == i % PROCS * 100 + i / PROCS * PROCS + SELF);
}

CHECK(put_to_no_process, "abort: bsp_put: The destination process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(PROCS, &x, &x, 0, 4);
  bsp_sync();
}

CHECK(put_to_negative_process, "abort: bsp_put: The destination process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(-1, &x, &x, 0, 4);
  bsp_sync();
}

CHECK(put_negative_offset, "abort: bsp_put: The offset was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, -1, 4);
  bsp_sync();
}

CHECK(put_negative_size, "abort: bsp_put: The size was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, 0, -4);
  bsp_sync();
}

CHECK(put_null, "abort: bsp_put: Destination address cannot be identified by NULL") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, NULL, 0, 4);
  bsp_sync();
}

CHECK(put_beyond_the_end, "abort: bsp_put: Writes 3 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, 3, 4);
  bsp_sync();
}

CHECK(put_far_beyond_the_end, "abort: bsp_put: Writes 1000000 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_put(RIGHT, &x, &x, 1000000, 4);
  bsp_sync();
}

WHOLE(put_outside, "abort: bsp_put: can only be called within SPMD section") {
  int x = 0;
  bsp_put(0, &x, &x, 0, 4);
}

CHECK(hpput_to_no_process, "abort: bsp_hpput: The destination process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(PROCS, &x, &x, 0, 4);
  bsp_sync();
}

CHECK(hpput_to_negative_process, "abort: bsp_hpput: The destination process ID does not exist") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(-1, &x, &x, 0, 4);
  bsp_sync();
}

CHECK(hpput_negative_offset, "abort: bsp_hpput: The offset was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, &x, -1, 4);
  bsp_sync();
}

CHECK(hpput_negative_size, "abort: bsp_hpput: The size was negative, which is illegal") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, &x, 0, -4);
  bsp_sync();
}

CHECK(hpput_null, "abort: bsp_hpput: Destination address cannot be identified by NULL") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, NULL, 0, 4);
  bsp_sync();
}

CHECK(hpput_beyond_the_end, "abort: bsp_hpput: Writes 3 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, &x, 3, 4);
  bsp_sync();
}

CHECK(hpput_far_beyond_the_end, "abort: bsp_hpput: Writes 1000000 bytes beyond registered range") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_hpput(RIGHT, &x, &x, 1000000, 4);
  bsp_sync();
}

WHOLE(hpput_outside, "abort: bsp_hpput: can only be called within SPMD section") {
  int x = 0;
  bsp_hpput(0, &x, &x, 0, 4);
}

/* Words put one behind the other, with something else in between, and more than are kept at once. */
CHECK(put_words_in_a_row, "ok") {
  enum { N = 200000 };
  int64_t *area = calloc(N, sizeof *area), other[4] = {0}, got = -1, i, word;
  int tag = 0;
  bsp_set_tagsize(&tag);
  bsp_push_reg(area, N * 8);
  bsp_push_reg(other, sizeof other);
  bsp_sync();
  for (i = 0; i < N; i++) {
    word = 1000000 * SELF + i;
    bsp_put(RIGHT, &word, area, (int)i * 8, 8);
  }
  bsp_sync();
  for (i = 0; i < N; i++) MUST(area[i] == 1000000 * LEFT + i);
  bsp_sync();
  for (i = 0; i < 12; i++) {
    word = -i;
    bsp_put(RIGHT, &word, area, (int)i * 8, 8);
    if (i == 3) bsp_put(RIGHT, &word, other, 8, 8);
    if (i == 5) bsp_get(RIGHT, area, 8 * 100, &got, 8);
    if (i == 7) bsp_send(RIGHT, NULL, &word, 8);
    if (i == 9) bsp_put(LEFT, &word, area, 80 + 800, 8);
    if (i == 10) bsp_put(RIGHT, &word, area, 800, 4);
  }
  word = 77;
  bsp_put(RIGHT, &word, area, 11 * 8, 8);
  bsp_sync();
  for (i = 0; i < 11; i++) MUST(area[i] == -i);
  MUST(area[11] == 77 && area[12] == 1000000 * LEFT + 12 && other[1] == -3 && other[0] == 0);
  MUST(got == 1000000 * SELF + 100 && area[110] == -9);
  MUST(((int32_t *)area)[200] == -10);
  bsp_move(&word, 8);
  MUST(word == -7);
  bsp_pop_reg(other);
  bsp_pop_reg(area);
  bsp_sync();
  free(area);
}

CHECK(put_words_beyond_the_end, "abort: bsp_put: Writes 8 bytes beyond registered range of 40 bytes at process") {
  int64_t area[8] = {0}, word = 1;
  reg(area, SELF == 1 ? 40 : 64);
  if (SELF == 0)
    for (int i = 0; i < 8; i++) bsp_put(1, &word, area, i * 8, 8);
  bsp_sync();
}
