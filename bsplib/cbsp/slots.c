//go:build !staticrank

// Where processes lie: the object is mapped into a slot for each, its data private, and linked
// there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIGBSP_INSIDE
#include "process.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#define REL_RELATIVE R_X86_64_RELATIVE
#define REL_GLOBAL R_X86_64_GLOB_DAT
#define REL_CALL R_X86_64_JUMP_SLOT
#define REL_ABSOLUTE R_X86_64_64
#define REL_MODULE R_X86_64_DTPMOD64
#define REL_OFFSET R_X86_64_DTPOFF64
#define REL_INDIRECT R_X86_64_IRELATIVE
#define TLS_OPTION "-ftls-model=global-dynamic"
#else
#define MACHINE EM_AARCH64
#define REL_RELATIVE R_AARCH64_RELATIVE
#define REL_GLOBAL R_AARCH64_GLOB_DAT
#define REL_CALL R_AARCH64_JUMP_SLOT
#define REL_ABSOLUTE R_AARCH64_ABS64
#define REL_MODULE R_AARCH64_TLS_DTPMOD
#define REL_OFFSET R_AARCH64_TLS_DTPREL
#define REL_INDIRECT R_AARCH64_IRELATIVE
#define TLS_OPTION "-mtls-dialect=trad" // a descriptor says where a variable is in one thread
#endif

_Static_assert(sizeof(process) - offsetof(process, sp) == 8 * INSIDE, "Go sees another size");
_Static_assert(sizeof(process) < MIGBSP_APART, "what is less is no address");

int migbsp_reserved;
uint64_t migbsp_heap;
size_t migbsp_page;
int migbsp_executes;
int migbsp_throws;

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

// The library that objects are linked with for this program, which has its functions.
#define STUB "libmigbsp-stub."

// What a program that has started itself anew has said: libraries of the object, which are to be
// where they are on all ranks.
static __attribute__((constructor)) void loadFirst(void) {
	const char *names = getenv("_BSP_LIBRARIES");
	char name[1024];
	for (size_t n; names && *names; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		if (n < sizeof name) {
			memcpy(name, names, n);
			name[n] = 0;
			dlopen(name, RTLD_NOW | RTLD_GLOBAL); // migbsp_open says what is wrong
		}
	}
}

// The object, as all processes of this rank have it.
static struct {
	int fd;
	off_t offset;
	char origin[4096]; // its directory
	char *file; // mapped
	size_t size;
	Elf64_Phdr *segments;
	int nsegments;
	Elf64_Dyn *dynamic; // where it is in a process, from the slot's beginning
	uintptr_t dataFrom, dataTo, fileTo; // writable part, and up to where it is from the file
	uintptr_t end;      // of the image
	uintptr_t entry;    // main
	uintptr_t unwind;   // table of frames
	int stackAccess;    // functions within functions are called by code on the stack
	uintptr_t tls, tlsFile, tlsSize, tlsAlign;
	uintptr_t init, ninit, fini, nfini;
	uintptr_t rela, nrela, plt, nplt, symbols, strings;
	size_t nsymbols;
	uint64_t *bound; // what undefined symbols are, by number
} object;

static int wrong(char *text, size_t size, const char *format, ...) {
	va_list args;
	va_start(args, format);
	vsnprintf(text, size, format, args);
	va_end(args);
	return -1;
}

static uintptr_t down(uintptr_t a) { return a & -migbsp_page; }
static uintptr_t up(uintptr_t a) { return (a + migbsp_page - 1) & -migbsp_page; }

// inFile is where an address of the image is in the file.
static char *inFile(uintptr_t address) {
	for (int i = 0; i < object.nsegments; i++) {
		Elf64_Phdr *p = &object.segments[i];
		if (p->p_type == PT_LOAD && address >= p->p_vaddr && address < p->p_vaddr + p->p_filesz)
			return object.file + p->p_offset + (address - p->p_vaddr);
	}
	return 0;
}

