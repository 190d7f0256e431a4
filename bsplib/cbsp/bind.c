//go:build !staticrank

// Linking of images: the definitions of their symbols, found once for all processes, and relocation of
// each process's copies.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"

int migbsp_order[MOST_IMAGES];
uintptr_t migbsp_images_end, migbsp_tls_size, migbsp_tls_align;
int migbsp_executes, migbsp_throws;
__thread char migbsp_static[STATIC_TLS] __attribute__((tls_model("initial-exec"), aligned(64)));
uintptr_t migbsp_static_tls;

// ofRank finds a name among the libraries of the rank. The launcher's own functions are found first, whatever
// the version.
static void *ofRank(const char *name, const char *version) {
	static const void *launcher;
	Dl_info about;
	if (!launcher && dladdr((void *)(uintptr_t)migbsp_bind, &about))
		launcher = about.dli_fbase;
	void *at = dlsym(RTLD_DEFAULT, name);
	if (!version || (at && dladdr(at, &about) && about.dli_fbase == launcher))
		return at;
	void *other = dlvsym(RTLD_DEFAULT, name, version);
	return other ? other : at;
}

// ours are names that a library defines and the process has another definition of.
static int ours(const char *name) { return !strcmp(name, "_ZNSt8ios_base15sync_with_stdioEb"); }

static binding inImage(int number, const Elf64_Sym *s) {
	const image *m = &migbsp_images[number];
	switch (ELF64_ST_TYPE(s->st_info)) {
	case STT_TLS:
		return (binding){OF_THREAD, number, s->st_value};
	case STT_GNU_IFUNC:
		return (binding){INDIRECT, number, m->at + s->st_value};
	}
	if (s->st_shndx == SHN_ABS)
		return (binding){IN_RANK, 0, s->st_value};
	return (binding){IN_IMAGE, number, m->at + s->st_value};
}

// migbsp_find returns the definition of a name in the images from a number on, in the order in which they are needed;
// then among the functions that a process has instead of the C library's; then in the rank. Its kind is UNBOUND if there
// is none.
binding migbsp_find(int from, const char *name, const char *version) {
	uint32_t hash = migbsp_hash(name);
	for (int k = from; k < migbsp_nimages && !ours(name); k++) {
		const Elf64_Sym *s = migbsp_define(&migbsp_images[k], name, hash, version);
		if (s)
			return inImage(k, s);
	}
	uintptr_t at = (uintptr_t)migbsp_of_mpi(name);
	if (!at)
		at = migbsp_callback(name);
	if (!at)
		at = migbsp_dynamic(name);
	if (!at)
		at = (uintptr_t)migbsp_instead(name);
	if (!at)
		at = migbsp_apart(name);
	if (!at)
		at = (uintptr_t)ofRank(name, version);
	return (binding){!at ? UNBOUND : at < MIGBSP_APART ? IN_STRUCTURE : IN_RANK, 0, at};
}

// bindSymbol finds the definition of a symbol that an image refers to.
static int bindSymbol(int number, size_t i, char *text, size_t size) {
	image *m = &migbsp_images[number];
	const Elf64_Sym *s = &((Elf64_Sym *)migbsp_in_file(m, m->symbols))[i];
	const char *name = migbsp_in_file(m, m->strings) + s->st_name;
	binding *b = &m->bindings[i];
	int defined = s->st_shndx != SHN_UNDEF;
	if (defined && (m->symbolic || ELF64_ST_BIND(s->st_info) == STB_LOCAL || ELF64_ST_VISIBILITY(s->st_other) != STV_DEFAULT)) {
		*b = inImage(number, s);
		return 0;
	}
	if (number > 0 && !strcmp(name, "write")) {
		*b = (binding){IN_RANK, 0, (uintptr_t)migbsp_library_write};
		return 0;
	}
	*b = migbsp_find(0, name, migbsp_version_of(m, i));
	if (defined && (b->kind == UNBOUND || (b->kind == IN_RANK && !ours(name))))
		*b = inImage(number, s);
	if (ELF64_ST_TYPE(s->st_info) == STT_TLS && b->kind != OF_THREAD)
		*b = (binding){OF_THREAD_OF_RANK, number, i};
	if (b->kind != UNBOUND) {
		if (b->kind == IN_RANK && !strcmp(name, "__gxx_personality_v0"))
			migbsp_throws = 1; // by a C++ library of the rank
		return 0;
	}
	if (ELF64_ST_BIND(s->st_info) != STB_WEAK)
		return migbsp_wrong(text, size, "%s%sundefined symbol %s", number > 0 ? m->name : "", number > 0 ? ": " : "", name);
	b->kind = IN_RANK;
	return 0;
}

