//go:build !staticrank

// Reading of images: headers, dynamic section, symbols and their versions.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

image migbsp_images[MOST_IMAGES];
int migbsp_nimages;

int migbsp_wrong(char *text, size_t size, const char *format, ...) {
	va_list args;
	va_start(args, format);
	vsnprintf(text, size, format, args);
	va_end(args);
	return -1;
}

static uintptr_t down(uintptr_t a) { return a & -migbsp_page; }
static uintptr_t up(uintptr_t a) { return (a + migbsp_page - 1) & -migbsp_page; }

// migbsp_in_file returns the place in the file of an address of the image, null if it is not in the file.
char *migbsp_in_file(const image *m, uintptr_t address) {
	for (int i = 0; i < m->nsegments; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		if (p->p_type == PT_LOAD && address - p->p_vaddr < p->p_filesz && p->p_offset + p->p_filesz <= m->size)
			return m->file + p->p_offset + (address - p->p_vaddr);
	}
	return 0;
}

static int readSegments(image *m, char *text, size_t size) {
	uintptr_t constantEnd = 0;
	m->align = migbsp_page;
	for (int i = 0; i < m->nsegments; i++) {
		const Elf64_Phdr *p = &m->segments[i];
		uintptr_t end = p->p_vaddr + p->p_memsz;
		switch (p->p_type) {
		case PT_LOAD:
			if (p->p_offset + p->p_filesz > m->size)
				return migbsp_wrong(text, size, "it is cut off");
			if (end > m->end)
				m->end = end;
			if (p->p_align > m->align && p->p_align <= 2ul << 20)
				m->align = p->p_align;
			if (p->p_flags & PF_W) {
				if (m->ndata == MOST_WRITABLE)
					return migbsp_wrong(text, size, "it has more than %d writable segments", MOST_WRITABLE);
				uintptr_t from = down(p->p_vaddr);
				m->data[m->ndata++] = (writable){from, from, up(p->p_vaddr + p->p_filesz), up(end)};
			}
			break;
		case PT_DYNAMIC:
			if (p->p_offset + p->p_filesz <= m->size)
				m->dynamic = (Elf64_Dyn *)(m->file + p->p_offset);
			break;
		case PT_GNU_RELRO:
			constantEnd = down(end);
			break;
		case PT_GNU_EH_FRAME:
			m->unwind = p->p_vaddr;
			m->unwindSize = p->p_memsz;
			break;
		case PT_TLS:
			m->tls = p->p_vaddr;
			m->tlsFile = p->p_filesz;
			m->tlsSize = p->p_memsz;
			m->tlsAlign = p->p_align ? p->p_align : 1;
			break;
		}
	}
	for (int i = 0; i < m->ndata; i++) {
		writable *w = &m->data[i];
		if (constantEnd > w->from)
			w->constant = constantEnd < w->fileEnd ? constantEnd : w->fileEnd;
	}
	if (!m->dynamic)
		return migbsp_wrong(text, size, "it is linked statically");
	return 0;
}

static void readDynamic(image *m) {
	for (const Elf64_Dyn *d = m->dynamic; d->d_tag; d++) {
		uintptr_t v = d->d_un.d_val;
		switch (d->d_tag) {
		case DT_SYMTAB: m->symbols = v; break;
		case DT_STRTAB: m->strings = v; break;
		case DT_HASH: m->hash = v; break;
		case DT_GNU_HASH: m->gnuHash = v; break;
		case DT_VERSYM: m->versions = v; break;
		case DT_RELA: m->rela = v; break;
		case DT_RELASZ: m->nrela = v / sizeof(Elf64_Rela); break;
		case DT_RELR: m->relr = v; break;
		case DT_RELRSZ: m->nrelr = v / sizeof(uint64_t); break;
		case DT_JMPREL: m->plt = v; break;
		case DT_PLTRELSZ: m->nplt = v / sizeof(Elf64_Rela); break;
		case DT_INIT: m->init = v; break;
		case DT_INIT_ARRAY: m->inits = v; break;
		case DT_INIT_ARRAYSZ: m->ninit = v / 8; break;
		case DT_FINI: m->fini = v; break;
		case DT_FINI_ARRAY: m->finis = v; break;
		case DT_FINI_ARRAYSZ: m->nfini = v / 8; break;
		case DT_SYMBOLIC: m->symbolic = 1; break;
		case DT_FLAGS: m->symbolic |= (v & DF_SYMBOLIC) != 0; break;
		}
	}
}

