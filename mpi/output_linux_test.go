//go:build mpi && cgo

package mpi

import (
	"os"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
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
	must.Get(w.WriteString("process 1, panic"))(t)
	expect(16)
	must.Get(r.Read(make([]byte, 10)))(t)
	expect(6)
	file := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	defer file.Close()
	if n := unread(file); n != 0 {
		t.Errorf("a file has %d unread bytes", n)
	}
}
