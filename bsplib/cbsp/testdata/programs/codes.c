/* The primitives that return codes: what they do, what they refuse, and that what is refused has no effect. */
#include <migbsp.h>
#include <bsp.h>
#include <string.h>

#define MUST(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, migbsp_why()); \
      abort(); \
    } \
  } while (0)
#define FINE(call) MUST((call) == MIGBSP_SUCCESS)
#define SAYS(text) MUST(strstr(migbsp_why(), text))

static int pid, procs, right, left;

static void transfers(void) {
  char area[16] = "", own[16] = "abcdefghijklmno", other[4];
  int i;
  double words[600], from[600], began = migbsp_time();
  memset(words, 0, sizeof words);
  FINE(migbsp_push_reg(area, sizeof area));
  FINE(migbsp_push_reg(words, sizeof words));
  MUST(migbsp_put(right, own, area, 0, 1) == MIGBSP_NOT_REGISTERED);
  SAYS("hasn't become effective yet");
  FINE(migbsp_sync());
  FINE(migbsp_put(right, own + pid % 8, area, 0, 8));
  FINE(migbsp_hpput(left, own, area, 8, 4));
  MUST(migbsp_put(procs, own, area, 0, 4) == MIGBSP_NO_PROCESS && migbsp_hpget(-1, area, 0, own, 4) == MIGBSP_NO_PROCESS);
  SAYS("bsp_hpget: The source process ID does not exist");
  MUST(migbsp_put(right, own, area, 14, 4) == MIGBSP_OUT_OF_RANGE);
  SAYS("bsp_put: Writes 2 bytes beyond registered range of 16 bytes");
  MUST(migbsp_hpput(right, own, area, (size_t)-2, 4) == MIGBSP_OUT_OF_RANGE && migbsp_get(right, area, 0, own, (size_t)-1) == MIGBSP_OUT_OF_RANGE);
  MUST(migbsp_get(right, area, 16, own, 1) == MIGBSP_OUT_OF_RANGE);
  MUST(migbsp_put(right, NULL, area, 0, 4) == MIGBSP_NULL && migbsp_get(right, area, 0, NULL, 4) == MIGBSP_NULL);
  MUST(migbsp_hpput(right, own, NULL, 0, 4) == MIGBSP_NULL && migbsp_hpget(right, NULL, 0, own, 4) == MIGBSP_NULL);
  MUST(migbsp_put(right, own, own, 0, 4) == MIGBSP_NOT_REGISTERED);
  MUST(migbsp_push_reg(NULL, 1) == MIGBSP_NULL && migbsp_pop_reg(own) == MIGBSP_NOT_REGISTERED);
  FINE(migbsp_put(procs, NULL, NULL, 99, 0));
  for (i = 0; i < 600; i++) { /* which become one, unless one of them is refused */
    from[i] = 1000 * pid + i;
    FINE(migbsp_put(right, from + i, words, i * sizeof *words, sizeof *words));
    if (i % 50 == 0) MUST(migbsp_put(right, NULL, words, (i + 1) * sizeof *words, sizeof *words) == MIGBSP_NULL);
  }
  MUST(migbsp_put(right, from, words, sizeof words, sizeof *words) == MIGBSP_OUT_OF_RANGE);
  FINE(migbsp_sync());
  MUST(!memcmp(area, own + left % 8, 8) && !memcmp(area + 8, own, 4) && area[12] == 0);
  for (i = 0; i < 600; i++) MUST(words[i] == 1000 * left + i);
  FINE(migbsp_get(right, area, 0, other, 2));
  FINE(migbsp_hpget(right, area, 2, other + 2, 2));
  FINE(migbsp_pop_reg(words));
  FINE(migbsp_sync());
  MUST(!memcmp(other, own + pid % 8, 4));
  MUST(migbsp_put(right, own, words, 0, 4) == MIGBSP_NOT_REGISTERED);
  MUST(began >= 0 && migbsp_time() > began);
  FINE(migbsp_pop_reg(area));
  FINE(migbsp_sync());
}

