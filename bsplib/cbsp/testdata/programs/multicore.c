/* Primitives of the MulticoreBSP dialect. Prints: ok */
#include <mcbsp.h>
#include <stdint.h>
#include <string.h>

#include "bsp_level1.h"

#define MUST(condition) \
  if (!(condition)) bsp_abort("line %d: not so: %s\n", __LINE__, #condition)

static void larger(void *result, void *left, void *right, size_t *nbytes) {
  size_t *r = (size_t *)result, *x = (size_t *)left, *y = (size_t *)right;
  MUST(*nbytes == sizeof(size_t));
  *r = *x > *y ? *x : *y;
}

int main(void) {
  bsp_begin(bsp_nprocs());
  unsigned int p = bsp_nprocs(), s = bsp_pid(), right = (s + 1) % p, left = (s + p - 1) % p, messages = 77;
  size_t x = 1, v = s, got = 0, direct = 0, size = sizeof(uint32_t), bytes = 77, status = 0, largest = 0;
  bsp_push_reg(&x, sizeof x);
  bsp_set_tagsize(&size);
  MUST(size == 0);
  bsp_sync();
  bsp_put(right, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == left);
  bsp_get(right, &x, 0, &got, sizeof got);
  bsp_sync();
  MUST(got == s);
  bsp_hpput(left, &v, &x, 0, sizeof v);
  bsp_sync();
  MUST(x == right);
  bsp_hpget(left, &x, 0, &got, sizeof got);
  bsp_sync();
  MUST(got == s);
  bsp_direct_get(right, &x, 0, &direct, sizeof direct);
  MUST(direct == (right + 1) % p);
  bsp_sync();

  /* A queue's number of bytes need not be asked for, and an empty queue has status SIZE_MAX. */
  uint32_t tag = 100 + s;
  bsp_qsize(&messages, NULL);
  MUST(messages == 0);
  bsp_get_tag(&status, &tag);
  MUST(status == SIZE_MAX && tag == 100 + s);
  bsp_send(right, &tag, &v, sizeof v);
  bsp_hpsend(left, &tag, &v, 3);
  bsp_sync();
  bsp_qsize(&messages, &bytes);
  MUST(messages == 2 && bytes == sizeof v + 3);
  unsigned int i;
  for (i = 0; i < 2; i++) {
    bsp_get_tag(&status, &tag);
    if (status == 3) {
      void *t, *payload;
      MUST(bsp_hpmove(&t, &payload) == 3 && tag == 100 + right && !memcmp(t, &tag, sizeof tag));
    } else {
      bsp_move(&got, sizeof got);
      MUST(tag == 100 + left && got == left);
    }
  }
  bsp_qsize(&messages, NULL);
  MUST(messages == 0);

  bsp_fold(larger, &v, &largest, sizeof v);
  MUST(largest == p - 1 && bsp_sumI((int)s) == (int)(p * (p - 1) / 2));
  bsp_bcast(0, &v, &x, sizeof v);
  MUST(x == 0 && bsp_time() >= 0);
  bsp_pop_reg(&x);
  bsp_sync();
  if (s == 0) puts("ok");
  bsp_end();
  return 0;
}
