// What the C files of this package share, and what their Go files see: a process, its
// operations, and the slots in which processes lie.
#ifndef MIGBSP_PROCESS_H
#define MIGBSP_PROCESS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define MIGBSP_WITHOUT_MPI
#include "include/migbsp.h"

// Process i lies in the slot at SLOT_BASE + i*migbsp_slot of every rank: the image of the object,
// then the heap, which begins with the process structure, and at the end the stack. Slots have
// SLOT_SIZE, unless longer heaps are wanted: there can be fewer processes then. Where an emulator
// keeps books of each page, smaller and fewer slots can be given.
#define SLOT_BASE 0x200000000000ul
#define ADDRESSES (SLOT_SIZE * MAX_PROCS)
#ifndef SLOT_SIZE
#define SLOT_SIZE (1ul << 32)
#define MAX_PROCS 4096
#endif
#define STACK_SIZE (64ul << 20)
#define GUARD_SIZE (256ul << 20) // more than a function's variables have
#define BEHIND_STACK (1ul << 20)
#define STACK_TOP (migbsp_slot - BEHIND_STACK)
#define BEHIND_HEAP (BEHIND_STACK + STACK_SIZE + GUARD_SIZE)

// Why a process has stopped.
enum {
	OP_NONE,
	OP_BEGIN, // a: processes wanted
	OP_SYNC,
	OP_END,
	OP_EXIT,   // a: exit code
	OP_FLUSH,  // the records are to be taken
	OP_ABORT,  // text
	OP_SIGNAL, // text
};

// A record is an operation. Behind it a REC_PUT has its bytes, a message its bytes and then a tag
// of more than a word, REC_SENDS messages of a word, each behind its tag of one, and the others have the
// address that they read or write at.
enum { REC_PUT = 1, REC_SEND, REC_SENDS, REC_PUT_FROM, REC_HPPUT, REC_GET, REC_HPGET, REC_GET_NOW };

typedef struct {
	uint32_t kind, pid;
	uint64_t what; // the area's number; a message's tag
	int64_t offset, size;
} record;

// A registration. A put reads the first four fields, which mostly lie in one cache line.
typedef struct {
	const void *address;
	int64_t *sizes; // of all processes; then their addresses, if migbsp_directs
	int64_t area;   // its number in Go, -1 if it has none yet
	int8_t live, popped; // it can be used; pop_reg has been called
	int8_t nowhere; // all processes have given NULL
	int64_t size;
	int64_t id;     // the same on all processes
} registration;

// What a process has pushed and popped in this superstep: a registration, -1 for one that others
// say.
typedef struct { int64_t pop, id; } action;

// Messages of a size as they lie, each behind a tag of a word.
typedef struct {
	const char *at; // the first tag; from there
	int64_t room, step; // to its message, and to the next tag
	int64_t count, size;
} messages;

// A function that runs at the end of a process. One of on_exit gets the exit code too.
typedef struct {
	void (*call)(void *);
	void (*with)(int, void *);
	void *argument;
} leaver;

typedef struct {
	leaver *all;
	int64_t n, room;
} leavers;
enum { AT_EXIT, AT_QUICK_EXIT, AT_THREAD_EXIT, EXITS };

// The put of a word that would make the last record grow, or for MESSAGES a message of one, while it is
// below stop. The record itself is told when something else comes.
typedef struct {
	int64_t offset, stop;
	const void *to;
	int64_t pid;
	char *base; // where the bytes of offset 0 would be
} burst;
#define MESSAGES ((const void *)&migbsp_procs)

#define BINS 128

typedef struct chunk chunk;

