/* LPF's BSPlib layer: what it says of calls that do not fit, and several sections in a program. */
#include <lpf/bsplib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort(); \
    } \
  } while (0)
#define FINE(call) MUST((call) == BSPLIB_SUCCESS)

void migbsp_start(void) __attribute__((weak)); /* where processes have a launcher */

static int mains, sections, executed; /* of this process */

static bsplib_t open_(lpf_t lpf, lpf_pid_t pid, lpf_pid_t procs) {
  bsplib_t b;
  FINE(bsplib_create(lpf, pid, procs, 1, 0, &b));
  MUST(bsplib_pid(b) == pid && bsplib_nprocs(b) == procs);
  return b;
}

static void transfers(lpf_t lpf, lpf_pid_t pid, lpf_pid_t procs, lpf_args_t args) {
  bsplib_t b = open_(lpf, pid, procs), other;
  lpf_pid_t right = (pid + 1) % procs, left = (pid + procs - 1) % procs;
  int area[8] = {0}, own[4] = {(int)pid, 1, 2, 3};
  double began = bsplib_time(b);
  sections++;
  MUST((mains == (pid == 0) || !migbsp_start) && (pid == 0) == (args.input != NULL));
  MUST(bsplib_create(lpf, pid, procs, 1, 0, &other) == BSPLIB_ERR_FATAL);
  MUST(lpf_exec(lpf, 1, transfers, args) == LPF_ERR_FATAL);
  FINE(bsplib_push_reg(b, area, sizeof area));
  MUST(bsplib_put(b, right, own, area, 0, 4) == BSPLIB_ERR_MEMORY_NOT_REGISTERED);
  MUST(bsplib_pop_reg(b, area) == BSPLIB_ERR_MEMORY_NOT_REGISTERED);
  FINE(bsplib_sync(b));
  FINE(bsplib_put(b, right, own, area, 0, sizeof own));
  FINE(bsplib_hpput(b, left, own, area, 16, 4));
  MUST(bsplib_put(b, procs, own, area, 0, 4) == BSPLIB_ERR_PID_OUT_OF_RANGE);
  MUST(bsplib_put(b, right, own, area, 30, 4) == BSPLIB_ERR_MEMORY_ACCESS_OUT_OF_RANGE);
  MUST(bsplib_put(b, right, own, area, (size_t)-2, 4) == BSPLIB_ERR_MEMORY_ACCESS_OUT_OF_RANGE);
  MUST(bsplib_get(b, right, NULL, 0, own, 4) == BSPLIB_ERR_NULL_POINTER);
  FINE(bsplib_get(b, right, NULL, 99, own, 0));
  FINE(bsplib_sync(b));
  MUST(area[0] == (int)left && area[3] == 3 && area[4] == (int)right);
  FINE(bsplib_get(b, right, area, 0, own, 8));
  FINE(bsplib_hpget(b, left, area, 4, own + 2, 8));
  FINE(bsplib_pop_reg(b, area));
  MUST(bsplib_pop_reg(b, area) == BSPLIB_ERR_MEMORY_NOT_REGISTERED);
  FINE(bsplib_sync(b));
  MUST(own[0] == (int)pid && own[1] == 1 && own[2] == 1 && own[3] == 2);
  MUST(bsplib_put(b, right, own, area, 0, 4) == BSPLIB_ERR_MEMORY_NOT_REGISTERED);
  MUST(bsplib_time(b) > began && began > 0);
  if (args.f_size == 1) ((void (*)(void))args.f_symbols[0])();
  FINE(bsplib_destroy(b));
  MUST(bsplib_sync(b) == BSPLIB_ERR_FATAL);
  if (args.output) *(int *)args.output = sections;
}

static void messages(lpf_t lpf, lpf_pid_t pid, lpf_pid_t procs, lpf_args_t args) {
  bsplib_t b = open_(lpf, pid, procs);
  lpf_pid_t right = (pid + 1) % procs, left = (pid + procs - 1) % procs;
  char tag[16] = "sixteen letters", out[16], text[4];
  const void *at, *named;
  size_t n, bytes, status;
  (void)args;
  sections++;
  MUST(bsplib_set_tagsize(b, 16) == 0 && bsplib_set_tagsize(b, 16) == 0);
  FINE(bsplib_send(b, right, NULL, "abc", 4));
  FINE(bsplib_sync(b));
  MUST(bsplib_hpmove(b, &named, &at) == 4 && named == NULL && !strcmp((const char *)at, "abc"));
  MUST(bsplib_hpmove(b, &named, &at) == (size_t)-1);
  MUST(bsplib_move(b, out, 1) == BSPLIB_ERR_EMPTY_MESSAGE_QUEUE);
  MUST(bsplib_send(b, right, NULL, "abc", 4) == BSPLIB_ERR_NULL_POINTER);
  MUST(bsplib_send(b, right, tag, NULL, 4) == BSPLIB_ERR_NULL_POINTER);
  MUST(bsplib_send(b, procs, tag, "abc", 4) == BSPLIB_ERR_PID_OUT_OF_RANGE);
  FINE(bsplib_send(b, right, tag, &pid, sizeof pid));
  FINE(bsplib_hpsend(b, right, tag, "xyz", 4));
  MUST(bsplib_set_tagsize(b, 0) == 16);
  FINE(bsplib_sync(b));
  FINE(bsplib_qsize(b, &n, &bytes));
  MUST(n == 2 && bytes == sizeof pid + 4);
  FINE(bsplib_get_tag(b, &status, out));
  MUST(status == sizeof pid && !strcmp(out, tag));
  FINE(bsplib_move(b, &pid, sizeof pid));
  MUST(pid == left);
  MUST(bsplib_move(b, NULL, 4) == BSPLIB_ERR_NULL_POINTER);
  FINE(bsplib_move(b, text, 2));
  MUST(text[1] == 'y');
  FINE(bsplib_get_tag(b, &status, NULL));
  FINE(bsplib_qsize(b, NULL, &bytes));
  MUST(status == (size_t)-1 && bytes == 0);
  FINE(bsplib_destroy(b));
}