// countSymbols sets the length of the table of symbols, which the file states by its sections or hash tables.
static void countSymbols(image *m) {
	const Elf64_Ehdr *e = (Elf64_Ehdr *)m->file;
	const Elf64_Shdr *sections = (Elf64_Shdr *)(m->file + e->e_shoff);
	for (int i = 0; e->e_shoff && e->e_shoff + e->e_shnum * sizeof *sections <= m->size && i < e->e_shnum; i++)
		if (sections[i].sh_type == SHT_DYNSYM)
			m->nsymbols = sections[i].sh_size / sizeof(Elf64_Sym);
	if (m->nsymbols)
		return;
	if (m->hash) {
		m->nsymbols = ((uint32_t *)migbsp_in_file(m, m->hash))[1];
	} else if (m->gnuHash) {
		const uint32_t *h = (uint32_t *)migbsp_in_file(m, m->gnuHash), *buckets = h + 4 + 2 * h[2], *chain = buckets + h[0];
		uint32_t last = 0;
		for (uint32_t i = 0; i < h[0]; i++)
			if (buckets[i] > last)
				last = buckets[i];
		while (last >= h[1] && !(chain[last - h[1]] & 1))
			last++;
		m->nsymbols = last + 1;
	}
}

static void nameVersion(image *m, size_t number, const char *name) {
	if (number >= m->nversions) {
		size_t n = number + 16;
		m->versionNames = realloc(m->versionNames, n * sizeof *m->versionNames);
		memset(m->versionNames + m->nversions, 0, (n - m->nversions) * sizeof *m->versionNames);
		m->nversions = n;
	}
	m->versionNames[number] = name;
}

static void readVersions(image *m) {
	const char *strings = migbsp_in_file(m, m->strings), *needed = 0, *defined = 0;
	uint64_t nneeded = 0, ndefined = 0;
	for (const Elf64_Dyn *d = m->dynamic; d->d_tag; d++)
		switch (d->d_tag) {
		case DT_VERNEED: needed = migbsp_in_file(m, d->d_un.d_val); break;
		case DT_VERNEEDNUM: nneeded = d->d_un.d_val; break;
		case DT_VERDEF: defined = migbsp_in_file(m, d->d_un.d_val); break;
		case DT_VERDEFNUM: ndefined = d->d_un.d_val; break;
		}
	for (; needed && nneeded > 0; nneeded--) {
		const Elf64_Verneed *v = (const Elf64_Verneed *)needed;
		const char *p = needed + v->vn_aux;
		for (int i = 0; i < v->vn_cnt; i++) {
			const Elf64_Vernaux *a = (const Elf64_Vernaux *)p;
			nameVersion(m, a->vna_other & 0x7fff, strings + a->vna_name);
			p += a->vna_next;
		}
		needed += v->vn_next;
	}
	for (; defined && ndefined > 0; ndefined--) {
		const Elf64_Verdef *v = (const Elf64_Verdef *)defined;
		if (!(v->vd_flags & VER_FLG_BASE))
			nameVersion(m, v->vd_ndx & 0x7fff, strings + ((const Elf64_Verdaux *)(defined + v->vd_aux))->vda_name);
		defined += v->vd_next;
	}
}

// migbsp_version_of returns the version of a symbol, null if it has none.
const char *migbsp_version_of(const image *m, size_t symbol) {
	if (!m->versions)
		return 0;
	size_t number = ((const Elf64_Half *)migbsp_in_file(m, m->versions))[symbol] & 0x7fff;
	return number < m->nversions ? m->versionNames[number] : 0;
}