// A process. Go, which has only pointers to processes, sees the first fields; C files include inside.h.
typedef struct process {
	int64_t a; // of its operation
	int n;     // processes
	int multicore; // the dialect, in which the end of the program is that of the section too
	uintptr_t site; // return address of the call that it is in
	int64_t syncs;
	char text[1024];

	// Records of this superstep, in memory of the thread that runs it.
	char *records;
	int64_t used;

	registration *regs;
	int64_t nregs, pushed; // pushed: as many as ever
	action *acts;
	int64_t nacts;
	int64_t tagNext, tagSets; // tagSets: calls of set_tagsize in this superstep
	int64_t coded, code;      // in a call that returns what is wrong; what that is
	int64_t leaves;           // the process is about to end the section
	messages *inbox; // of this superstep, in memory of the thread
	int64_t nmessages; // left in all of them

	int64_t open; // things that it holds and that do not move: held.c
	char pin[64]; // the function that returned the first of them, and the place of the call
	uintptr_t pinSite;
	int pinned; // the account has been told

#ifdef MIGBSP_INSIDE
	struct {
		void *sp, *caller; // stack pointers: its own, and of who has resumed it
		int64_t op;
		int watched; // reasons for migbsp_turns and migbsp_rests
		int tid;     // of the thread that runs it, if it is watched
		int failed;  // by a thread that it has made: text
		int pid, begun, ended, argc;
		char **argv;
		int (*main)(int, char **, char **);
		void (*spmd)(void);
		double began, lastTime; // of bsp_begin, of the last bsp_dtime
		double ran, ranLast;    // since these, when it has left a rank
		int64_t limit, last;    // of records; where the last one begins, -1 if none can grow
		int64_t cregs, cacts, hit; // hit: the registration that was found last
		int32_t *index;         // of live registrations by address: position + 1, or 0 where free
		int64_t cindex, indexed, searches; // its length; it is valid; searches since the last change
		burst burst __attribute__((aligned(64)));
		messages *word; // the next message, if it is of a word behind a tag of at most one
		int64_t tagReceive, tagSend, bytes; // bytes: in the messages that are left
		struct BSPlib *bsplib;
		// What the C library keeps for its program: apart.c.
		struct apart *apart;
		struct turn *turn;         // turns.c
		const char *shared;        // a function that it has called, which has changed a setting of its rank,
		uintptr_t sharedSite;      // there
		int sharedTold;            // the account has been told
		struct handlers *handlers; // handlers.c
		struct memory *memories;   // allocated.c
		struct streams *streams;   // streams.c
		struct _IO_FILE *standard[3];
		struct results *results;   // results.c
		char *tzname[2];
		long timezone;
		int daylight, signgam;
		char **environ, *optarg;
		int optind, opterr, optopt;
		int options, optionsFrom, optionsTo; // options found so far, and between which words
		int64_t lent;           // what the library allocates is the process's: instead.c
		struct { void *caught; unsigned long uncaught; } exceptions; // of C++
		int64_t left;           // others have
		int usesMPI, copied;    // it has called MPI for other ranks; it began as a copy of process 0
		int follows, executes;  // process 0 has others execute functions: from now on; it is in one
		struct forker *forkers; // handlers of fork
		leavers leavers[EXITS];
		void *tls;
		struct thing *held;
		int64_t cheld;
		int holding;       // the lock of held
		int known;         // result of gettid, 0 before the first call
		struct owned *owned;
		int64_t nowned, cowned;
		int unmovable; // number of owned locks that cannot be corrected
		struct clocks *clocks;
		struct mappings *mappings;
		char *breakFrom, *breakAt; // memory of sbrk, above the heap
		int threads, lock; // threads that it has made and that may run; the lock of the heap if there are any
		char *top, *clean; // of the used heap; from where on memory is zero
		chunk *bins[BINS];
		uint64_t full[BINS / 64];
		int64_t lastSize; // of the chunk before top
		int64_t refused;  // what was asked for last and is not there
	};
#endif
} process;

// switch.S
void migbsp_switch(void **save, void *to);
void migbsp_back(void **save, void *to);
extern char migbsp_switched[];

// slots.c
extern int migbsp_reserved; // 0 if the slots could not be reserved
extern uint64_t migbsp_slot, migbsp_heap; // sizes: of a slot, of a heap at most
uint64_t migbsp_sizes(uint64_t heap, int procs);
extern size_t migbsp_page;
extern int migbsp_executes; // the object calls lpf_exec
extern int migbsp_throws;   // it may throw exceptions of C++
int migbsp_open(const char *path, int64_t offset, char *text, size_t size);
int migbsp_share(const char *name, char *text, size_t size);
int migbsp_link(char *text, size_t size);
int migbsp_tls_begins(process *c);
process *migbsp_map(int pid, char *text, size_t size);
process *migbsp_start(int pid, int argc, char **argv, char *text, size_t size);
void migbsp_unmap(int pid);
void *migbsp_frame(char *top, void (*entry)(void));
void migbsp_rebind(process *c);
int migbsp_is_code(process *c, uintptr_t at);
uintptr_t migbsp_site(process *c, uintptr_t at, uintptr_t sp);
void migbsp_departs(process *c);
void migbsp_arrives(process *c);
process *migbsp_process(int pid);
typedef struct { char *at; uint64_t size; } migbsp_range;
uint64_t migbsp_bytes(process *c);
int migbsp_most_ranges(void);
int migbsp_ranges(process *c, migbsp_range *out, int most);