/* What does not fit has no effect, and the section goes on. */
static void mismatches(lpf_t lpf, lpf_pid_t pid, lpf_pid_t procs, lpf_args_t args) {
  bsplib_t b = open_(lpf, pid, procs);
  int kept = -1, x = 0, y = 0, one = 1;
  (void)args;
  sections++;
  FINE(bsplib_push_reg(b, &kept, sizeof kept));
  FINE(bsplib_sync(b));
  if (procs > 1) {
    FINE(bsplib_push_reg(b, &x, sizeof x));
    if (pid == 0) FINE(bsplib_push_reg(b, &y, sizeof y));
    FINE(bsplib_put(b, (pid + 1) % procs, &pid, &kept, 0, sizeof kept));
    MUST(bsplib_sync(b) == BSPLIB_ERR_PUSHREG_MISMATCH);
    MUST(kept == (int)((pid + procs - 1) % procs));
    MUST(bsplib_put(b, 0, &one, &x, 0, sizeof x) == BSPLIB_ERR_MEMORY_NOT_REGISTERED);
    if (pid > 0) FINE(bsplib_pop_reg(b, &kept));
    MUST(bsplib_sync(b) == BSPLIB_ERR_POPREG_MISMATCH);
    bsplib_set_tagsize(b, pid);
    MUST(bsplib_sync(b) == BSPLIB_ERR_TAGSIZE_MISMATCH);
  }
  FINE(bsplib_push_reg(b, &x, sizeof x));
  FINE(bsplib_push_reg(b, &y, sizeof y));
  FINE(bsplib_sync(b));
  if (procs > 1) {
    FINE(bsplib_pop_reg(b, pid ? &x : &y));
    MUST(bsplib_sync(b) == BSPLIB_ERR_POPREG_MISMATCH);
  }
  FINE(bsplib_put(b, procs - 1, &one, &y, 0, sizeof y));
  FINE(bsplib_put(b, procs - 1, &one, &kept, 0, sizeof kept));
  FINE(bsplib_sync(b));
  MUST(pid != procs - 1 || (y == 1 && kept == 1));
  FINE(bsplib_destroy(b));
}

/* One process leaves while the others go on. */
static void early(lpf_t lpf, lpf_pid_t pid, lpf_pid_t procs, lpf_args_t args) {
  bsplib_t b = open_(lpf, pid, procs);
  int x;
  (void)args;
  sections++;
  FINE(bsplib_push_reg(b, &x, sizeof x));
  FINE(bsplib_sync(b));
  if (pid == procs - 1) return;
  MUST(bsplib_sync(b) == BSPLIB_ERR_FATAL && bsplib_sync(b) == BSPLIB_ERR_FATAL);
  MUST(bsplib_destroy(b) == BSPLIB_ERR_FATAL);
}

static void called(void) { sections += 10; }
static void nothing(void) {}

static void last(void) {
  if (executed) puts(sections == 15 ? "ok" : "sections are missing");
}

int main(void) {
  int result = 0;
  lpf_func_t functions[] = {called, nothing};
  lpf_args_t args = {&mains, sizeof mains, &result, sizeof result, functions, 1};
  mains++;
  atexit(last);
  MUST(lpf_exec(LPF_NONE, LPF_MAX_P, transfers, args) == LPF_ERR_FATAL);
  MUST(lpf_exec(LPF_ROOT, LPF_MAX_P, transfers, args) == LPF_SUCCESS && result == 11);
  executed = 1;
  MUST(lpf_exec(LPF_ROOT, LPF_MAX_P, messages, LPF_NO_ARGS) == LPF_SUCCESS);
  MUST(lpf_exec(LPF_ROOT, LPF_MAX_P, mismatches, LPF_NO_ARGS) == LPF_SUCCESS);
  MUST(lpf_exec(LPF_ROOT, LPF_MAX_P, early, LPF_NO_ARGS) == LPF_SUCCESS);
  args.f_size = 2;
  MUST(lpf_exec(LPF_ROOT, LPF_MAX_P, transfers, args) == LPF_SUCCESS && result == 15);
  return 0;
}
