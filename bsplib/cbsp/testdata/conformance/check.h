/* Checks of BSPlib: each shows one behaviour. The program runs the one that its first
 * argument names, on four processes.
 *
 * CHECK is the body of an SPMD section that all processes run, and WHOLE a whole program.
 * Both are followed by what has to come out: "ok", which process 0 prints when a CHECK has
 * ended; a text that is printed, with exit code 0; "exit N"; or "abort: " and the begin of
 * what the standard error has, with another exit code than 0. Checks whose names begin with
 * ours_ show what other libraries leave open. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
  const char *name;
  void (*body)(void);
  int whole;
  struct check *next;
};
void add_check(struct check *c);

#define ENTRY(name, whole) \
  static void name(void); \
  static struct check check_##name = {#name, name, whole, NULL}; \
  __attribute__((constructor)) static void add_##name(void) { add_check(&check_##name); } \
  static void name(void)
#define CHECK(name, expected) ENTRY(name, 0)
#define WHOLE(name, expected) ENTRY(name, 1)

#define MUST(condition) \
  do { \
    if (!(condition)) bsp_abort("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
  } while (0)

#define SELF ((int)bsp_pid())
#define PROCS ((int)bsp_nprocs())
#define RIGHT ((SELF + 1) % PROCS)
#define LEFT ((SELF + PROCS - 1) % PROCS)

extern int arguments;
extern char **argument;

/* reg registers an area and ends the superstep. */
static inline void reg(void *area, int size) {
  bsp_push_reg(area, size);
  bsp_sync();
}

/* print has process 0 print a number. */
static inline void print(const char *what, int n) {
  if (SELF == 0) printf("%s %d\n", what, n);
}