// coroutine.c
int migbsp_resume(uintptr_t p);
process *migbsp_now(void);
int migbsp_other(process *c, const void *at);
void migbsp_called(process *c);
void migbsp_ends(process *c, int number, void *context);
#define migbsp_refuse(c, ...) (migbsp_called(c), migbsp_fail(__VA_ARGS__)) // with the place of a call of the library
void migbsp_stop(process *c, int op);
int migbsp_long(process *c, int64_t size);
messages *migbsp_inbox(int64_t n);
_Noreturn void migbsp_exit(int code);
void migbsp_first(void);
void migbsp_last(void);
void *migbsp_tls(void *variable);
// Thread-local variables that code of images finds by their distance from the thread pointer: the first
// migbsp_static_tls bytes of a process's block are here while it runs.
enum { STATIC_TLS = 16 << 10 };
extern __thread char migbsp_static[STATIC_TLS] __attribute__((tls_model("initial-exec"), aligned(64)));
extern uintptr_t migbsp_static_tls;
void migbsp_static_begins(process *c);
void migbsp_static_described(void);
void migbsp_catch(void);
void migbsp_libraries(void);
void migbsp_output(void);
void migbsp_flush(void);
size_t migbsp_unread(char *text, size_t size);
void migbsp_forget(void);
int64_t migbsp_read_so_far(void);
int migbsp_reads_on(const char *text, size_t size, int64_t so_far);
int migbsp_reads(void);
void migbsp_list(char *text, size_t size);
void migbsp_entry(void);
void migbsp_opens(process *c);

// signals.c
void migbsp_handle(int number, void (*caught)(int, siginfo_t *, void *));
void migbsp_hand_on(int number, siginfo_t *info, void *context);
int migbsp_is_fault(int number);

// arena.c
void migbsp_arena(process *c, char *from);
void *migbsp_allocate(process *c, size_t n);
void *migbsp_zeroed(process *c, size_t n);
void *migbsp_aligned(process *c, size_t align, size_t n);
size_t migbsp_usable(void *p);
void migbsp_release(process *c, void *p);
void *migbsp_resize(process *c, void *p, size_t n);
void *migbsp_pages(process *c, size_t n);
void migbsp_cut(process *c, void *p, char *from, char *to);
const char *migbsp_refused(process *c);

// copies.c
extern int migbsp_inits;
int migbsp_begins_apart(process *c);
uint64_t migbsp_top(process *c);
process *migbsp_copied(int pid, const migbsp_range *ranges, int n, const char *packed, uint64_t top, char *text, size_t size);

