/* Level 1 of BSPlib over its primitives. It is compiled into a program's object, once for
 * each dialect. */
#include <limits.h>
#include <string.h>

#include "bsp_level1.h"

typedef migbsp_bytes bytes;

/* memory returns n bytes, or ends the program. */
static char *memory(const char *who, bytes n) {
  char *at = (char *)malloc(n > 0 ? (size_t)n : 1);
  if (!at) bsp_abort("%s: no memory for %lu bytes", who, (unsigned long)n);
  return at;
}

/* copy moves n bytes, also where src is dst, or n is 0 and both are NULL. */
static void copy(void *dst, const void *src, bytes n) {
  if (n > 0 && dst != src) memmove(dst, src, (size_t)n);
}

static bytes processes(void) { return (bytes)bsp_nprocs(); }
static bytes self(void) { return (bytes)bsp_pid(); }

/* fits ends the program unless that many items of n bytes have a size that can be. */
static void fits(const char *who, bytes n, bytes items) {
  const size_t most = sizeof n == sizeof(int) ? INT_MAX : (size_t)1 << 47;
  if (n < 0) bsp_abort("%s: The size was negative, which is illegal", who);
  if ((size_t)n > most / (size_t)items) bsp_abort("%s: no memory for %lu items of %lu bytes", who, (unsigned long)items, (unsigned long)n);
}

/* Up to this size of all items together, an operation sends them all to all, which takes
 * fewer supersteps; longer ones go in two phases, or along a tree. */
enum { SMALL = 64 << 10 };

static int small(bytes n) { return (size_t)n <= (size_t)SMALL / (size_t)processes(); }

void bsp_bcast(int pid, void *src, void *dst, bytes n) {
  bytes p = processes(), i, part = n / p + (n % p != 0);
  size_t at, all = (size_t)n;
  fits("bsp_bcast", n, 1);
  if (small(n) || p == 1) {
    if ((int)self() == pid)
      for (i = 0; i < p; i++) bsp_put((int)i, src, dst, 0, n);
    bsp_sync();
    return;
  }
  if ((int)self() == pid)
    for (i = 0, at = 0; at < all; i++, at += (size_t)part)
      bsp_put((int)i, (char *)src + at, dst, (bytes)at, all - at < (size_t)part ? (bytes)(all - at) : part);
  bsp_sync();
  at = (size_t)self() * (size_t)part;
  if (at < all)
    for (i = 0; i < p; i++)
      bsp_put((int)i, (char *)dst + at, dst, (bytes)at, all - at < (size_t)part ? (bytes)(all - at) : part);
  bsp_sync();
}

void bsp_gather(int pid, void *src, void *dst, bytes n) {
  fits("bsp_gather", n, processes());
  bsp_put(pid, src, dst, self() * n, n);
  bsp_sync();
}

void bsp_scatter(int pid, void *src, void *dst, bytes n) {
  fits("bsp_scatter", n, processes());
  bsp_get(pid, src, self() * n, dst, n);
  bsp_sync();
}

/* table is where items of all processes meet. The first one of a process stays registered,
 * for items of up to CACHED bytes; longer ones get one of their own. */
enum { CACHED = 16 };
static char *cached;
static int cachedIn; /* the section that has registered it */
int bsp_hook_number(void);

static char *table(const char *who, bytes n) {
  char *at;
  bytes size = processes() * n;
  if (n <= CACHED) {
    if (cached && cachedIn == bsp_hook_number()) return cached;
    free(cached);
    size = processes() * CACHED;
  }
  at = memory(who, size);
  bsp_push_reg(at, size);
  bsp_sync();
  if (n <= CACHED) {
    cached = at;
    cachedIn = bsp_hook_number();
  }
  return at;
}

/* done gives a table back once its last superstep has ended. */
static void done(char *at) {
  if (at == cached) return;
  bsp_pop_reg(at);
  free(at);
}

/* collect brings the items of all processes into a table; with below, those of processes
 * up to each one are enough. */
static char *collect(const char *who, void *src, bytes n, int below) {
  char *all = table(who, n);
  bytes i;
  for (i = below ? self() : 0; i < processes(); i++) bsp_put((int)i, src, all, self() * n, n);
  bsp_sync();
  return all;
}

/* combine stores items 0 to last of a table, combined from the left, in dst. */
static void combine(const char *who, migbsp_operator op, char *all, bytes last, void *dst, bytes n) {
  char *result = memory(who, 2 * n), *left = result + n;
  bytes i;
  copy(result, all, n);
  for (i = 1; i <= last; i++) {
    copy(left, result, n);
    op(result, left, all + i * n, &n);
  }
  copy(dst, result, n);
  free(result);
}

