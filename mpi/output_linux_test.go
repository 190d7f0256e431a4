//go:build mpi && cgo

package mpi

import (
	"os"
	"testing"
)

func TestWorldKnowsWhatTheLauncherHasNotRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	expect := func(want int) {
		t.Helper()
		if got := unread(w); got != want {
			t.Errorf("%d bytes are unread, expected %d", got, want)
		}
	}
	expect(0)
	if _, err := w.WriteString("process 1, panic"); err != nil {
		t.Fatal(err)
	}
	expect(16)
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	expect(6)
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if n := unread(file); n != 0 {
		t.Errorf("a file has %d unread bytes", n)
	}
}