// migbsp_read_image reads the image at an offset of a file.
int migbsp_read_image(image *m, const char *path, off_t offset, char *text, size_t size) {
	m->path = strdup(path);
	m->name = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	if (m->fd < 0 || fstat(m->fd, &about))
		return migbsp_wrong(text, size, "%s", strerror(errno));
	m->offset = offset;
	if (about.st_size - offset < (int64_t)sizeof(Elf64_Ehdr))
		return migbsp_wrong(text, size, "it is too short for an object");
	m->size = (size_t)(about.st_size - offset);
	m->file = mmap(0, m->size, PROT_READ, MAP_PRIVATE, m->fd, offset);
	if (m->file == MAP_FAILED)
		return migbsp_wrong(text, size, "%s", strerror(errno));
	const Elf64_Ehdr *e = (Elf64_Ehdr *)m->file;
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64)
		return migbsp_wrong(text, size, "it is no object of 64 bits");
	if (e->e_machine != MACHINE)
		return migbsp_wrong(text, size, "it is for another architecture (ELF machine %d)", e->e_machine);
	if (e->e_type != ET_DYN)
		return migbsp_wrong(text, size, "it is no shared object: link with -shared");
	if (e->e_phoff + e->e_phnum * sizeof(Elf64_Phdr) > m->size || e->e_shoff + e->e_shnum * sizeof(Elf64_Shdr) > m->size)
		return migbsp_wrong(text, size, "it is cut off");
	m->segments = (Elf64_Phdr *)(m->file + e->e_phoff);
	m->nsegments = e->e_phnum;
	if (readSegments(m, text, size))
		return -1;
	readDynamic(m);
	if (!migbsp_in_file(m, m->symbols) || !migbsp_in_file(m, m->strings))
		return migbsp_wrong(text, size, "it has no table of symbols");
	countSymbols(m);
	if (!m->nsymbols)
		return migbsp_wrong(text, size, "it has no table of symbols");
	readVersions(m);
	return 0;
}

// migbsp_hash returns the hash of a name in tables of type DT_GNU_HASH.
uint32_t migbsp_hash(const char *name) {
	uint32_t h = 5381;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		h = h * 33 + *p;
	return h;
}

static uint32_t oldHash(const char *name) {
	uint32_t h = 0;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
		h = (h << 4) + *p;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	return h;
}

// defines reports whether a symbol defines a name, in a version if one is wanted and else in the default one.
static int defines(const image *m, const Elf64_Sym *symbols, size_t i, const char *name, const char *version) {
	const Elf64_Sym *s = &symbols[i];
	int bind = ELF64_ST_BIND(s->st_info), sight = ELF64_ST_VISIBILITY(s->st_other);
	if (s->st_shndx == SHN_UNDEF || (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE) || sight == STV_HIDDEN || sight == STV_INTERNAL)
		return 0;
	if (strcmp(name, migbsp_in_file(m, m->strings) + s->st_name))
		return 0;
	if (!m->versions)
		return 1;
	Elf64_Half number = ((const Elf64_Half *)migbsp_in_file(m, m->versions))[i];
	if (!version)
		return !(number & 0x8000) && number > 0;
	const char *its = migbsp_version_of(m, i);
	return its ? !strcmp(its, version) : number == 1;
}

// migbsp_define returns the image's definition of a name, null if it has none.
const Elf64_Sym *migbsp_define(const image *m, const char *name, uint32_t hash, const char *version) {
	const Elf64_Sym *symbols = (Elf64_Sym *)migbsp_in_file(m, m->symbols);
	if (m->gnuHash) {
		const uint32_t *h = (uint32_t *)migbsp_in_file(m, m->gnuHash), *buckets = h + 4 + 2 * h[2], *chain = buckets + h[0];
		const uint64_t *bloom = (const uint64_t *)(h + 4), word = bloom[hash / 64 & (h[2] - 1)];
		if (!(word >> hash % 64 & word >> (hash >> h[3]) % 64 & 1))
			return 0;
		for (uint32_t i = buckets[hash % h[0]]; i >= h[1]; i++) {
			uint32_t c = chain[i - h[1]];
			if ((c | 1) == (hash | 1) && defines(m, symbols, i, name, version))
				return &symbols[i];
			if (c & 1)
				break;
		}
	} else if (m->hash) {
		const uint32_t *h = (uint32_t *)migbsp_in_file(m, m->hash), *chain = h + 2 + h[0];
		for (uint32_t i = h[2 + oldHash(name) % h[0]]; i; i = chain[i])
			if (defines(m, symbols, i, name, version))
				return &symbols[i];
	}
	return 0;
}

// migbsp_image_at returns the image that has an offset of a slot, null if none has.
image *migbsp_image_at(uintptr_t offset) {
	for (int i = 0; i < migbsp_nimages; i++)
		if (offset - migbsp_images[i].at < migbsp_images[i].end)
			return &migbsp_images[i];
	return 0;
}