// library opens a library: in the directories that the object names, where $ORIGIN is its own, or
// else where the system looks.
static void *library(const char *name, const char *path) {
	char full[8192];
	while (!strchr(name, '/') && path && *path) {
		size_t length = strcspn(path, ":"), mark = strncmp(path, "$ORIGIN", 7) ? 0 : 7;
		snprintf(full, sizeof full, "%s%.*s/%s", mark ? object.origin : "", (int)(length - mark), path + mark, name);
		if (access(full, R_OK) == 0)
			return dlopen(full, RTLD_NOW | RTLD_GLOBAL);
		path += length + (path[length] == ':');
	}
	return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

// load opens the libraries that the object needs, so that nothing of theirs is made while a
// process runs.
static int load(char *text, size_t size) {
	const char *path = 0;
	for (Elf64_Dyn *d = object.dynamic; d->d_tag; d++)
		if (d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH)
			path = inFile(object.strings) + d->d_un.d_val;
	for (Elf64_Dyn *d = object.dynamic; d->d_tag; d++)
		if (d->d_tag == DT_NEEDED) {
			const char *name = inFile(object.strings) + d->d_un.d_val;
			if (strncmp(name, STUB, sizeof STUB - 1) && !library(name, path))
				return wrong(text, size, "%s", dlerror());
		}
	return 0;
}

// bind finds what the object's undefined symbols are.
static int bind(char *text, size_t size) {
	Elf64_Ehdr *e = (Elf64_Ehdr *)object.file;
	Elf64_Shdr *sections = (Elf64_Shdr *)(object.file + e->e_shoff);
	size_t n = 0;
	for (int i = 0; i < e->e_shnum; i++)
		if (sections[i].sh_type == SHT_DYNSYM)
			n = sections[i].sh_size / sizeof(Elf64_Sym);
	if (!n)
		return wrong(text, size, "it has no table of symbols");
	Elf64_Sym *symbols = (Elf64_Sym *)inFile(object.symbols);
	const char *strings = inFile(object.strings);
	object.nsymbols = n;
	object.bound = calloc(n, sizeof *object.bound);
	for (size_t i = 1; i < n; i++) {
		const char *name = strings + symbols[i].st_name;
		if (symbols[i].st_shndx != SHN_UNDEF) {
			if (!strcmp(name, "migbsp_entry") || (!strcmp(name, "main") && !object.entry))
				object.entry = symbols[i].st_value;
			continue;
		}
		if (!strcmp(name, "lpf_exec"))
			migbsp_executes = 1;
		if (!strcmp(name, "mcbsp_direct_get"))
			migbsp_directs = 1;
		if (!strcmp(name, "__gxx_personality_v0"))
			migbsp_throws = 1;
		void *at = migbsp_instead(name);
		if (!at)
			at = (void *)migbsp_apart(name);
		if (!at)
			at = dlsym(RTLD_DEFAULT, name);
		if (!at && ELF64_ST_BIND(symbols[i].st_info) != STB_WEAK)
			return wrong(text, size, "undefined symbol %s", name);
		object.bound[i] = (uint64_t)at;
	}
	if (!object.entry)
		return wrong(text, size, "it has no main");
	return 0;
}

int migbsp_open(const char *path, int64_t offset, char *text, size_t size) {
	if (!migbsp_reserved)
		return wrong(text, size, "the addresses of processes cannot be reserved (a limit on address space, or other memory is there); linked by  bspcc -static-rank  it needs none, with one process on each rank");
	object.fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	if (object.fd < 0 || fstat(object.fd, &about))
		return wrong(text, size, "%s", strerror(errno));
	object.offset = offset;
	snprintf(object.origin, sizeof object.origin, "%.*s", strrchr(path, '/') ? (int)(strrchr(path, '/') - path) : 1, strrchr(path, '/') ? path : ".");
	object.size = (size_t)(about.st_size - offset);
	if (about.st_size - offset < (int64_t)sizeof(Elf64_Ehdr))
		return wrong(text, size, "it is too short for an object");
	object.file = mmap(0, object.size, PROT_READ, MAP_PRIVATE, object.fd, offset);
	if (object.file == MAP_FAILED)
		return wrong(text, size, "%s", strerror(errno));
	Elf64_Ehdr *e = (Elf64_Ehdr *)object.file;
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64)
		return wrong(text, size, "it is no object of 64 bits");
	if (e->e_machine != MACHINE)
		return wrong(text, size, "it is for another architecture (ELF machine %d)", e->e_machine);
	if (e->e_type != ET_DYN)
		return wrong(text, size, "it is no shared object: link with -shared");
	if (e->e_phoff + e->e_phnum * sizeof(Elf64_Phdr) > object.size || e->e_shoff + e->e_shnum * sizeof(Elf64_Shdr) > object.size || !e->e_shoff)
		return wrong(text, size, "it is cut off");
	object.stackAccess = PROT_READ | PROT_WRITE;
	object.segments = (Elf64_Phdr *)(object.file + e->e_phoff);
	object.nsegments = e->e_phnum;
	for (int i = 0; i < object.nsegments; i++) {
		Elf64_Phdr *p = &object.segments[i];
		uintptr_t end = p->p_vaddr + p->p_memsz;
		switch (p->p_type) {
		case PT_LOAD:
			if (end > object.end)
				object.end = end;
			if (p->p_flags & PF_W) {
				if (object.dataTo)
					return wrong(text, size, "it has several writable segments");
				object.dataFrom = down(p->p_vaddr);
				object.dataTo = up(end);
				object.fileTo = up(p->p_vaddr + p->p_filesz);
			}
			break;
		case PT_DYNAMIC:
			object.dynamic = (Elf64_Dyn *)(object.file + p->p_offset);
			break;
		case PT_GNU_STACK:
			object.stackAccess = PROT_READ | PROT_WRITE | (p->p_flags & PF_X ? PROT_EXEC : 0);
			break;
		case PT_GNU_EH_FRAME:
			object.unwind = p->p_vaddr;
			break;
		case PT_TLS:
			object.tls = p->p_vaddr;
			object.tlsFile = p->p_filesz;
			object.tlsSize = p->p_memsz;
			object.tlsAlign = p->p_align;
			break;
		}
	}
	if (!object.dynamic)
		return wrong(text, size, "it is linked statically");
	if (object.end > SLOT_SIZE - BEHIND_HEAP - (64ul << 20))
		return wrong(text, size, "its variables take %lu MiB, more than fit", object.end >> 20);
	for (Elf64_Dyn *d = object.dynamic; d->d_tag; d++) {
		uintptr_t v = d->d_un.d_val;
		switch (d->d_tag) {
		case DT_SYMTAB: object.symbols = v; break;
		case DT_STRTAB: object.strings = v; break;
		case DT_RELA: object.rela = v; break;
		case DT_RELASZ: object.nrela = v / sizeof(Elf64_Rela); break;
		case DT_JMPREL: object.plt = v; break;
		case DT_PLTRELSZ: object.nplt = v / sizeof(Elf64_Rela); break;
		case DT_INIT_ARRAY: object.init = v; break;
		case DT_INIT_ARRAYSZ: object.ninit = v / 8; break;
		case DT_FINI_ARRAY: object.fini = v; break;
		case DT_FINI_ARRAYSZ: object.nfini = v / 8; break;
		}
	}
	if (load(text, size) || bind(text, size))
		return -1;
	return 0;
}