static int bindAll(int number, char *text, size_t size) {
	image *m = &migbsp_images[number];
	m->bindings = calloc(m->nsymbols, sizeof *m->bindings);
	if (!m->bindings)
		return migbsp_wrong(text, size, "no memory for its symbols");
	for (int table = 0; table < 2; table++) {
		const Elf64_Rela *r = (Elf64_Rela *)migbsp_in_file(m, table ? m->plt : m->rela);
		size_t n = table ? m->nplt : m->nrela;
		for (size_t i = 0; i < n; i++) {
			size_t symbol = ELF64_R_SYM(r[i].r_info);
			if (symbol >= m->nsymbols)
				return migbsp_wrong(text, size, "it is cut off");
			if (symbol && m->bindings[symbol].kind == UNBOUND && bindSymbol(number, symbol, text, size))
				return -1;
		}
	}
	return 0;
}

// migbsp_is_named reports whether a name is that of the image's file or its DT_SONAME.
int migbsp_is_named(const image *m, const char *name) {
	if (!strcmp(name, m->name))
		return 1;
	for (const Elf64_Dyn *d = m->dynamic; d->d_tag; d++)
		if (d->d_tag == DT_SONAME && !strcmp(name, migbsp_in_file(m, m->strings) + d->d_un.d_val))
			return 1;
	return 0;
}

// needs reports whether an image names another in its list of libraries.
static int needs(const image *m, const image *other) {
	for (const Elf64_Dyn *d = m->dynamic; d->d_tag; d++)
		if (d->d_tag == DT_NEEDED) {
			const char *needed = migbsp_in_file(m, m->strings) + d->d_un.d_val, *last = strrchr(needed, '/');
			if (migbsp_is_named(other, last ? last + 1 : needed))
				return 1;
		}
	return 0;
}

// orderFrom appends an image to the order of constructors, behind the images that it needs.
static int orderFrom(int number, int n, char *visited) {
	visited[number] = 1;
	for (int k = 1; k < migbsp_nimages; k++)
		if (!visited[k] && needs(&migbsp_images[number], &migbsp_images[k]))
			n = orderFrom(k, n, visited);
	migbsp_order[n++] = number;
	return n;
}

// eachRelocation calls a function for the relocations of an image.
static void eachRelocation(const image *m, void (*call)(const image *, const Elf64_Rela *)) {
	for (int table = 0; table < 2; table++) {
		const Elf64_Rela *r = (Elf64_Rela *)migbsp_in_file(m, table ? m->plt : m->rela);
		size_t n = table ? m->nplt : m->nrela;
		for (size_t i = 0; i < n; i++)
			call(m, &r[i]);
	}
}

// findStatic notes the image of a thread-local variable that code finds by its distance from the thread pointer.
static void findStatic(const image *m, const Elf64_Rela *r) {
	uint32_t type = ELF64_R_TYPE(r->r_info);
	if (type == REL_STATIC || type == REL_DESCRIBED) {
		size_t symbol = ELF64_R_SYM(r->r_info);
		const binding *b = &m->bindings[symbol];
		migbsp_images[symbol && b->kind == OF_THREAD ? b->image : m - migbsp_images].tlsStatic = 1;
	}
}

// placeThreadLocals gives images' thread-local variables places in a process's block, static ones first.
static int placeThreadLocals(char *text, size_t size) {
	migbsp_tls_align = 64;
	migbsp_tls_size = 0;
	for (int i = 0; i < migbsp_nimages; i++)
		eachRelocation(&migbsp_images[i], findStatic);
	for (int dynamic = 0; dynamic < 2; dynamic++) {
		for (int i = 0; i < migbsp_nimages; i++) {
			image *m = &migbsp_images[i];
			if (!m->tlsSize || m->tlsStatic == dynamic)
				continue;
			if (m->tlsAlign > migbsp_tls_align)
				migbsp_tls_align = m->tlsAlign;
			m->tlsAt = ((migbsp_tls_size + m->tlsAlign - 1) & -m->tlsAlign) + (m->tls & (m->tlsAlign - 1));
			migbsp_tls_size = m->tlsAt + m->tlsSize;
			if (m->tlsStatic && (migbsp_tls_size > STATIC_TLS || m->tlsAlign > 64))
				return migbsp_wrong(text, size, "%s: its thread-local variables take more than %d bytes: compile with -ftls-model=global-dynamic", m->name, STATIC_TLS);
		}
		if (!dynamic)
			migbsp_static_tls = migbsp_tls_size;
	}
	return 0;
}