// mpicalls.c
extern int migbsp_rank, migbsp_ranks;
void *migbsp_of_mpi(const char *name);
// held.c
enum { HELD_DESCRIPTOR, HELD_STREAM, HELD_DIRECTORY, HELD_THREAD, HELD_CHILD, HELD_MAPPING, HELD_SHARED, HELD_LIBRARY, HELD_SEMAPHORE, HELD_TIMER, HELD_IPC, HELD_SIGNAL, HELD_MPI, HELD_OTHER };
void migbsp_pins(const char *what, void *caller);
void migbsp_unpins(void);
void migbsp_chooses(int descriptor, const char *name, void *caller);
int migbsp_close(int descriptor, void *caller);
process *migbsp_who(void *caller);
void migbsp_holds(process *c, int kind, uint64_t key, const char *name, void *caller);
int migbsp_drops(process *c, int kind, uint64_t key);
int migbsp_has(process *c, int kind, uint64_t key);
int migbsp_all(process *c, int kind, uint64_t *keys, int most);
_Noreturn void migbsp_refuses(void *caller, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern int migbsp_failing; // a thread of a process has failed
_Noreturn void migbsp_thread_fails(const char *text, void *at);
void *migbsp_following(void **f, const char *name);
extern int migbsp_forked; // this is not the rank, but a process of the system's that it has made

// threads.c
extern __thread process *migbsp_thread_of; // the process that has made this thread, null for other threads
void migbsp_locks(int *lock);
static inline void migbsp_unlocks(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
enum { WATCHED_OWNED = 1, WATCHED_CLOCKS = 2, WATCHED_THREADS = 4, WATCHED_ACCESS = 8 };
int migbsp_turns(process *c);
void migbsp_rests(process *c);
int64_t migbsp_threads_time(process *c);
int migbsp_has_threads(process *c);
void migbsp_without_threads(process *c);

// clocks.c
void migbsp_clocks_depart(process *c);
void migbsp_clocks_arrive(process *c);
void migbsp_clocks_turn(process *c);
void migbsp_clocks_rest(process *c);
void migbsp_thread_ran(process *c);
void migbsp_of_host(int clock, struct timespec *deadline);

// mappings.c
void migbsp_access(process *c, int own);

// A function that a file has instead of one of the C library.
typedef struct { const char *name; void *at; } migbsp_function;
extern const migbsp_function migbsp_held_names[], migbsp_thread_names[], migbsp_clock_names[], migbsp_mapping_names[];

// primitives.c
// The process that this thread runs now. A process may be resumed by another thread, or in
// another rank, than before: a function reads this once, before the process stops.
extern __thread process *volatile migbsp_running __attribute__((tls_model("initial-exec")));
extern int migbsp_procs;
extern int migbsp_returns;
extern int migbsp_directs; // the program calls bsp_direct_get
void migbsp_enter(process *c, int64_t procs);
void migbsp_finish(process *c);
_Noreturn void migbsp_after(process *c);
migbsp_code migbsp_meet(process *c);
migbsp_code migbsp_leave(process *c);
int migbsp_act(process *c, int64_t pop, int64_t id);
int64_t migbsp_newest(process *c, const void *address, int popped);

// lpf.c
_Noreturn void migbsp_follow(process *c, char *first);

// apart.c
enum { MIGBSP_APART = 4096 };
uintptr_t migbsp_apart(const char *name);
typedef struct { const char *name; uintptr_t at; } migbsp_name;
uintptr_t migbsp_named(const migbsp_name *all, size_t n, const char *name);
void migbsp_parts(process *c);

// handlers.c
int migbsp_handled(process *c, int number, siginfo_t *info, void *context);
void migbsp_unhandle(process *c);
void migbsp_rehandle(process *c);
void migbsp_takes_signals(process *c);
void migbsp_leaves_signals(process *c);
void migbsp_signals(process *c);
void migbsp_hushes(process *c);
uintptr_t migbsp_of_handlers(const char *name);

// streams.c
void migbsp_streams(process *c);
void migbsp_recode(process *c);
void migbsp_prints(process *c, int rest);
void migbsp_settles(process *c);
void migbsp_goes_on(process *c, void *thread);
void migbsp_finishes(process *c);
void migbsp_closes(process *c);
void migbsp_discards(process *c);
void migbsp_empties(process *c);
ssize_t migbsp_library_write(int fd, const void *text, size_t n);
int64_t migbsp_input(process *c, void *p, size_t n, int line);
uintptr_t migbsp_of_streams(const char *name);
uintptr_t migbsp_of_stdio(const char *name);

// turns.c
void migbsp_first_turn(void);
int migbsp_enters(process *c);
void migbsp_leaves(process *c);
void migbsp_comes(process *c);
extern int migbsp_any_shared;
const char *migbsp_shared(process *c, uintptr_t *site);
void migbsp_changes_directory(const char *name);
uintptr_t migbsp_of_turns(const char *name);

// results.c
char *migbsp_kept(process *c, const char *text);
uintptr_t migbsp_of_results(const char *name);

// allocated.c
uintptr_t migbsp_of_allocated(const char *name);

// dynamic.c
uintptr_t migbsp_dynamic(const char *name);
void *migbsp_dlopen(const char *path);
int migbsp_is_handle(void *handle);

// callbacks.c
uintptr_t migbsp_callback(const char *name);
enum { FORK_PREPARE, FORK_PARENT, FORK_CHILD };
void migbsp_forks(process *c, int stage);

// instead.c
void migbsp_leaver(void (*f)(void *), void *argument);
void migbsp_leave_by(process *c, int when, int code);
_Noreturn void migbsp_ends_now(int code);
void *migbsp_instead(const char *name);

// migbsp_lends is what the library is told of the process that runs; of threads that it has started nobody asks.
int64_t *migbsp_lends(void);

// LENT is the rest of a function that is a call in which all that the library allocates is the process's.
#define LENT(type, call) \
	int64_t *lent = migbsp_lends(), before = *lent; \
	*lent = -1; \
	type result = call; \
	*lent = before; \
	return result

#define IN_SLOTS(p) ((uintptr_t)(p) - SLOT_BASE < ADDRESSES)
#define SLOT(pid) ((char *)(SLOT_BASE + migbsp_slot * (uint64_t)(pid)))

// plain.c
void migbsp_is(process *c, int pid);

#include <stdio.h>
int migbsp_fclose(process *c, FILE *f);

#define OWN(name) {#name, (uintptr_t)own_##name}
#define ALIAS(name, as) {#name, (uintptr_t)own_##as}

static inline double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn void migbsp_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
