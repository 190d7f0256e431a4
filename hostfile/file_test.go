package hostfile

import "testing"

// Files that no Parse made may have Sets where nothing runs.
func TestManagerOfASetWithoutSlots(t *testing.T) {
	f := &File{Hosts: []Host{{Name: "a", Slots: 1}, {Name: "b", Set: 1}}, Sets: []Set{{Name: "x"}, {Name: "y", Manager: "b"}}}
	if got := f.Manager(1); got != -1 {
		t.Errorf("rank %d", got)
	}
}

// Figures of such files are written though no line gave them.
func TestFiguresWithoutLinesAreWritten(t *testing.T) {
	s := newSet("x", 0)
	s.Speed, s.Memory = 0.5, 1<<20
	f := &File{Hosts: []Host{{Name: "a", Slots: 1, Speed: 0.25, Memory: 1 << 20}}, Sets: []Set{s}, Barrier: 1000}
	want := "#@platform barrier=1us\n#@set x speed=0.5 memory=1MiB\na slots=1\n#@host a speed=0.25\n"
	if got := written(f); got != want || !f.Emulated() {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