// migbsp_bind gives all images their places in the slot and finds their symbols.
int migbsp_bind(char *text, size_t size) {
	char visited[MOST_IMAGES] = {0};
	migbsp_images_end = 0;
	for (int i = 0; i < migbsp_nimages; i++) {
		image *m = &migbsp_images[i];
		m->at = (migbsp_images_end + m->align - 1) & -m->align;
		migbsp_images_end = (m->at + m->end + migbsp_page - 1) & -migbsp_page;
	}
	if (migbsp_images_end > SLOT_SIZE - BEHIND_HEAP - (64ul << 20))
		return migbsp_wrong(text, size, "its variables and libraries take %lu MiB, more than fit", migbsp_images_end >> 20);
	int n = orderFrom(0, 0, visited);
	for (int k = 1; k < migbsp_nimages; k++)
		if (!visited[k])
			return migbsp_wrong(text, size, "%s is needed by no library", migbsp_images[k].name);
	for (int i = 0; i < n; i++)
		if (bindAll(i, text, size))
			return -1;
	return placeThreadLocals(text, size);
}

// A thread-local variable, as the code of images passes it to __tls_get_addr. The module is the process's number
// and, from MODULE_SHIFT on, the place of the image's block, in the static ones with MODULE_STATIC; or, with
// MODULE_OF_RANK, an image and a symbol.
typedef struct { uintptr_t module, offset; } variable;
#define MODULE_SHIFT 16
#define MODULE_OF_RANK (1ul << 63)
#define MODULE_STATIC (1ul << 62)
_Static_assert(MAX_PROCS <= 1 << MODULE_SHIFT, "numbers of processes fit into modules");

// ofThread are those of a thread that the process has started.
static __thread char *ofThread;

static void initialise(char *to, const char *base) {
	memset(to, 0, migbsp_tls_size);
	for (int i = 0; i < migbsp_nimages; i++) {
		const image *m = &migbsp_images[i];
		if (m->tlsFile)
			memcpy(to + m->tlsAt, base + m->at + m->tls, m->tlsFile);
	}
}

static pthread_key_t threads;

static void threadEnds(void) { pthread_key_create(&threads, free); }

static char *threadBegins(const char *base) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, threadEnds);
	if (posix_memalign((void **)&ofThread, migbsp_tls_align, migbsp_tls_size))
		abort();
	initialise(ofThread, base);
	pthread_setspecific(threads, ofThread);
	return ofThread;
}

// migbsp_tls returns the address of a thread-local variable. Variables of libraries of the rank are those of the
// thread.
void *migbsp_tls(void *of) {
	variable *v = of;
	if (__builtin_expect(v->module & MODULE_STATIC, 0))
		return migbsp_static + ((v->module ^ MODULE_STATIC) >> MODULE_SHIFT) + v->offset;
	if (__builtin_expect(v->module & MODULE_OF_RANK, 0)) {
		const image *m = &migbsp_images[v->module >> 32 & 0xffff];
		const Elf64_Sym *symbols = (Elf64_Sym *)migbsp_in_file(m, m->symbols);
		return dlsym(RTLD_DEFAULT, migbsp_in_file(m, m->strings) + symbols[(uint32_t)v->module].st_name);
	}
	int pid = (int)(v->module & ((1ul << MODULE_SHIFT) - 1));
	char *all = __builtin_expect(migbsp_running != 0, 1) ? migbsp_process(pid)->tls : ofThread ? ofThread : threadBegins(SLOT(pid));
	return all + (v->module >> MODULE_SHIFT) + v->offset;
}

// migbsp_tls_begins makes the process's thread-local variables, and reports whether there is memory for them.
int migbsp_tls_begins(process *c) {
	if (!migbsp_tls_size)
		return 1;
	c->tls = migbsp_aligned(c, migbsp_tls_align, migbsp_tls_size);
	if (c->tls)
		initialise(c->tls, SLOT(c->pid));
	return c->tls != 0;
}

// migbsp_static_begins gives a thread of a process its static thread-local variables.
void migbsp_static_begins(process *c) {
	for (int i = 0; i < migbsp_nimages; i++) {
		const image *m = &migbsp_images[i];
		if (m->tlsStatic && m->tlsFile)
			memcpy(migbsp_static + m->tlsAt, SLOT(c->pid) + m->at + m->tls, m->tlsFile);
	}
}

// fromPointer returns the distance from the thread pointer of a place in the static block.
static uint64_t fromPointer(uintptr_t at) {
	uintptr_t pointer;
#ifdef __x86_64__
	__asm__("movq %%fs:0, %0" : "=r"(pointer));
#else
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
	return (uint64_t)(uintptr_t)migbsp_static + at - pointer;
}

