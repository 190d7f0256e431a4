/* Where a program begins that is started by itself: it is a shared object without a loader, and
 * becomes the launcher, which is told where the program is. The launcher is what MIGBSP_LAUNCHER
 * names, or bspcc in a directory of the program's RUNPATH, or where migbsp is installed in PATH.
 *
 * There is no C library yet, and nothing has been relocated. */
#include <elf.h>
#include <sys/syscall.h>

#define HIDDEN __attribute__((visibility("hidden")))
extern const char __ehdr_start[] HIDDEN;
extern const Elf64_Dyn _DYNAMIC[] HIDDEN;

void migbsp_become(long *stack) HIDDEN __attribute__((noreturn));

#ifdef __x86_64__
__asm__(".text\n.globl migbsp_start\n.type migbsp_start, @function\nmigbsp_start:\n"
        "\txorl %ebp, %ebp\n\tmovq %rsp, %rdi\n\tandq $-16, %rsp\n\tcall migbsp_become\n");

static long call(long number, long a, long b, long c, long d) {
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
#else
__asm__(".text\n.globl migbsp_start\n.type migbsp_start, %function\nmigbsp_start:\n"
        "\tmov x29, #0\n\tmov x0, sp\n\tbl migbsp_become\n");

static long call(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
#endif

/* The program's main, which may be hidden. */
int main(int argc, char **argv, char **environ);
int migbsp_entry(int argc, char **argv, char **environ) { return main(argc, argv, environ); }

enum { ROOM = 8192 };

/* add appends a text up to its end or a character, and returns the length, ROOM if it is too
 * long. */
static long add(char *text, long n, const char *more, char end) {
  while (n < ROOM && *more && *more != end) text[n++] = *more++;
  if (n < ROOM) text[n] = 0;
  return n;
}

static const char *value(char **environ, const char *name) {
  for (; *environ; environ++) {
    const char *a = *environ, *b = name;
    while (*b && *a == *b) a++, b++;
    if (!*b && *a == '=') return a + 1;
  }
  return 0;
}

static long run(const char *path, char **argv, char **environ) {
  return call(SYS_execve, (long)path, (long)argv, (long)environ, 0);
}

/* search runs bspcc of the first directory in a list that has it, and beside it a file. */
static void search(const char *list, const char *file, const char *origin, char **argv, char **environ) {
  while (list && *list) {
    char path[ROOM];
    const char *from = list;
    long n = 0, directory;
    if (from[0] == '$' && from[1] == 'O' && from[2] == 'R') {
      n = add(path, 0, origin, 0);
      while (*from && *from != '/' && *from != ':') from++;
    }
    directory = n = add(path, n, from, ':');
    n = add(path, n, file, 0);
    if (n < ROOM && call(SYS_faccessat, -100, (long)path, 0, 0) == 0) {
      add(path, directory, "/bspcc", 0);
      run(path, argv, environ);
    }
    while (*list && *list != ':') list++;
    if (*list) list++;
  }
}

static void say(const char *text) {
  long n = 0;
  while (text[n]) n++;
  call(SYS_write, 2, (long)text, n, 0);
}

void migbsp_become(long *stack) {
  long argc = stack[0], n, i, count = 0, slash = 0;
  char **argv = (char **)(stack + 1), **environ = argv + argc + 1;
  char self[ROOM], origin[ROOM];
  const char *strings = 0, *named = value(environ, "MIGBSP_LAUNCHER");
  const Elf64_Dyn *d;
  while (environ[count]) count++;
  {
    char *more[count + 2];
    const long begin = add(self, 0, "_BSP_OBJECT=", 0);
    n = call(SYS_readlinkat, -100, (long)"/proc/self/exe", (long)(self + begin), ROOM - begin - 1);
    self[begin + (n > 0 ? n : 0)] = 0;
    for (i = 0; (origin[i] = self[begin + i]) != 0; i++)
      if (origin[i] == '/') slash = i;
    origin[slash] = 0;
    for (i = 0; i < count; i++) more[i] = environ[i];
    more[count] = self;
    more[count + 1] = 0;
    if (named) run(named, argv, more);
    for (d = _DYNAMIC; d->d_tag != DT_NULL; d++)
      if (d->d_tag == DT_STRTAB) strings = __ehdr_start + d->d_un.d_ptr;
    for (d = _DYNAMIC; !named && d->d_tag != DT_NULL; d++)
      if (d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH) search(strings + d->d_un.d_val, "/bspcc", origin, argv, more);
    if (!named) search(value(environ, "PATH"), "/../lib/migbsp/libbsp.a", origin, argv, more);
  }
  say(argc > 0 ? argv[0] : "a program");
  say(named ? ": MIGBSP_LAUNCHER cannot be run: " : ": bspcc of migbsp, which runs it, is neither where it was when this was linked nor in PATH");
  say(named ? named : "");
  say("\n");
  for (;;) call(SYS_exit_group, 127, 0, 0, 0);
}
