//go:build !staticrank

// Slots: each process has one, with its own copies of the program and of the program's libraries, its heap
// and its stack.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image.h"

_Static_assert(sizeof(process) < MIGBSP_APART, "what is less is no address");

int migbsp_reserved;
uint64_t migbsp_heap;
size_t migbsp_page;

// Before Go's runtime chooses where its heap is.
static __attribute__((constructor)) void reserve(void) {
	migbsp_page = (size_t)sysconf(_SC_PAGESIZE);
#ifdef MAP_FIXED_NOREPLACE
	void *at = mmap((void *)SLOT_BASE, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
#else
	void *at = mmap((void *)SLOT_BASE, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#endif
	migbsp_reserved = at == (void *)SLOT_BASE;
	if (!migbsp_reserved && at != MAP_FAILED)
		munmap(at, ADDRESSES);
}

// loadFirst loads the libraries that processes share before the program takes other memory, so that they are
// at the same addresses on all ranks. Their names are in the environment.
static __attribute__((constructor)) void loadFirst(void) {
	const char *names = getenv("_BSP_LIBRARIES");
	char name[1024];
	for (size_t n; names && *names; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		if (n < sizeof name) {
			memcpy(name, names, n);
			name[n] = 0;
			dlopen(name, RTLD_NOW | RTLD_GLOBAL); // migbsp_share returns the error
		}
	}
}

static uintptr_t mainAt; // of the program's main, from the slot's beginning
static int stackAccess = PROT_READ | PROT_WRITE; // of the stack: functions within functions are called by code there

static uintptr_t down(uintptr_t a) { return a & -migbsp_page; }
static uintptr_t up(uintptr_t a) { return (a + migbsp_page - 1) & -migbsp_page; }

// migbsp_open reads the program, at an offset of a file, or behind it a library of which each process has a copy.
int migbsp_open(const char *path, int64_t offset, char *text, size_t size) {
	if (!migbsp_reserved)
		return migbsp_wrong(text, size, "the addresses of processes cannot be reserved (a limit on address space, or other memory is there); linked by  bspcc -static-rank  it needs none, with one process on each rank");
	if (migbsp_nimages == MOST_IMAGES)
		return migbsp_wrong(text, size, "it has more than %d libraries", MOST_IMAGES);
	image *m = &migbsp_images[migbsp_nimages];
	if (migbsp_read_image(m, path, offset, text, size))
		return -1;
	for (int i = 0; i < m->nsegments; i++)
		if (m->segments[i].p_type == PT_GNU_STACK && m->segments[i].p_flags & PF_X)
			stackAccess |= PROT_EXEC;
	migbsp_nimages++;
	return 0;
}

// migbsp_share loads a library that the processes of a rank share.
int migbsp_share(const char *name, char *text, size_t size) {
	return dlopen(name, RTLD_NOW | RTLD_GLOBAL) ? 0 : migbsp_wrong(text, size, "%s", dlerror());
}

// migbsp_link finds the symbols of the program and of its libraries, and the program's main.
int migbsp_link(char *text, size_t size) {
	const image *m = &migbsp_images[0];
	if (migbsp_bind(text, size))
		return -1;
	const Elf64_Sym *symbols = (Elf64_Sym *)migbsp_in_file(m, m->symbols), *entry = migbsp_define(m, "migbsp_entry", migbsp_hash("migbsp_entry"), 0);
	if (!entry)
		entry = migbsp_define(m, "main", migbsp_hash("main"), 0);
	if (!entry)
		return migbsp_wrong(text, size, "it has no main");
	mainAt = m->at + entry->st_value;
	for (size_t i = 1; i < m->nsymbols; i++) {
		const char *name = migbsp_in_file(m, m->strings) + symbols[i].st_name;
		if (symbols[i].st_shndx != SHN_UNDEF)
			continue;
		if (!strcmp(name, "lpf_exec"))
			migbsp_executes = 1;
		if (!strcmp(name, "bsp_init") || !strcmp(name, "mcbsp_init") || !strcmp(name, "migbsp_init"))
			migbsp_inits = 1;
		if (!strcmp(name, "mcbsp_direct_get"))
			migbsp_directs = 1;
	}
	return 0;
}

// migbsp_reads reports whether the program may read the standard input.
int migbsp_reads(void) {
	static const char *const names[] = {"stdin", "scanf", "__isoc99_scanf", "__isoc23_scanf", "vscanf", "getchar", "gets", "read", "__read_chk", "getchar_unlocked", "wscanf", "getwchar", "_ZSt3cin", "_gfortran_st_read"};
	const image *m = &migbsp_images[0];
	const Elf64_Sym *symbols = (Elf64_Sym *)migbsp_in_file(m, m->symbols);
	for (size_t i = 1; i < m->nsymbols; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (symbols[i].st_shndx == SHN_UNDEF && !strcmp(migbsp_in_file(m, m->strings) + symbols[i].st_name, names[k]))
				return 1;
	return 0;
}

// migbsp_is_code reports whether an address is in the code of the process's program, outside its libraries.
int migbsp_is_code(process *c, uintptr_t at) {
	const image *m = &migbsp_images[0];
	at -= (uintptr_t)SLOT(c->pid) + m->at;
	for (int i = 0; i < m->nsegments; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && at - p->p_vaddr < p->p_memsz)
			return 1;
	}
	return 0;
}

#define LARGE_PAGE (2ul << 20)

// beforeHeap is how far from its beginning a slot's heap begins.
static uint64_t beforeHeap(void) { return (migbsp_images_end + LARGE_PAGE) & -LARGE_PAGE; }

process *migbsp_process(int pid) { return (process *)(SLOT(pid) + beforeHeap()); }

// Where a debugger finds the stack pointer of a process in its slot.
uint64_t migbsp_saved;

// migbsp_sizes makes slots of such a size that a heap can have so many bytes, 0 for those that it has
// in the smallest ones. The result is how many it can have, if that is less.
uint64_t migbsp_sizes(uint64_t heap, int procs) {
	migbsp_saved = beforeHeap() + offsetof(process, sp);
	uint64_t rest = beforeHeap() + BEHIND_HEAP, most = (ADDRESSES / (uint64_t)procs & -LARGE_PAGE) - rest;
	if (heap > most)
		return most;
	migbsp_heap = heap ? up(heap) : SLOT_SIZE - rest;
	if (migbsp_heap + rest > migbsp_slot)
		migbsp_slot = (migbsp_heap + rest + LARGE_PAGE - 1) & -LARGE_PAGE;
	return 0;
}

void migbsp_unmap(int pid) {
	mmap(SLOT(pid), migbsp_slot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// Writable segments up to this size are copied into the slot, which takes fewer mappings of the kernel's (vm.max_map_count)
// than mapping them from the file.
#define MOST_COPIED (128ul << 10)

static int accessOf(const Elf64_Phdr *p) {
	return PROT_READ | (p->p_flags & PF_W ? PROT_WRITE : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0);
}

static int mapFile(const image *m, char *base, uintptr_t from, uintptr_t to, uintptr_t offset, int access) {
	return mmap(base + from, to - from, access, MAP_PRIVATE | MAP_FIXED, m->fd, m->offset + (off_t)offset) == MAP_FAILED;
}

static int mapMemory(char *from, char *to, int access) {
	return to > from && mmap(from, (size_t)(to - from), access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED;
}

static int mapWritable(const image *m, char *base, const Elf64_Phdr *p) {
	uintptr_t from = down(p->p_vaddr), behind = p->p_vaddr + p->p_filesz, file = up(behind), to = up(p->p_vaddr + p->p_memsz);
	int access = accessOf(p);
	if (p->p_filesz <= MOST_COPIED) {
		if (mapMemory(base + from, base + to, access))
			return -1;
		memcpy(base + p->p_vaddr, m->file + p->p_offset, p->p_filesz);
		return 0;
	}
	if (mapFile(m, base, from, file, down(p->p_offset), access))
		return -1;
	memset(base + behind, 0, file - behind);
	return mapMemory(base + file, base + to, access);
}

// mapImage maps an image into a slot. Segments that follow each other in the file and are not written are one
// mapping.
static int mapImage(const image *m, char *slot) {
	char *base = slot + m->at;
	for (int i = 0; i < m->nsegments; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_flags & PF_W) {
			if (mapWritable(m, base, p))
				return -1;
			continue;
		}
		uintptr_t to = up(p->p_vaddr + p->p_memsz);
		int access = accessOf(p);
		for (; i + 1 < m->nsegments; i++) {
			const Elf64_Phdr *next = &m->segments[i + 1];
			if (next->p_type != PT_LOAD || next->p_flags & PF_W || next->p_vaddr - next->p_offset != p->p_vaddr - p->p_offset || down(next->p_vaddr) != to)
				break;
			to = up(next->p_vaddr + next->p_memsz);
			access |= accessOf(next);
		}
		if (mapFile(m, base, down(p->p_vaddr), to, down(p->p_offset), access))
			return -1;
	}
	return 0;
}

// manyMappings reports whether this rank has nearly as many mappings as the kernel allows.
static int manyMappings(void) {
	int before = errno;
	long most = 0, n = 0;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
	if (f && fscanf(f, "%ld", &most) != 1)
		most = 0;
	if (f)
		fclose(f);
	f = fopen("/proc/self/maps", "r");
	for (int ch; f && (ch = getc(f)) != EOF;)
		n += ch == '\n';
	if (f)
		fclose(f);
	errno = before;
	return most && n > most - 100;
}

static process *map(int pid, char *text, size_t size) {
	char *base = SLOT(pid), *h = base + beforeHeap(), *stack = base + STACK_TOP - STACK_SIZE;
	int failed = 0;
	for (int i = 0; i < migbsp_nimages && !failed; i++)
		failed = mapImage(&migbsp_images[i], base);
	failed = failed || mapMemory(h, h + migbsp_heap, PROT_READ | PROT_WRITE) || mapMemory(stack, stack + STACK_SIZE, stackAccess);
	if (failed) {
		migbsp_wrong(text, size, "memory of process %d: %s%s", pid, strerror(errno), errno != ENOMEM ? "" : manyMappings() ? ": the rank has as many mappings as the system allows: run more ranks, or raise sysctl vm.max_map_count" : ": with a shorter heap it may fit (-heap)");
		migbsp_unmap(pid); // a limit counts what is mapped, though there may be more of it
		return 0;
	}
	madvise(stack, STACK_SIZE, MADV_NOHUGEPAGE);
	return (process *)h;
}

// migbsp_map makes a slot for a process, with its images linked for this rank.
process *migbsp_map(int pid, char *text, size_t size) {
	process *c = map(pid, text, size);
	if (!c)
		return 0;
	const char *unknown = migbsp_relocate(pid, 1);
	if (unknown) {
		migbsp_wrong(text, size, "%s", unknown);
		migbsp_unmap(pid);
		return 0;
	}
	return c;
}

void migbsp_rebind(process *c) { migbsp_relocate(c->pid, 0); }

// migbsp_frame makes the part of a stack below top that migbsp_switch returns from to an entry, and returns where it ends.
void *migbsp_frame(char *top, void (*entry)(void)) {
	uint64_t *sp = (uint64_t *)top;
#ifdef __x86_64__
	*--sp = 0; // who has called the entry
	*--sp = (uint64_t)(uintptr_t)entry;
	sp -= 7;
	((uint32_t *)sp)[0] = 0x1f80; // the control words of the floating-point units
	((uint32_t *)sp)[1] = 0x037f;
#else
	sp -= 22;
	sp[11] = (uint64_t)(uintptr_t)entry;
#endif
	return sp;
}

// migbsp_start makes a process that begins on this rank.
process *migbsp_start(int pid, int argc, char **argv, char *text, size_t size) {
	process *c = migbsp_map(pid, text, size);
	if (!c)
		return 0;
	c->pid = pid;
	migbsp_arena(c, (char *)c + ((sizeof *c + 63) & ~63ul));
	c->main = (int (*)(int, char **, char **))(SLOT(pid) + mainAt);
	c->argc = argc;
	size_t words = 0, list = sizeof(char *) * (size_t)(argc + 1);
	for (int i = 0; i < argc; i++)
		words += strlen(argv[i]) + 1;
	c->argv = migbsp_zeroed(c, list + words);
	if (!c->argv || !migbsp_tls_begins(c)) {
		migbsp_wrong(text, size, "its arguments and thread-local variables, %lu bytes, do not fit into a heap of %lu MiB (-heap)", list + words + migbsp_tls_size, migbsp_heap >> 20);
		return 0;
	}
	migbsp_parts(c);
	char *word = (char *)c->argv + list;
	for (int i = 0; i < argc; i++) {
		c->argv[i] = word;
		word = stpcpy(word, argv[i]) + 1;
	}
	c->sp = migbsp_frame(SLOT(pid) + STACK_TOP - 64, migbsp_entry);
	return c;
}

static void callAll(const uintptr_t *functions, uintptr_t n, process *c) {
	for (uintptr_t i = 0; i < n; i++)
		if (functions[i] && functions[i] != (uintptr_t)-1)
			((void (*)(int, char **, char **))functions[i])(c->argc, c->argv, c->environ);
}

// migbsp_first runs the constructors of the process's images, on its own stack: those of a library before those of
// the images that need it.
void migbsp_first(void) {
	process *c = migbsp_now();
	for (int i = 0; i < migbsp_nimages; i++) {
		const image *m = &migbsp_images[migbsp_order[i]];
		char *base = SLOT(c->pid) + m->at;
		if (m->init)
			((void (*)(int, char **, char **))(base + m->init))(c->argc, c->argv, c->environ);
		callAll((uintptr_t *)(base + m->inits), m->ninit, c);
	}
}

// migbsp_last runs the destructors, in the reverse order.
void migbsp_last(void) {
	process *c = migbsp_now();
	for (int i = migbsp_nimages - 1; i >= 0; i--) {
		const image *m = &migbsp_images[migbsp_order[i]];
		char *base = SLOT(c->pid) + m->at;
		for (uintptr_t k = m->nfini; k > 0; k--)
			callAll((uintptr_t *)(base + m->finis) + k - 1, 1, c);
		if (m->fini)
			((void (*)(void))(base + m->fini))();
	}
}

// zero reports whether a page has no bits.
static int zero(const char *page) {
	const uint64_t *w = (const uint64_t *)page;
	for (size_t i = 0; i < migbsp_page / 8; i += 8)
		if (w[i] | w[i + 1] | w[i + 2] | w[i + 3] | w[i + 4] | w[i + 5] | w[i + 6] | w[i + 7])
			return 0;
	return 1;
}

// Pages that are zero are left out, where that saves a range's worth.
#define LEAST_HOLE 16
#define HEAP_RANGES 64 // pieces at most of the program's variables and of the heap

// add adds what is not zero between two addresses, the first of a page.
static int add(char *from, char *to, migbsp_range *out, int n, int most) {
	char *begun = 0;
	int hole = 0;
	for (char *p = from; p < to; p += migbsp_page) {
		int last = to - p < (int64_t)migbsp_page;
		if (!last && zero(p)) {
			if (begun && ++hole == LEAST_HOLE && n < most - 2) {
				char *end = p - (LEAST_HOLE - 1) * migbsp_page;
				out[n++] = (migbsp_range){begun, (uint64_t)(end - begun)};
				begun = 0;
			}
			continue;
		}
		if (!begun)
			begun = p;
		hole = 0;
	}
	if (begun)
		out[n++] = (migbsp_range){begun, (uint64_t)(to - begun)};
	return n;
}

// stackFrom returns where the used part of the process's stack begins: below where it has stopped, or if that is on
// another stack, at the lowest page that has been written.
static char *stackFrom(process *c) {
	char *top = SLOT(c->pid) + STACK_TOP, *low = top - STACK_SIZE;
	if ((char *)c->sp >= low)
		return (char *)c->sp - 128;
	while (low < top - migbsp_page && zero(low))
		low += migbsp_page;
	return low;
}

// migbsp_bytes returns an upper bound of the size of these parts.
uint64_t migbsp_bytes(process *c) {
	uint64_t bytes = (uint64_t)(c->top - (char *)c) + (uint64_t)(c->breakAt - c->breakFrom) + (uint64_t)(SLOT(c->pid) + STACK_TOP - stackFrom(c));
	for (int i = 0; i < migbsp_nimages; i++)
		for (int k = 0; k < migbsp_images[i].ndata; k++)
			bytes += migbsp_images[i].data[k].end - migbsp_images[i].data[k].constant;
	return bytes;
}

// migbsp_most_ranges returns the length that a list of these parts needs.
int migbsp_most_ranges(void) {
	int n = HEAP_RANGES;
	for (int i = 0; i < migbsp_nimages; i++)
		n += 2 * migbsp_images[i].ndata;
	return n;
}

// migbsp_ranges lists the parts of a process's memory that it needs elsewhere. What relocation sets and the process
// does not change is not among them.
int migbsp_ranges(process *c, migbsp_range *out, int most) {
	char *base = SLOT(c->pid), *h = (char *)c, *sp = stackFrom(c);
	int n = 0;
	for (int i = 0; i < migbsp_nimages; i++)
		for (int k = 0; k < migbsp_images[i].ndata; k++) {
			const writable *w = &migbsp_images[i].data[k];
			char *at = base + migbsp_images[i].at;
			if (w->fileEnd > w->constant)
				out[n++] = (migbsp_range){at + w->constant, w->fileEnd - w->constant};
			if (w->end > w->fileEnd)
				n = add(at + w->fileEnd, at + w->end, out, n, i == 0 ? n + HEAP_RANGES / 2 : 0);
		}
	n = add(h, c->top, out, n, most - 2);
	n = add(c->breakFrom, c->breakAt, out, n, most - 1);
	out[n++] = (migbsp_range){sp, (uint64_t)(base + STACK_TOP - sp)};
	return n;
}