// migbsp_value_of returns the address that a binding means for a process.
uint64_t migbsp_value_of(const binding *b, int pid) {
	switch (b->kind) {
	case IN_RANK:
		return b->value;
	case IN_STRUCTURE:
		return b->value + (uint64_t)migbsp_process(pid);
	case IN_IMAGE:
		return b->value + (uint64_t)SLOT(pid);
	case INDIRECT:
		return ((uint64_t(*)(void))(SLOT(pid) + b->value))();
	default:
		return 0;
	}
}

static void relocatePacked(const image *m, char *base) {
	const uint64_t *r = (uint64_t *)migbsp_in_file(m, m->relr);
	uint64_t *at = 0;
	for (size_t i = 0; i < m->nrelr; i++) {
		if (!(r[i] & 1)) {
			at = (uint64_t *)(base + r[i]);
			*at++ += (uint64_t)base;
			continue;
		}
		for (int k = 0; k < 63; k++)
			if (r[i] >> (k + 1) & 1)
				at[k] += (uint64_t)base;
		at += 63;
	}
}

// relocateImage links a process's copy of an image: all of it if it is fresh, else references to the rank. References
// that a function of an image decides are made when indirect is set, the others when it is not.
static const char *relocateImage(const image *m, int pid, int fresh, int indirect) {
	static char text[256];
	char *base = SLOT(pid) + m->at;
	if (fresh && !indirect)
		relocatePacked(m, base);
	for (int table = 0; table < 2; table++) {
		const Elf64_Rela *r = (Elf64_Rela *)migbsp_in_file(m, table ? m->plt : m->rela);
		size_t n = table ? m->nplt : m->nrela;
		for (size_t i = 0; i < n; i++, r++) {
			uint64_t *at = (uint64_t *)(base + r->r_offset);
			const binding *b = &m->bindings[ELF64_R_SYM(r->r_info)];
			uint32_t type = ELF64_R_TYPE(r->r_info);
			if (indirect != (b->kind == INDIRECT || type == REL_INDIRECT))
				continue;
			const image *of = b->kind == OF_THREAD ? &migbsp_images[b->image] : m; // of a thread-local variable
			uint64_t offset = (b->kind == OF_THREAD ? b->value : 0) + (uint64_t)r->r_addend;
			switch (type) {
			case REL_NONE: // for all kinds of processors
				break;
			case REL_RELATIVE:
				if (fresh)
					*at = (uint64_t)base + (uint64_t)r->r_addend;
				break;
			case REL_GLOBAL:
			case REL_CALL:
				if (fresh || b->kind == IN_RANK || b->kind == INDIRECT)
					*at = migbsp_value_of(b, pid);
				break;
			case REL_ABSOLUTE:
				if (fresh)
					*at = migbsp_value_of(b, pid) + (uint64_t)r->r_addend;
				break;
			case REL_MODULE:
				if (b->kind == OF_THREAD_OF_RANK)
					*at = MODULE_OF_RANK | (uint64_t)b->image << 32 | b->value;
				else
					*at = (uint64_t)pid | of->tlsAt << MODULE_SHIFT | (of->tlsStatic ? MODULE_STATIC : 0);
				break;
			case REL_OFFSET:
				*at = offset;
				break;
			case REL_STATIC:
			case REL_DESCRIBED:
				if (b->kind == OF_THREAD_OF_RANK) {
					snprintf(text, sizeof text, "%s: a reference to the thread-local variable of another library: compile with -fPIC -ftls-model=global-dynamic", m->name);
					return text;
				}
				if (type == REL_DESCRIBED)
					*at++ = (uint64_t)(uintptr_t)migbsp_static_described;
				*at = fromPointer(of->tlsAt + offset);
				break;
			case REL_INDIRECT:
				*at = ((uint64_t(*)(void))(base + r->r_addend))();
				break;
			default:
				snprintf(text, sizeof text, "%s%srelocation of type %u: compile with -fPIC", m == migbsp_images ? "" : m->name, m == migbsp_images ? "" : ": ", type);
				return text;
			}
		}
	}
	return 0;
}

// migbsp_relocate links the images of a process, or if they have come from another rank, only their references to
// the rank. It returns the reason if it cannot.
const char *migbsp_relocate(int pid, int fresh) {
	for (int indirect = 0; indirect < 2; indirect++)
		for (int i = 0; i < migbsp_nimages; i++) {
			const char *unknown = relocateImage(&migbsp_images[i], pid, fresh, indirect);
			if (unknown)
				return unknown;
		}
	return 0;
}