static void messages(void) {
  char tag[24] = "twenty and three chars.", out[24];
  size_t n = 9, bytes = 9, size = 24;
  double x = 1.5 * pid, y;
  void *at, *named;
  int i;
  FINE(migbsp_set_tagsize(&size));
  MUST(size == 0);
  MUST(migbsp_set_tagsize(NULL) == MIGBSP_NULL);
  size = (size_t)-1;
  MUST(migbsp_set_tagsize(&size) == MIGBSP_OUT_OF_RANGE);
  for (i = 0; i < 3; i++) FINE(migbsp_send(right, NULL, &x, sizeof x));
  MUST(migbsp_send(procs, NULL, &x, sizeof x) == MIGBSP_NO_PROCESS && migbsp_send(right, NULL, NULL, 8) == MIGBSP_NULL);
  MUST(migbsp_move(out, 1) == MIGBSP_NO_MESSAGE && migbsp_get_tag(&n, out) == MIGBSP_NO_MESSAGE && n == 9);
  MUST(migbsp_hpmove(&named, &at, &n) == MIGBSP_NO_MESSAGE);
  FINE(migbsp_sync());
  FINE(migbsp_qsize(&n, &bytes));
  MUST(n == 3 && bytes == 3 * sizeof x);
  FINE(migbsp_hpmove(NULL, &at, &size));
  MUST(size == sizeof x && *(double *)at == 1.5 * left);
  MUST(migbsp_move(NULL, 8) == MIGBSP_NULL);
  FINE(migbsp_move(&y, sizeof y));
  FINE(migbsp_qsize(NULL, &bytes));
  MUST(y == 1.5 * left && bytes == sizeof x);
  MUST(migbsp_send(right, NULL, tag, 5) == MIGBSP_NULL);
  FINE(migbsp_send(right, tag, tag, 5));
  FINE(migbsp_send(left, tag, NULL, 0));
  size = 0;
  FINE(migbsp_set_tagsize(&size));
  MUST(size == 24);
  FINE(migbsp_sync());
  FINE(migbsp_qsize(&n, NULL));
  MUST(n == 2);
  for (i = 0; i < 2; i++) {
    memset(out, 0, sizeof out);
    FINE(migbsp_get_tag(&size, i ? NULL : out));
    MUST((size == 5 || size == 0) && (i || !memcmp(out, tag, 24)));
    if (i) FINE(migbsp_hpmove(&named, NULL, NULL));
    else FINE(migbsp_move(out, sizeof out));
  }
  MUST(!memcmp(named, tag, 24));
  FINE(migbsp_sync());
}

/* What does not fit has no effect, on all processes, and they go on. */
static void mismatches(void) {
  int kept = -1, x = 0, y = 0, one = 1;
  size_t size = (size_t)pid;
  FINE(migbsp_push_reg(&kept, sizeof kept));
  FINE(migbsp_sync());
  FINE(migbsp_pop_reg(NULL));
  MUST(migbsp_sync() == MIGBSP_POPS_DIFFER);
  SAYS("NULL was never registered");
  if (procs > 1) {
    FINE(migbsp_push_reg(&x, sizeof x));
    if (pid == 0) FINE(migbsp_push_reg(&y, sizeof y));
    FINE(migbsp_put(right, &pid, &kept, 0, sizeof kept));
    MUST(migbsp_sync() == MIGBSP_PUSHES_DIFFER);
    SAYS("Not all processes registered the same number of memory blocks");
    MUST(kept == left);
    MUST(migbsp_put(0, &one, &x, 0, sizeof x) == MIGBSP_NOT_REGISTERED);
    if (pid > 0) FINE(migbsp_pop_reg(&kept));
    MUST(migbsp_sync() == MIGBSP_POPS_DIFFER);
    FINE(migbsp_set_tagsize(&size));
    MUST(migbsp_sync() == MIGBSP_TAGS_DIFFER);
  }
  FINE(migbsp_push_reg(pid ? &x : NULL, pid ? sizeof x : 0));
  FINE(migbsp_push_reg(NULL, 0));
  FINE(migbsp_sync());
  FINE(migbsp_pop_reg(NULL));
  FINE(migbsp_pop_reg(pid ? &x : NULL));
  FINE(migbsp_sync());
  FINE(migbsp_put(right, &one, &kept, 0, sizeof kept));
  FINE(migbsp_sync());
  MUST(kept == 1);
  FINE(migbsp_pop_reg(&kept));
  bsp_push_reg(&x, sizeof x); /* those that end the program, between */
  FINE(migbsp_sync());
  bsp_put(right, &pid, &x, 0, sizeof x);
  FINE(migbsp_put(right, &pid, &x, 0, sizeof x));
  bsp_pop_reg(&x);
  bsp_sync();
  MUST(x == left);
}

static void spmd(void) {
  MUST(migbsp_sync() == MIGBSP_MISPLACED && migbsp_pid() == -1 && migbsp_time() == -1);
  FINE(migbsp_begin(migbsp_nprocs()));
  MUST(migbsp_begin(1) == MIGBSP_MISPLACED);
  SAYS("bsp_begin: May be called only once");
  pid = migbsp_pid();
  procs = migbsp_nprocs();
  right = (pid + 1) % procs;
  left = (pid + procs - 1) % procs;
  transfers();
  messages();
  mismatches();
  if (pid < procs - 1) { /* the last one ends sooner */
    MUST(migbsp_sync() == MIGBSP_LEFT && migbsp_sync() == MIGBSP_LEFT);
    SAYS("Some processes have left");
  }
  MUST(migbsp_end() == (procs > 1 ? MIGBSP_LEFT : MIGBSP_SUCCESS));
  MUST(pid == 0 && migbsp_end() == MIGBSP_MISPLACED);
}

int main(int argc, char **argv) {
  MUST(migbsp_init(NULL, argc, argv) == MIGBSP_NULL);
  FINE(migbsp_init(spmd, argc, argv));
  MUST(migbsp_init(spmd, argc, argv) == MIGBSP_MISPLACED);
  MUST(migbsp_begin(0) == MIGBSP_NO_PROCESS);
  spmd();
  puts("ok");
  return 0;
}
