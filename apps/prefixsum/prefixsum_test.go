package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

// The sums are right for any number of processes, and the same after moves.
func TestSums(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 7, 8, 33, 100} {
		code, want, said := apptest.Call(t, "", fmt.Sprintf("-procs %d -ranks 1 -show -quiet", procs))
		last := fmt.Sprintf("process %d: sum %d\n", procs-1, procs*(procs+1)/2)
		if code != 0 || !strings.Contains(want, last) {
			t.Errorf("%d processes: code %d, %q, %q; want %q", procs, code, want, said, last)
		}
		code, got, said := apptest.Call(t, "", fmt.Sprintf("-procs %d -ranks 3 -shake -show -quiet", procs))
		if code != 0 || got != want {
			t.Errorf("%d processes that move: code %d, %q, %q; want %q", procs, code, got, said, want)
		}
	}
}

// The page shows the program's source and its output.
func TestPage(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/reference/programs/prefixsum.md"))(t)
	source := must.Get(os.ReadFile("main.go"))(t)
	_, listing, _ := strings.Cut(string(page), "```go\n")
	listing, _, _ = strings.Cut(listing, "```")
	if listing == "" || !strings.Contains(string(source), listing) {
		t.Errorf("the page's listing is not of main.go:\n%s", listing)
	}
	if _, out, _ := apptest.Call(t, "", "-procs 8 -show -quiet"); !strings.Contains(string(page), out) {
		t.Errorf("the page does not show what the program prints:\n%s", out)
	}
}
