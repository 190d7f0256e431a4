/* What a program with one process on each rank is given, and how it ends. */
#include <bsp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int deeper(volatile int *above) {
  volatile int here[1000];
  here[0] = *above + 1;
  return deeper(here) + here[0];
}

static void *call(void *unused) {
  bsp_pid();
  return unused;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int i, *area;
  pthread_t thread;
  if (!strcmp(how, "early")) exit(7);
  bsp_begin(bsp_nprocs());
  if (bsp_pid() == 0) {
    printf("%d process, %d arguments:", bsp_nprocs(), argc - 1);
    for (i = 1; i < argc; i++) printf(" %s", argv[i]);
    printf("\n");
  }
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "null")) *(volatile int *)8 = 1;
  if (!strcmp(how, "stack")) return deeper(&i);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "thread")) {
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
  }
  area = malloc(8 * sizeof *area);
  bsp_push_reg(area, 8 * sizeof *area);
  bsp_sync();
  i = 5;
  bsp_put(bsp_pid(), &i, area, 0, sizeof i);
  bsp_sync();
  if (!strcmp(how, "killed")) {
    if (bsp_pid() == 1) kill(getpid(), SIGKILL);
    for (;;) bsp_sync();
  }
  if (!strcmp(how, "beyond")) ((volatile int *)area)[8] = 1;
  if (area[0] != 5) bsp_abort("not so: area[0] == 5");
  bsp_pop_reg(area);
  bsp_sync();
  free(area);
  bsp_end();
  printf("after\n");
  return !strcmp(how, "code") ? 5 : 0;
}
