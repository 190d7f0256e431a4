/* Collective operations of level 1. */
#include "bsp_level1.h"

#include "check.h"

/* then combines maps x -> a x + b, which is associative and not commutative. */
static void then(void *result, void *left, void *right, int *nbytes) {
  long *r = (long *)result, *f = (long *)left, *g = (long *)right;
  int i;
  for (i = 0; i < *nbytes / 16; i++, r += 2, f += 2, g += 2) {
    r[0] = f[0] * g[0] % 10007;
    r[1] = (f[1] * g[0] + g[1]) % 10007;
  }
}

static void map_of(int pid, int n, long *map) {
  int i;
  for (i = 0; i < n; i++, map += 2) {
    map[0] = pid * 31 + i % 100 + 2;
    map[1] = pid * 17 + i % 10;
  }
}

/* combined is what processes 0 to last have together. */
static void combined(int last, int n, long *map) {
  long *left = (long *)malloc((size_t)n * 16), *right = (long *)malloc((size_t)n * 16);
  int pid, bytes = n * 16;
  map_of(0, n, map);
  for (pid = 1; pid <= last; pid++) {
    memcpy(left, map, (size_t)bytes);
    map_of(pid, n, right);
    then(map, left, right, &bytes);
  }
  free(left);
  free(right);
}

static void check_fold(int n, int scan, void (*operation)(migbsp_operator, void *, void *, int)) {
  long *x = (long *)malloc((size_t)n * 16), *y = (long *)malloc((size_t)n * 16), *want = (long *)malloc((size_t)n * 16);
  map_of(SELF, n, x);
  operation(then, x, y, n * 16);
  combined(scan ? SELF : PROCS - 1, n, want);
  MUST(!memcmp(y, want, (size_t)n * 16));
  free(x);
  free(y);
  free(want);
}

CHECK(fold_of_one, "ok") { check_fold(1, 0, bsp_fold); }
CHECK(fold_of_some, "ok") { check_fold(20, 0, bsp_fold); }
CHECK(fold_of_many, "ok") { check_fold(20000, 0, bsp_fold); }
CHECK(reduce_is_fold, "ok") { check_fold(3, 0, bsp_reduce); }
CHECK(scan_of_one, "ok") { check_fold(1, 1, bsp_scan); }
CHECK(scan_of_some, "ok") { check_fold(20, 1, bsp_scan); }
CHECK(scan_of_many, "ok") { check_fold(20000, 1, bsp_scan); }
CHECK(prefix_is_scan, "ok") { check_fold(3, 1, bsp_prefix); }

CHECK(fold_in_place, "ok") {
  long x[2], want[2];
  map_of(SELF, 1, x);
  bsp_fold(then, x, x, sizeof x);
  combined(PROCS - 1, 1, want);
  MUST(x[0] == want[0] && x[1] == want[1]);
}

CHECK(folds_in_a_row, "ok") {
  int i;
  for (i = 0; i < 20; i++) MUST(bsp_sumI(SELF + i) == 6 + 4 * i);
}

static void broadcast(int root, int n) {
  int i, *x = (int *)malloc((size_t)n * 4), *y = (int *)malloc((size_t)n * 4);
  for (i = 0; i < n; i++) x[i] = SELF * 1000 + i;
  reg(y, n * 4);
  bsp_bcast(root, x, y, n * 4);
  for (i = 0; i < n; i++) MUST(y[i] == root * 1000 + i);
  bsp_pop_reg(y);
  bsp_sync();
  free(x);
  free(y);
}

CHECK(broadcast_of_one, "ok") { broadcast(2, 1); }
CHECK(broadcast_of_many, "ok") { broadcast(1, 50001); }

CHECK(broadcast_in_place, "ok") {
  int x = SELF + 5;
  reg(&x, sizeof x);
  bsp_bcast(3, &x, &x, sizeof x);
  MUST(x == 8);
}

CHECK(gather_to_one, "ok") {
  int x[2] = {SELF, SELF * SELF}, all[8], i;
  reg(all, sizeof all);
  bsp_gather(1, x, all, sizeof x);
  for (i = 0; i < PROCS && SELF == 1; i++) MUST(all[2 * i] == i && all[2 * i + 1] == i * i);
}

CHECK(scatter_from_one, "ok") {
  int x[2] = {-1, -1}, all[8], i;
  for (i = 0; i < 8; i++) all[i] = SELF * 100 + i;
  reg(all, sizeof all);
  bsp_scatter(2, all, x, sizeof x);
  MUST(x[0] == 200 + 2 * SELF && x[1] == 201 + 2 * SELF);
}

static int by_last_digit(void *x, void *y, int *nbytes) {
  (void)nbytes;
  return *(int *)x % 10 < *(int *)y % 10;
}

CHECK(sort_of_items, "ok") {
  int items[4] = {37, 20, 17, 95}, want[4] = {20, 95, 37, 17}, x = items[SELF], y;
  bsp_sort(by_last_digit, &x, &y, sizeof x);
  MUST(y == want[SELF]);
}

CHECK(sort_of_values, "ok") {
  MUST(bsp_sortI(-SELF) == SELF - 3 && bsp_sortD(-SELF * 0.5) == (SELF - 3) * 0.5);
  MUST(bsp_sortR((float)(SELF % 2)) == (float)(SELF / 2) && bsp_sortC((char)('d' - SELF)) == 'a' + SELF);
}

CHECK(all_and_any, "ok") {
  MUST(bsp_all(1) && !bsp_all(SELF != 2) && bsp_any(SELF == 2) && !bsp_any(0));
  MUST(!bsp_any_prefix(SELF == 2) == (SELF < 2) && !bsp_all_prefix(SELF != 2) == (SELF >= 2));
}

CHECK(constant, "ok") { MUST(bsp_constantI(7) && !bsp_constantI(SELF)); }

CHECK(sums, "ok") {
  MUST(bsp_sumI(SELF) == 6 && bsp_sumR(SELF * 0.5f) == 3 && bsp_sumD(SELF * 0.25) == 1.5);
  MUST(bsp_sumI_prefix(2) == 2 * SELF + 2 && bsp_sumR_prefix(1) == SELF + 1 && bsp_sumD_prefix(0.5) == (SELF + 1) * 0.5);
}

CHECK(products, "ok") {
  MUST(bsp_productI(SELF + 1) == 24 && bsp_productR(2) == 16 && bsp_productD(0.5) == 0.0625);
  MUST(bsp_productI_prefix(2) == 2 << SELF && bsp_productR_prefix(2) == (float)(2 << SELF) && bsp_productD_prefix(2) == 2 << SELF);
}

CHECK(smallest, "ok") {
  MUST(bsp_minI(10 - SELF) == 7 && bsp_minR(10.5f - SELF) == 7.5 && bsp_minD(SELF - 1.5) == -1.5);
  MUST(bsp_minI_prefix(10 - SELF) == 10 - SELF && bsp_minR_prefix(SELF + 1.0f) == 1 && bsp_minD_prefix(-SELF) == -SELF);
}

CHECK(largest, "ok") {
  MUST(bsp_maxI(SELF - 10) == -7 && bsp_maxR(SELF * 0.5f) == 1.5 && bsp_maxD(-SELF) == 0);
  MUST(bsp_maxI_prefix(10 - SELF) == 10 && bsp_maxR_prefix(SELF) == SELF && bsp_maxD_prefix(SELF % 2) == (SELF > 0));
}
