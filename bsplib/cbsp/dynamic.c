//go:build !staticrank

// The functions of the dynamic linker that look up symbols, for a process: its program and its libraries have their own
// copies, which the dynamic linker does not know.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "image.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

// An image is its own handle, and image 0 also that of dlopen(NULL).
static const image *ofHandle(void *handle) {
	const image *m = handle;
	return m >= migbsp_images && m < migbsp_images + migbsp_nimages ? m : 0;
}

static const image *named(const char *path) {
	const char *last = strrchr(path, '/');
	for (int i = 1; i < migbsp_nimages; i++)
		if (!strcmp(path, migbsp_images[i].path) || migbsp_is_named(&migbsp_images[i], last ? last + 1 : path))
			return &migbsp_images[i];
	return 0;
}

// migbsp_dlopen returns the handle of the process's program, for a null path, or of a library of which it has a copy,
// null for other libraries.
void *migbsp_dlopen(const char *path) {
	return (void *)(uintptr_t)(path ? named(path) : &migbsp_images[0]);
}

int migbsp_is_handle(void *handle) { return ofHandle(handle) != 0; }

// lookup returns the address of a name for the process, found in the images from a number on and in the rank.
static void *lookup(process *c, int from, const char *name, const char *version) {
	binding b = migbsp_find(from, name, version);
	if (b.kind == OF_THREAD) {
		const image *m = &migbsp_images[b.image];
		return (m->tlsStatic ? migbsp_static : (char *)c->tls) + m->tlsAt + b.value;
	}
	return b.kind == UNBOUND ? 0 : (void *)(uintptr_t)migbsp_value_of(&b, c->pid);
}

static void *find(void *handle, const char *name, const char *version, uintptr_t caller) {
	process *c = migbsp_now();
	const image *m = ofHandle(handle);
	if (!c || (!m && handle != RTLD_DEFAULT && handle != RTLD_NEXT))
		return version ? dlvsym(handle, name, version) : dlsym(handle, name);
	int from = m ? (int)(m - migbsp_images) : 0;
	if (handle == RTLD_NEXT) {
		const image *its = IN_SLOTS(caller) ? migbsp_image_at(caller - (uintptr_t)SLOT(c->pid)) : 0;
		from = its ? (int)(its - migbsp_images) + 1 : 0;
	}
	void *at = lookup(c, from, name, version);
	if (!at)
		dlsym(RTLD_DEFAULT, name); // for dlerror
	return at;
}

static void *own_dlsym(void *handle, const char *name) { return find(handle, name, 0, CALLER); }
static void *own_dlvsym(void *handle, const char *name, const char *version) { return find(handle, name, version, CALLER); }

// migbsp_dynamic returns the process's function of that name, 0 if it is the dynamic linker's.
uintptr_t migbsp_dynamic(const char *name) {
	if (!strcmp(name, "dlsym"))
		return (uintptr_t)own_dlsym;
	return !strcmp(name, "dlvsym") ? (uintptr_t)own_dlvsym : 0;
}
