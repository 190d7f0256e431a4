package fresh

import (
	"testing"
	"unsafe"
)

// Memory has its length, starts at a cache line and can be written from end to end.
func TestBytes(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 4096, Many - 1, Many, Many + 1, 1 << 20, manyPages, manyPages + 12345, 3*manyPages + 1} {
		for kind, get := range map[string]func(int) []byte{"Bytes": Bytes, "Zeroed": Zeroed} {
			mem := get(n)
			if len(mem) != n || n > 0 && uintptr(unsafe.Pointer(&mem[0]))%lineBytes != 0 {
				t.Fatalf("%s(%d) has %d bytes at %p", kind, n, len(mem), unsafe.SliceData(mem))
			}
			for i := range mem {
				if kind == "Zeroed" && mem[i] != 0 {
					t.Fatalf("byte %d of Zeroed(%d) is %d", i, n, mem[i])
				}
				mem[i] = byte(i)
			}
		}
	}
}

// Huge pages are whole, within the memory, and all of those that are.
func TestWholePages(t *testing.T) {
	all := Bytes(4 * hugePage)
	for _, cut := range []struct{ from, to int }{{0, len(all)}, {1, len(all)}, {0, hugePage}, {64, hugePage}, {hugePage / 2, 3*hugePage + 1}, {0, 64}} {
		mem := all[cut.from:cut.to]
		pages := wholePages(mem)
		if len(pages)%hugePage != 0 {
			t.Fatalf("%v: %d bytes", cut, len(pages))
		}
		begin, from := uintptr(unsafe.Pointer(&mem[0])), uintptr(unsafe.Pointer(unsafe.SliceData(pages)))
		whole := int((begin+uintptr(len(mem)))/hugePage) - int((begin+hugePage-1)/hugePage)
		if len(pages) != max(0, whole)*hugePage {
			t.Errorf("%v: %d bytes of %d pages", cut, len(pages), whole)
		}
		if len(pages) > 0 && (from%hugePage != 0 || from < begin || from+uintptr(len(pages)) > begin+uintptr(len(mem))) {
			t.Errorf("%v: pages at %#x of memory at %#x", cut, from, begin)
		}
	}
}
