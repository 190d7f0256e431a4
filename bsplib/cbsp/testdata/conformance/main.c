#include "check.h"

static struct check *all, *chosen;
int arguments;
char **argument;

void add_check(struct check *c) {
  c->next = all;
  all = c;
}

int main(int argc, char **argv) {
  arguments = argc;
  argument = argv;
  for (chosen = all; chosen && argc > 1; chosen = chosen->next)
    if (!strcmp(chosen->name, argv[1])) break;
  if (!chosen || argc < 2) {
    fprintf(stderr, "no check %s\n", argc > 1 ? argv[1] : "");
    return 2;
  }
  if (chosen->whole) {
    chosen->body();
    return 0;
  }
  bsp_begin(bsp_nprocs());
  chosen->body();
  bsp_sync();
  if (SELF == 0) puts("ok");
  bsp_end();
  return 0;
}
