/* Sends and reads messages of random lengths with tags of all short lengths, and compares each
 * with a model. Runs of messages of a word alternate with others, so that each step of reading
 * follows each other one; messages are also read in part, dropped and looked at in place. */
#include <bsp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) bsp_abort("%s:%d: process %d: not %s", __FILE__, __LINE__, bsp_pid(), #x); } while (0)

enum { MESSAGES = 300, LONGEST = 70000, TAG = 16 };

static uint64_t state;
static unsigned random32(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33);
}

/* What process s sends as its message i of a round to each process. */
static char tag[TAG], text[LONGEST];
static int size;
static void make(int round, int s, int i) {
	state = (uint64_t)round * 1000003 + (uint64_t)s * 1009 + (uint64_t)i / 8;
	unsigned kind = random32() % 4; /* of eight messages in turn */
	state += (uint64_t)i << 32;
	unsigned any = random32();
	size = kind < 2 ? 8 : kind == 2 ? (int)(any % 40) : any % 5 ? 2040 + (int)(any % 2100) : (int)(any % LONGEST);
	for (int k = 0; k < TAG; k++)
		tag[k] = (char)random32();
	for (int k = 0; k < size; k += 7)
		text[k] = (char)random32();
	if (size > 0)
		text[size - 1] = (char)random32();
}

static void same(const char *got, int n) {
	for (int k = 0; k < n; k += 7)
		CHECK(got[k] == text[k]);
	if (n > 0 && n == size)
		CHECK(got[n - 1] == text[n - 1]);
}

int main(void) {
	bsp_begin(bsp_nprocs());
	int p = bsp_nprocs(), s = bsp_pid(), tagSize = 0;
	char *into = malloc(LONGEST + 8192);
	for (int round = 0; round <= TAG; round++) {
		int before = tagSize, n, bytes, total = 0, status;
		tagSize = round;
		bsp_set_tagsize(&before);
		before = round;
		bsp_set_tagsize(&before);
		bsp_sync();
		for (int i = 0; i < MESSAGES; i++)
			for (int to = 0; to < p; to++) {
				make(round, s, i);
				bsp_send(to, tag, text, size);
			}
		bsp_sync();
		for (int q = 0; q < p; q++)
			for (int i = 0; i < MESSAGES; i++) {
				make(round, q, i);
				total += size;
			}
		for (int q = 0; q < p; q++)
			for (int i = 0; i < MESSAGES; i++) {
				make(round, q, i);
				state = (uint64_t)round + (uint64_t)i * 77;
				unsigned how = random32() % 8;
				bsp_qsize(&n, &bytes);
				CHECK(n == (p - q) * MESSAGES - i && bytes == total);
				char t[TAG + 1];
				memset(t, 1, sizeof t);
				if (how > 0) { /* not always, and sometimes twice */
					bsp_get_tag(&status, t);
					CHECK(status == size && !memcmp(t, tag, (size_t)tagSize) && t[tagSize] == 1);
				}
				if (how == 1) {
					bsp_get_tag(&status, t);
					CHECK(status == size && !memcmp(t, tag, (size_t)tagSize));
				}
				char *at = into + 8 * (random32() % 1000); /* at all distances modulo a page */
				memset(at, 1, (size_t)size + 1);
				if (how == 2) {
					bsp_move(at, size / 2);
					same(at, size / 2);
					CHECK(at[size / 2] == 1);
				} else if (how == 3)
					bsp_move(0, 0);
				else if (how == 4) {
					void *where, *what;
					CHECK(bsp_hpmove(&where, &what) == size && !memcmp(where, tag, (size_t)tagSize));
					same(what, size);
				} else {
					bsp_move(at, size + (how == 5 ? 100 : 0));
					same(at, size);
					CHECK(at[size] == 1);
				}
				total -= size;
			}
		bsp_get_tag(&status, tag);
		CHECK(status == -1);
	}
	bsp_sync();
	if (s == 0)
		printf("all is right\n");
	bsp_end();
	return 0;
}
