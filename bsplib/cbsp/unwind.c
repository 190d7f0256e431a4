//go:build !staticrank

// Functions of the dynamic linker that find the code at an address. Those who unwind stacks, for exceptions of C++
// among others, ask for code of processes too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "image.h"

#define EXPORT __attribute__((visibility("default")))

// slotOf returns the slot that has an address.
static char *slotOf(const void *at) { return SLOT(((uintptr_t)at - SLOT_BASE) / migbsp_slot); }

#ifdef DLFO_STRUCT_HAS_EH_DBASE
EXPORT int _dl_find_object(void *at, struct dl_find_object *found) {
	static int (*next)(void *, struct dl_find_object *);
	if (IN_SLOTS(at)) {
		char *slot = slotOf(at);
		const image *m = migbsp_image_at((uintptr_t)((char *)at - slot));
		if (!m || !m->unwind)
			return -1;
		memset(found, 0, sizeof *found);
		found->dlfo_map_start = slot + m->at;
		found->dlfo_map_end = slot + m->at + m->end;
		found->dlfo_eh_frame = slot + m->at + m->unwind;
		return 0;
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "_dl_find_object");
	return next ? next(at, found) : -1;
}
#endif

// dl_iterate_phdr calls the function for the images of the process that runs too: glibc before 2.35 has no
// _dl_find_object.
EXPORT int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *argument) {
	static int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	int result = next(call, argument);
	process *c = migbsp_now();
	for (int i = 0; c && i < migbsp_nimages && !result; i++) {
		const image *m = &migbsp_images[i];
		struct dl_phdr_info info = {.dlpi_addr = (ElfW(Addr))(SLOT(c->pid) + m->at), .dlpi_name = m->path, .dlpi_phdr = m->segments, .dlpi_phnum = (ElfW(Half))m->nsegments};
		result = call(&info, sizeof info, argument);
	}
	return result;
}

// dladdr finds functions and variables of processes too.
EXPORT int dladdr(const void *at, Dl_info *found) {
	static int (*next)(const void *, Dl_info *);
	if (!IN_SLOTS(at)) {
		if (!next)
			*(void **)&next = dlsym(RTLD_NEXT, "dladdr");
		return next(at, found);
	}
	char *slot = slotOf(at);
	const image *m = migbsp_image_at((uintptr_t)((const char *)at - slot));
	if (!m)
		return 0;
	const Elf64_Sym *symbols = (Elf64_Sym *)migbsp_in_file(m, m->symbols);
	uintptr_t there = (uintptr_t)((const char *)at - slot) - m->at;
	*found = (Dl_info){.dli_fname = m->path, .dli_fbase = slot + m->at};
	for (size_t i = 1; i < m->nsymbols; i++) {
		const Elf64_Sym *s = &symbols[i];
		if (s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) != STT_TLS && there - s->st_value < (s->st_size ? s->st_size : 1)) {
			found->dli_sname = migbsp_in_file(m, m->strings) + s->st_name;
			found->dli_saddr = slot + m->at + s->st_value;
			break;
		}
	}
	return 1;
}