/* climb combines in log p supersteps: process i gets the items of 0 to i. */
static void climb(const char *who, migbsp_operator op, void *src, void *dst, bytes n) {
  char *in = memory(who, n), *sum = memory(who, 2 * n), *right = sum + n;
  bytes p = processes(), i = self(), step;
  bsp_push_reg(in, n);
  bsp_sync();
  copy(sum, src, n);
  for (step = 1; step < p; step *= 2) {
    if (i + step < p) bsp_put((int)(i + step), sum, in, 0, n);
    bsp_sync();
    if (i >= step) {
      copy(right, sum, n);
      op(sum, in, right, &n);
    }
  }
  copy(dst, sum, n);
  bsp_pop_reg(in);
  free(in);
  free(sum);
}

static void scan(const char *who, migbsp_operator op, void *src, void *dst, bytes n) {
  fits(who, n, 2);
  if (small(n)) {
    char *all = collect(who, src, n, 1);
    combine(who, op, all, self(), dst, n);
    done(all);
  } else {
    climb(who, op, src, dst, n);
  }
}

static void fold(const char *who, migbsp_operator op, void *src, void *dst, bytes n) {
  char *all;
  fits(who, n, 2);
  if (small(n)) {
    all = collect(who, src, n, 0);
    combine(who, op, all, processes() - 1, dst, n);
    done(all);
    return;
  }
  all = memory(who, n);
  bsp_push_reg(all, n);
  climb(who, op, src, all, n);
  bsp_bcast((int)processes() - 1, all, all, n);
  copy(dst, all, n);
  bsp_pop_reg(all);
  free(all);
}

void bsp_fold(migbsp_operator op, void *src, void *dst, bytes n) { fold("bsp_fold", op, src, dst, n); }
void bsp_reduce(migbsp_operator op, void *src, void *dst, bytes n) { fold("bsp_reduce", op, src, dst, n); }
void bsp_scan(migbsp_operator op, void *src, void *dst, bytes n) { scan("bsp_scan", op, src, dst, n); }
void bsp_prefix(migbsp_operator op, void *src, void *dst, bytes n) { scan("bsp_prefix", op, src, dst, n); }

/* Each process counts what stands before its item, and puts it where that count says. */
void bsp_sort(migbsp_order before, void *src, void *dst, bytes n) {
  char *all, *mine;
  bytes i, place = 0;
  fits("bsp_sort", n, processes());
  all = collect("bsp_sort", src, n, 0);
  mine = all + self() * n;
  for (i = 0; i < processes(); i++) {
    char *other = all + i * n;
    if (before(other, mine, &n) || (i < self() && !before(mine, other, &n))) place++;
  }
  bsp_put((int)place, mine, all, 0, n);
  bsp_sync();
  copy(dst, all, n);
  done(all);
}

/* The functions of one value are the same in both dialects. */
#ifndef BSP_MULTICORE

#define OPERATOR(name, type, expression) \
  static void name(void *result, void *left, void *right, bytes *n) { \
    type x, y, z; \
    memcpy(&x, left, sizeof x); \
    memcpy(&y, right, sizeof y); \
    z = expression; \
    memcpy(result, &z, sizeof z); \
    (void)n; \
  }
#define VALUES(name, type, expression) \
  OPERATOR(op_##name, type, expression) \
  type bsp_##name(type x) { \
    type all; \
    fold("bsp_" #name, op_##name, &x, &all, sizeof all); \
    return all; \
  } \
  type bsp_##name##_prefix(type x) { \
    type all; \
    scan("bsp_" #name "_prefix", op_##name, &x, &all, sizeof all); \
    return all; \
  }
#define NUMBERS(name, expression) \
  VALUES(name##I, int, expression) \
  VALUES(name##R, float, expression) \
  VALUES(name##D, double, expression)

VALUES(all, int, x && y)
VALUES(any, int, x || y)
NUMBERS(sum, x + y)
NUMBERS(product, x *y)
NUMBERS(min, x < y ? x : y)
NUMBERS(max, x > y ? x : y)

int bsp_constantI(int x) {
  char *all = collect("bsp_constantI", &x, sizeof x, 0);
  bytes i;
  int same = 1;
  for (i = 1; i < processes(); i++) same = same && !memcmp(all, all + i * sizeof x, sizeof x);
  done(all);
  return same;
}

#define SORT(letter, type) \
  static int before##letter(void *left, void *right, bytes *n) { \
    type x, y; \
    memcpy(&x, left, sizeof x); \
    memcpy(&y, right, sizeof y); \
    (void)n; \
    return x < y; \
  } \
  type bsp_sort##letter(type x) { \
    type sorted; \
    bsp_sort(before##letter, &x, &sorted, sizeof sorted); \
    return sorted; \
  }

SORT(C, char)
SORT(I, int)
SORT(R, float)
SORT(D, double)
#endif
