/* zlib: a stream that is compressed over barriers.
 * link: -lz */
#include <bsp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	static unsigned char packed[1 << 16], back[1 << 16];
	char all[4000] = "", piece[100];
	z_stream s = {0};
	deflateInit(&s, 9);
	s.next_out = packed;
	s.avail_out = sizeof packed;
	for (int i = 0; i < 30; i++) {
		snprintf(piece, sizeof piece, "process %d, step %d; ", bsp_pid(), i);
		strcat(all, piece);
		s.next_in = (unsigned char *)piece;
		s.avail_in = strlen(piece);
		if (deflate(&s, i == 29 ? Z_FINISH : Z_NO_FLUSH) < 0)
			bsp_abort("deflate");
		bsp_sync();
	}
	uLongf n = sizeof back;
	if (uncompress(back, &n, packed, s.total_out) != Z_OK || n != strlen(all) || memcmp(all, back, n))
		bsp_abort("%lu bytes come back", (unsigned long)n);
	deflateEnd(&s);
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
