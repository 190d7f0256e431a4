package fresh

import "golang.org/x/sys/unix"

// Expect asks for huge pages where mem has none yet. A system that has none to give
// goes on with small ones.
func Expect(mem []byte) {
	if len(mem) < manyPages {
		return
	}
	if pages := wholePages(mem); len(pages) > 0 {
		unix.Madvise(pages, unix.MADV_HUGEPAGE)
	}
}
