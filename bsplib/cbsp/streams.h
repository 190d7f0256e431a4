// The standard streams of a process, for streams.c and stdio.c.
#ifndef MIGBSP_STREAMS_H
#define MIGBSP_STREAMS_H

#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

enum {
	IN_ROOM = 1024,         // bytes read ahead by a process
	OUT_ROOM = 4096,        // of lines, before they go to the rank's output
	LONGEST_LINE = 1 << 20, // a longer one is printed in pieces
	UNBUFFERED = 2, BY_LINE = 0x200, IN_ERROR = 0x20, // in the flags of a stream
};

// The part of a stream for wide characters, as the library lays it out. A stream with functions of its program has none.
struct wide {
	wchar_t *read[3], *write[3], *base, *end, *saved[3];
	mbstate_t states[2];
	uint64_t conversion[14];
	wchar_t one[1];
	const void *jumps;
};

struct streams {
	char *line; // incomplete
	size_t length, room;
	int fds[3];             // of the process, instead of descriptors 0 to 2; 0 for none
	int reopened[3], closed[3];
	char in[IN_ROOM], out[OUT_ROOM];
	struct wide wide[3];
	int orientation[3];
};

#define CALLER __builtin_return_address(0)

// migbsp_of returns the process that a call is made for: on a thread that it has started, the process of the code that
// calls.
process *migbsp_of(void *caller);

// migbsp_which returns the number of a standard stream of a process, -1 for another stream.
int migbsp_which(process *c, FILE *f);

// migbsp_others ends a process that reads the input of process 0. Before bsp_begin that input has no text for it.
int64_t migbsp_others(process *c);

// standard returns a standard stream of the process that a call is made for, of the rank where there is none.
static inline FILE *standard(void *caller, int i) {
	process *c = migbsp_of(caller);
	return c ? c->standard[i] : i == 0 ? stdin : i == 1 ? stdout : stderr;
}

// VARIADIC is a function of the library with arguments behind its format.
#define VARIADIC(name, call, ...) \
	static int own_##name(__VA_ARGS__, ...) { \
		va_list args; \
		va_start(args, format); \
		int n = call; \
		va_end(args); \
		return n; \
	}

#endif