// migbsp_reads reports whether the object may read the standard input.
int migbsp_reads(void) {
	static const char *const names[] = {"stdin", "scanf", "__isoc99_scanf", "__isoc23_scanf", "vscanf", "getchar", "gets", "read", "__read_chk", "getchar_unlocked", "wscanf", "getwchar", "_ZSt3cin", "_gfortran_st_read"};
	Elf64_Sym *symbols = (Elf64_Sym *)inFile(object.symbols);
	for (size_t i = 1; i < object.nsymbols; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (symbols[i].st_shndx == SHN_UNDEF && !strcmp(inFile(object.strings) + symbols[i].st_name, names[k]))
				return 1;
	return 0;
}

// migbsp_is_code reports whether an address is in the process's code.
int migbsp_is_code(process *c, uintptr_t at) {
	at -= (uintptr_t)SLOT(c->pid);
	for (int i = 0; i < object.nsegments; i++) {
		const Elf64_Phdr *p = &object.segments[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && at - p->p_vaddr < p->p_memsz)
			return 1;
	}
	return 0;
}

#define LARGE_PAGE (2ul << 20)

// beforeHeap is how far from its beginning a slot's heap begins.
static uint64_t beforeHeap(void) { return (object.end + LARGE_PAGE) & -LARGE_PAGE; }

process *migbsp_process(int pid) { return (process *)(SLOT(pid) + beforeHeap()); }

// migbsp_sizes makes slots of such a size that a heap can have so many bytes, 0 for those that it has
// in the smallest ones. The result is how many it can have, if that is less.
uint64_t migbsp_sizes(uint64_t heap, int procs) {
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

process *migbsp_map(int pid, char *text, size_t size) {
	char *base = SLOT(pid);
	for (int i = 0; i < object.nsegments; i++) {
		Elf64_Phdr *p = &object.segments[i];
		if (p->p_type != PT_LOAD)
			continue;
		uintptr_t from = down(p->p_vaddr), file = up(p->p_vaddr + p->p_filesz), to = up(p->p_vaddr + p->p_memsz);
		int access = PROT_READ | (p->p_flags & PF_W ? PROT_WRITE : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0);
		if (p->p_filesz && mmap(base + from, file - from, access, MAP_PRIVATE | MAP_FIXED, object.fd, object.offset + (off_t)down(p->p_offset)) == MAP_FAILED)
			goto failed;
		if (!p->p_filesz)
			file = from;
		if (p->p_flags & PF_W)
			memset(base + p->p_vaddr + p->p_filesz, 0, file - (p->p_vaddr + p->p_filesz));
		if (to > file && mmap(base + file, to - file, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
			goto failed;
	}
	char *h = base + beforeHeap(), *stack = base + STACK_TOP - STACK_SIZE;
	if (mmap(h, migbsp_heap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED ||
		mmap(stack, STACK_SIZE, object.stackAccess, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		goto failed;
	madvise(stack, STACK_SIZE, MADV_NOHUGEPAGE);
	return (process *)h;
failed:
	wrong(text, size, "memory of process %d: %s%s", pid, strerror(errno), errno == ENOMEM ? ": with a shorter heap it may fit (-heap)" : "");
	migbsp_unmap(pid); // a limit counts what is mapped, though there may be more of it
	return 0;
}

typedef struct { uintptr_t pid, offset; } variable;

// ofThread are those of a thread that the process has started.
static __thread char *ofThread;
static pthread_key_t threads;

static void threadEnds(void) { pthread_key_create(&threads, free); }

static char *threadBegins(const char *base) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, threadEnds);
	if (posix_memalign((void **)&ofThread, object.tlsAlign < 64 ? 64 : object.tlsAlign, object.tlsSize))
		abort();
	memcpy(ofThread, base + object.tls, object.tlsFile);
	memset(ofThread + object.tlsFile, 0, object.tlsSize - object.tlsFile);
	pthread_setspecific(threads, ofThread);
	return ofThread;
}

// migbsp_tls is where a thread-local variable of a process is. Beyond the numbers of processes are those of symbols: of
// libraries' variables, which are those of the thread.
void *migbsp_tls(void *of) {
	variable *v = of;
	if (__builtin_expect(v->pid >= MAX_PROCS, 0)) {
		Elf64_Sym *symbols = (Elf64_Sym *)inFile(object.symbols);
		return dlsym(RTLD_DEFAULT, inFile(object.strings) + symbols[v->pid - MAX_PROCS].st_name);
	}
	if (__builtin_expect(migbsp_running != 0, 1))
		return (char *)migbsp_process((int)v->pid)->tls + v->offset;
	return (ofThread ? ofThread : threadBegins(SLOT(v->pid))) + v->offset;
}

// relocate links the image of a process, or if it has come from another rank, only what is of
// this rank.
static const char *relocate(int pid, int fresh) {
	char *base = SLOT(pid);
	static char text[128];
	Elf64_Sym *symbols = (Elf64_Sym *)(base + object.symbols);
	for (int table = 0; table < 2; table++) {
		Elf64_Rela *r = (Elf64_Rela *)(base + (table ? object.plt : object.rela));
		size_t n = table ? object.nplt : object.nrela;
		for (size_t i = 0; i < n; i++, r++) {
			uint64_t *at = (uint64_t *)(base + r->r_offset);
			size_t number = ELF64_R_SYM(r->r_info);
			int outside = number && symbols[number].st_shndx == SHN_UNDEF;
			uint64_t value = outside ? object.bound[number] : (uint64_t)base + symbols[number].st_value;
			if (outside && value && value < MIGBSP_APART)
				value += (uint64_t)migbsp_process(pid);
			if (!fresh && !outside)
				continue;
			switch (ELF64_R_TYPE(r->r_info)) {
			case R_X86_64_NONE: // for all kinds of processors
				break;
			case REL_RELATIVE:
				*at = (uint64_t)base + (uint64_t)r->r_addend;
				break;
			case REL_GLOBAL:
			case REL_CALL:
				*at = value;
				break;
			case REL_ABSOLUTE:
				if (fresh)
					*at = value + (uint64_t)r->r_addend;
				break;
			case REL_MODULE:
				*at = outside ? MAX_PROCS + number : (uint64_t)pid;
				break;
			case REL_OFFSET:
				*at = symbols[number].st_value + (uint64_t)r->r_addend;
				break;
			case REL_INDIRECT:
				*at = ((uint64_t(*)(void))(base + r->r_addend))();
				break;
			default:
				snprintf(text, sizeof text, "relocation of type %lu: compile with -fPIC, and " TLS_OPTION, ELF64_R_TYPE(r->r_info));
				return text;
			}
		}
	}
	return 0;
}

void migbsp_rebind(process *c) { relocate(c->pid, 0); }

// migbsp_start makes a process that begins on this rank.
process *migbsp_start(int pid, int argc, char **argv, char *text, size_t size) {
	process *c = migbsp_map(pid, text, size);
	if (!c)
		return 0;
	const char *unknown = relocate(pid, 1);
	if (unknown) {
		wrong(text, size, "%s", unknown);
		return 0;
	}
	c->pid = pid;
	migbsp_arena(c, (char *)c + ((sizeof *c + 63) & ~63ul));
	c->main = (int (*)(int, char **, char **))(SLOT(pid) + object.entry);
	c->argc = argc;
	size_t words = 0, list = sizeof(char *) * (size_t)(argc + 1);
	for (int i = 0; i < argc; i++)
		words += strlen(argv[i]) + 1;
	c->argv = migbsp_zeroed(c, list + words);
	if (object.tlsSize)
		c->tls = migbsp_aligned(c, object.tlsAlign < 64 ? 64 : object.tlsAlign, object.tlsSize);
	if (!c->argv || (object.tlsSize && !c->tls)) {
		wrong(text, size, "its arguments and thread-local variables, %lu bytes, do not fit into a heap of %lu MiB (-heap)", list + words + object.tlsSize, migbsp_heap >> 20);
		return 0;
	}
	migbsp_parts(c);
	char *word = (char *)c->argv + list;
	for (int i = 0; i < argc; i++) {
		c->argv[i] = word;
		word = stpcpy(word, argv[i]) + 1;
	}
	if (object.tlsSize) {
		memcpy(c->tls, SLOT(pid) + object.tls, object.tlsFile);
		memset((char *)c->tls + object.tlsFile, 0, object.tlsSize - object.tlsFile);
	}
	uint64_t *sp = (uint64_t *)(SLOT(pid) + STACK_TOP - 64);
#ifdef __x86_64__
	*--sp = 0; // who has called the entry
	*--sp = (uint64_t)(uintptr_t)migbsp_entry;
	sp -= 7;
	((uint32_t *)sp)[0] = 0x1f80; // the control words of the floating-point units
	((uint32_t *)sp)[1] = 0x037f;
#else
	sp -= 22;
	sp[11] = (uint64_t)(uintptr_t)migbsp_entry;
#endif
	c->sp = sp;
	return c;
}

// migbsp_first runs the object's constructors, on the process's own stack.
void migbsp_first(void) {
	process *c = migbsp_now();
	char *base = SLOT(c->pid);
	for (uintptr_t i = 0; i < object.ninit; i++) {
		uintptr_t at = ((uintptr_t *)(base + object.init))[i];
		if (at && at != (uintptr_t)-1)
			((void (*)(int, char **, char **))at)(c->argc, c->argv, c->environ);
	}
}

// migbsp_last runs its destructors.
void migbsp_last(void) {
	process *c = migbsp_now();
	char *base = SLOT(c->pid);
	for (uintptr_t i = object.nfini; i > 0; i--) {
		uintptr_t at = ((uintptr_t *)(base + object.fini))[i - 1];
		if (at && at != (uintptr_t)-1)
			((void (*)(void))at)();
	}
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// Whoever unwinds a stack asks for the code at an address: also for that of processes.
__attribute__((visibility("default"))) int _dl_find_object(void *at, struct dl_find_object *found) {
	static int (*next)(void *, struct dl_find_object *);
	if (IN_SLOTS(at) && object.unwind) {
		char *base = SLOT(((uintptr_t)at - SLOT_BASE) / migbsp_slot);
		memset(found, 0, sizeof *found);
		found->dlfo_map_start = base;
		found->dlfo_map_end = base + object.end;
		found->dlfo_eh_frame = base + object.unwind;
		return 0;
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "_dl_find_object");
	return next ? next(at, found) : -1;
}
#endif

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

// migbsp_bytes is how much they have at most.
uint64_t migbsp_bytes(process *c) {
	return object.dataTo - object.dataFrom + (uint64_t)(c->top - (char *)c) + (uint64_t)(SLOT(c->pid) + STACK_TOP - (char *)c->sp);
}

// migbsp_ranges lists the parts of a process's memory that it needs elsewhere.
int migbsp_ranges(process *c, migbsp_range *out, int most) {
	char *base = SLOT(c->pid), *h = (char *)c, *sp = (char *)c->sp - 128;
	int n = 0;
	if (object.fileTo > object.dataFrom)
		out[n++] = (migbsp_range){base + object.dataFrom, object.fileTo - object.dataFrom};
	if (object.dataTo > object.fileTo)
		n = add(base + object.fileTo, base + object.dataTo, out, n, most - 3);
	n = add(h, c->top, out, n, most - 1);
	out[n++] = (migbsp_range){sp, (uint64_t)(base + STACK_TOP - sp)};
	return n;
}
