/* Reads areas of all processes while these run: what the last superstep has put there is seen, and
 * nothing older. Prints: ok */
#include <mcbsp.h>
#include <string.h>

enum { SMALL = 4, LARGE = 30000 };

#define MUST(condition) \
  if (!(condition)) bsp_abort("line %d, superstep %d: not so: %s\n", __LINE__, k, #condition)

static long small[SMALL], got[SMALL];

int main(void) {
  int k = 0, i;
  bsp_begin(bsp_nprocs());
  unsigned p = bsp_nprocs(), s = bsp_pid(), q;
  long *large = calloc(LARGE, sizeof *large), *copy = malloc(LARGE * sizeof *copy), value;
  volatile double x = 1;
  bsp_push_reg(small, sizeof small);
  bsp_push_reg(large, s % 2 ? LARGE * sizeof *large : sizeof *large);
  bsp_sync();
  for (k = 1; k <= 40; k++) {
    value = 1000 * k + s;
    for (i = 0; i < SMALL; i++) bsp_put((s + 1) % p, &value, small, i * sizeof value, sizeof value);
    if (s % 2 == 0 && (s + 1) % p % 2) {
      for (i = 0; i < LARGE; i++) copy[i] = value + i;
      bsp_put((s + 1) % p, copy, large, 0, LARGE * sizeof *copy);
    }
    for (i = 0; i < (k % 7 == (int)s ? 2000000 : 0); i++) x = x * 1.0001;
    bsp_sync();
    for (q = 0; q < p; q++) {
      bsp_direct_get(q, small, 0, got, sizeof got);
      for (i = 0; i < SMALL; i++) MUST(got[i] == 1000 * k + (long)((q + p - 1) % p));
      bsp_direct_get(q, small, (SMALL - 1) * sizeof value, &value, sizeof value);
      MUST(value == got[0]);
      if (q % 2 == 0) continue;
      memset(copy, 0, LARGE * sizeof *copy);
      bsp_direct_get(q, large, 0, copy, LARGE * sizeof *copy);
      for (i = 0; i < LARGE; i++) MUST(copy[i] == 1000 * k + (long)(q - 1) + i);
    }
    if (k % 10 == 0) { /* other areas, at other addresses */
      bsp_pop_reg(large);
      bsp_sync();
      free(large);
      large = calloc(LARGE + 100 * s, sizeof *large);
      bsp_push_reg(large, s % 2 ? LARGE * sizeof *large : sizeof *large);
      bsp_sync();
    }
    bsp_sync();
  }
  free(large);
  free(copy);
  if (s == 0) puts("ok");
  bsp_end();
  return 0;
}
