//go:build !staticrank

// The processes of a program that has called bsp_init begin in the function that it has named, and not in main, which
// is process 0's. They begin with a copy of the memory that process 0 has in bsp_begin, so that they find the values
// of its variables there, as threads of MulticoreBSP do.
//
// Addresses in the copy that lead to memory of process 0 are changed to the same place in the process's own slot. A
// word of 8 bytes is taken for such an address if its value is one: an integer would have to be a little above 2^45.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "inside.h"

int migbsp_inits; // the program calls bsp_init

#define BELOW 4096 // bytes between the copied part of the stack and the process's own

static void begins(void) {
	process *c = migbsp_now();
	c->spmd();
	migbsp_after(c);
}

// migbsp_begins_apart reports whether the process has called bsp_init.
int migbsp_begins_apart(process *c) { return c->spmd != 0; }

// migbsp_copied makes a process of memory of process 0: n ranges, which are at their addresses or, if packed is not 0,
// there one behind the other. The last is the stack. The heap ends
// at top.
process *migbsp_copied(int pid, const migbsp_range *ranges, int n, const char *packed, uint64_t top, char *text, size_t size) {
	process *c = migbsp_map(pid, text, size);
	if (!c)
		return 0;
	const uint64_t away = (uint64_t)(SLOT(pid) - SLOT(0)), end = (uint64_t)SLOT(0) + STACK_TOP;
	const uint64_t stack = (uint64_t)ranges[n - 1].at;
	for (int i = 0; i < n; i++) {
		char *to = ranges[i].at + away;
		memcpy(to, packed ? packed : ranges[i].at, ranges[i].size);
		if (packed)
			packed += ranges[i].size;
		uint64_t *word = (uint64_t *)(((uintptr_t)to + 7) & ~7ul), *last = (uint64_t *)(to + ranges[i].size);
		for (; word + 1 <= last; word++) {
			uint64_t at = *word;
			if (at - (uint64_t)SLOT(0) <= top - (uint64_t)SLOT(0) || at - stack <= end - stack)
				*word = at + away;
		}
	}
	c->pid = pid;
	c->copied = 1;
	for (int i = 0; i < EXITS; i++)
		c->leavers[i].n = 0; // process 0 calls them
	migbsp_rebind(c);
	migbsp_recode(c);
	migbsp_empties(c);
	c->sp = migbsp_frame((char *)((stack + away - BELOW) & ~63ul), begins);
	return c;
}

// migbsp_top returns the end of the process's heap.
uint64_t migbsp_top(process *c) { return (uint64_t)c->top; }
