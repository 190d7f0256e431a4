#include "check.h"

static struct check *all;
int arguments;
char **argument;

void add_check(struct check *c) {
  c->next = all;
  all = c;
}

static struct check *named(const char *name, size_t length) {
  struct check *c = all;
  while (c && (strlen(c->name) != length || strncmp(c->name, name, length))) c = c->next;
  if (!c) {
    fprintf(stderr, "no check %s\n", name);
    exit(2);
  }
  return c;
}

/* The first argument is a check, or CHECKs with commas between them. */
int main(int argc, char **argv) {
  const char *names = argc > 1 ? argv[1] : "";
  struct check *c = named(names, strcspn(names, ","));
  int size;
  arguments = argc;
  argument = argv;
  if (c->whole) {
    c->body();
    return 0;
  }
  bsp_begin(bsp_nprocs());
  for (;;) {
    c->body();
    bsp_sync();
    names += strcspn(names, ",");
    if (!*names++) break;
    c = named(names, strcspn(names, ","));
    size = 0;
    bsp_set_tagsize(&size);
    bsp_sync();
  }
  if (SELF == 0) puts("ok");
  bsp_end();
  return 0;
}
