//go:build !staticrank

// Functions of the C library that keep the address of a function. A process's functions are in its slot, which
// another rank may have by the time of the call, so that the process keeps these addresses itself.
#define _GNU_SOURCE
#include <errno.h>
#include <printf.h>
#include <string.h>

#include "inside.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

// Handlers of fork, the last registered first.
struct forker {
	struct forker *next;
	void (*prepare)(void), (*parent)(void), (*child)(void);
};

static int own_register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object) {
	(void)object;
	process *c = migbsp_now();
	struct forker *f = c ? migbsp_zeroed(c, sizeof *f) : 0;
	if (!f)
		return ENOMEM;
	*f = (struct forker){c->forkers, prepare, parent, child};
	c->forkers = f;
	return 0;
}

static int own_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
	return own_register_atfork(prepare, parent, child, 0);
}

static void inOrder(struct forker *f, int child) {
	if (!f)
		return;
	inOrder(f->next, child);
	void (*call)(void) = child ? f->child : f->parent;
	if (call)
		call();
}

// migbsp_forks calls the process's handlers before a fork, behind it, and in the child.
void migbsp_forks(process *c, int stage) {
	if (stage != FORK_PREPARE) {
		inOrder(c->forkers, stage == FORK_CHILD);
		return;
	}
	for (struct forker *f = c->forkers; f; f = f->next)
		if (f->prepare)
			f->prepare();
}

// Conversions of printf are the rank's. A library, such as libquadmath, is told that there is no room for another;
// a program that registers one could not use it.

static int registers(const char *name, uintptr_t caller) {
	process *c = migbsp_now();
	if (c && migbsp_is_code(c, caller))
		migbsp_fail("%s: processes of a rank share the conversions of printf: link the program by  bspcc -static-rank", name);
	errno = ENOSPC;
	return -1;
}

static int own_register_printf_function(int spec, printf_function *print, printf_arginfo_function *about) { return registers("register_printf_function", CALLER); }
static int own_register_printf_specifier(int spec, printf_function *print, printf_arginfo_size_function *about) { return registers("register_printf_specifier", CALLER); }
static int own_register_printf_modifier(const wchar_t *text) { return registers("register_printf_modifier", CALLER); }
static int own_register_printf_type(printf_va_arg_function *f) { return registers("register_printf_type", CALLER); }

// migbsp_callback returns the process's function of that name, 0 if it is the C library's.
uintptr_t migbsp_callback(const char *name) {
#define OWN(name) {#name, (uintptr_t)own_##name}
	static const struct { const char *name; uintptr_t at; } all[] = {
		OWN(pthread_atfork), {"__register_atfork", (uintptr_t)own_register_atfork},
		OWN(register_printf_function), OWN(register_printf_specifier), OWN(register_printf_modifier), OWN(register_printf_type),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(name, all[i].name))
			return all[i].at;
	return 0;
}
