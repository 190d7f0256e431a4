// Images: ELF shared objects of which each process has its own copy in its slot. Image 0 is the
// program; the others are libraries that it needs.
#ifndef MIGBSP_IMAGE_H
#define MIGBSP_IMAGE_H

#include <elf.h>
#include <stdint.h>
#include <sys/types.h>

#include "inside.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#define REL_NONE R_X86_64_NONE
#define REL_RELATIVE R_X86_64_RELATIVE
#define REL_GLOBAL R_X86_64_GLOB_DAT
#define REL_CALL R_X86_64_JUMP_SLOT
#define REL_ABSOLUTE R_X86_64_64
#define REL_MODULE R_X86_64_DTPMOD64
#define REL_OFFSET R_X86_64_DTPOFF64
#define REL_INDIRECT R_X86_64_IRELATIVE
#define REL_STATIC R_X86_64_TPOFF64
#define REL_DESCRIBED R_X86_64_TLSDESC
#else
#define MACHINE EM_AARCH64
#define REL_NONE R_AARCH64_NONE
#define REL_RELATIVE R_AARCH64_RELATIVE
#define REL_GLOBAL R_AARCH64_GLOB_DAT
#define REL_CALL R_AARCH64_JUMP_SLOT
#define REL_ABSOLUTE R_AARCH64_ABS64
#define REL_MODULE R_AARCH64_TLS_DTPMOD
#define REL_OFFSET R_AARCH64_TLS_DTPREL
#define REL_INDIRECT R_AARCH64_IRELATIVE
#define REL_STATIC R_AARCH64_TLS_TPREL
#define REL_DESCRIBED R_AARCH64_TLSDESC
#endif

// A binding is the definition of a symbol that an image refers to.
typedef struct {
	enum {
		UNBOUND,
		IN_RANK,      // value: an address, 0 for a weak symbol without a definition
		IN_STRUCTURE, // value: offset in the process structure
		IN_IMAGE,     // value: offset in the slot
		INDIRECT,     // value: offset in the slot of the function that returns the address
		OF_THREAD,    // value: offset in the thread-local block of image
		OF_THREAD_OF_RANK, // a variable of a library of the rank, found by the name of symbol value
	} kind;
	int image;
	uint64_t value;
} binding;

// Writable is a writable segment, by offsets in the slot. The part up to constant does not change after
// relocation.
typedef struct {
	uintptr_t from, constant, fileEnd, end;
} writable;

enum { MOST_WRITABLE = 4 };

typedef struct {
	const char *path, *name; // name: the last part of the path
	int fd;
	off_t offset; // of the image in the file
	char *file;   // the image in the file, mapped
	size_t size;
	uintptr_t at; // offset in the slot of address 0 of the image; the other addresses are the image's
	uintptr_t end, align;
	Elf64_Phdr *segments;
	int nsegments;
	Elf64_Dyn *dynamic;
	writable data[MOST_WRITABLE];
	int ndata;
	uintptr_t unwind, unwindSize; // table of frames
	uintptr_t tls, tlsFile, tlsSize, tlsAlign;
	uintptr_t tlsAt; // offset in the process's thread-local block
	int tlsStatic;   // its code refers to thread-local variables by their distance from the thread pointer
	uintptr_t init, inits, ninit, fini, finis, nfini;
	uintptr_t rela, nrela, plt, nplt, relr, nrelr, symbols, strings, hash, gnuHash, versions;
	size_t nsymbols;
	const char **versionNames;
	size_t nversions;
	int symbolic;      // references prefer the image's own definitions
	binding *bindings; // by symbol number
} image;

enum { MOST_IMAGES = 256 };
extern image migbsp_images[MOST_IMAGES];
extern int migbsp_nimages;
extern int migbsp_order[MOST_IMAGES]; // the order of constructors
extern uintptr_t migbsp_images_end;   // offset in the slot behind all images
extern uintptr_t migbsp_tls_size, migbsp_tls_align; // of all images' thread-local variables

// image.c
int migbsp_wrong(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
char *migbsp_in_file(const image *m, uintptr_t address);
int migbsp_read_image(image *m, const char *path, off_t offset, char *text, size_t size);
uint32_t migbsp_hash(const char *name);
const char *migbsp_version_of(const image *m, size_t symbol);
const Elf64_Sym *migbsp_define(const image *m, const char *name, uint32_t hash, const char *version);
image *migbsp_image_at(uintptr_t offset);

// bind.c
int migbsp_bind(char *text, size_t size);
int migbsp_is_named(const image *m, const char *name);
binding migbsp_find(int from, const char *name, const char *version);
uint64_t migbsp_value_of(const binding *b, int pid);
const char *migbsp_relocate(int pid, int fresh);

#endif
