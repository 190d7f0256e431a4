//go:build !staticrank

// Calls of MPI by a program. A rank has many processes, of which the section's move, and outside of the section only
// process 0 runs: a call that needs other ranks is right only where each rank has the process of its number. The
// first such call keeps the process there.
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <string.h>
#include <strings.h>

#include "inside.h"

int migbsp_rank = -1, migbsp_ranks; // of MPI, once a process has begun

// The functions of MPI that the program calls, by the number of their stand-in.
#define MOST 128
typedef long function(long, long, long, long, long, long, long, long, long, long, long, long);
static struct { const char *name; function *next; } calls[MOST];
static int ncalls;

static function *meets(int number, void *caller) {
	process *c = migbsp_now();
	const char *name = calls[number].name;
	if (!c || migbsp_forked)
		return calls[number].next;
	uintptr_t site = migbsp_site(c, (uintptr_t)caller, (uintptr_t)__builtin_frame_address(0));
	if (site)
		c->site = site;
	if (!c->begun || c->ended)
		migbsp_fail("%s: only process 0 runs before bsp_begin and after bsp_end, so that other ranks do not call it: link the program by  bspcc -static-rank", name);
	if (c->n != migbsp_ranks || c->pid != migbsp_rank)
		migbsp_fail("%s: called by process %d of %d on rank %d of %d: it needs one process on each rank, as programs have that are linked by  bspcc -static-rank", name, c->pid, c->n, migbsp_rank, migbsp_ranks);
	if (!c->usesMPI) {
		c->usesMPI = 1;
		migbsp_holds(c, HELD_MPI, 2, name, caller);
	}
	return calls[number].next;
}

// Arguments of MPI's functions are integers and addresses, at most twelve. Each takes a register or a word of the
// stack.
#define CALL(number) /* octal */ \
	static long call##number(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) { \
		return meets(0##number, __builtin_return_address(0))(a, b, c, d, e, f, g, h, i, j, k, l); \
	}
#define CALLS(tens) CALL(tens##0) CALL(tens##1) CALL(tens##2) CALL(tens##3) CALL(tens##4) CALL(tens##5) CALL(tens##6) CALL(tens##7)
#define NAMES(tens) call##tens##0, call##tens##1, call##tens##2, call##tens##3, call##tens##4, call##tens##5, call##tens##6, call##tens##7
CALLS() CALLS(1) CALLS(2) CALLS(3) CALLS(4) CALLS(5) CALLS(6) CALLS(7) CALLS(10) CALLS(11) CALLS(12) CALLS(13) CALLS(14) CALLS(15) CALLS(16) CALLS(17)
static function *const standIns[MOST] = {
	NAMES(), NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5), NAMES(6), NAMES(7),
	NAMES(10), NAMES(11), NAMES(12), NAMES(13), NAMES(14), NAMES(15), NAMES(16), NAMES(17),
};

// Functions that need no other rank, without MPI_ and in small letters; a name ends with _ if others begin so.
static const char *const alone[] = {
	"init", "initialized", "finalize", "finalized", "init_thread", "query_thread", "is_thread_main", "abort", "wtime", "wtick", "pcontrol",
	"comm_rank", "comm_size", "comm_compare", "comm_group", "comm_get_", "comm_set_", "comm_test_inter", "comm_remote_", "comm_call_", "comm_c2f", "comm_f2c",
	"get_", "type_", "op_", "info_", "group_", "error_", "errhandler_", "status_", "alloc_mem", "free_mem", "address", "add_error_",
	"pack", "pack_", "unpack", "unpack_", "attr_", "keyval_", "buffer_", "request_c2f", "request_f2c", "aint_", "sizeof", "topo_test", "cart_coords", "cart_rank", "dims_create",
};

static int needsNone(const char *name) {
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
		size_t n = strlen(alone[i]);
		if (!strncasecmp(name, alone[i], n) && (alone[i][n - 1] == '_' || !name[n] || !strcmp(name + n, "_")))
			return 1;
	}
	return 0;
}

// migbsp_of_mpi returns the stand-in for a function of MPI that needs other ranks, 0 for other names. The names of
// Fortran are in small letters and end with _.
void *migbsp_of_mpi(const char *name) {
	const char *rest = *name == 'P' || *name == 'p' ? name + 1 : name;
	if (strncasecmp(rest, "mpi_", 4) || (rest[0] == 'M' && !islower(rest[5])) || needsNone(rest + 4) || ncalls == MOST)
		return 0;
	function *next = (function *)dlsym(RTLD_DEFAULT, name);
	if (!next)
		return 0;
	calls[ncalls].name = name;
	calls[ncalls].next = next;
	return (void *)standIns[ncalls++];
}
