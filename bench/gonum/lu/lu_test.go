package main

import (
	"io"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/lu/dense"
)

// All kernels and gonum come to the same for all sizes.
func TestSame(t *testing.T) {
	defer dense.SetKernel(dense.Kernel())
	for _, kernel := range dense.Kernels() {
		dense.SetKernel(kernel)
		for _, n := range []int{1, 2, 7, 24, 65, 150} {
			for _, work := range []*task{product(n, 1), product(n, 33), factorisation(n, 0)} {
				if err := work.same(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestDifferenceIsNoticed(t *testing.T) {
	for _, work := range []*task{product(8, 4), factorisation(8, 0)} {
		right := work.ours
		work.ours = func() {
			right()
			work.operand[63] += 1e-6
		}
		if work.same() == nil {
			t.Errorf("%s: a wrong element is taken for a right one", work.name)
		}
		work.ours = func() {}
		if work.same() == nil {
			t.Errorf("%s: nothing is taken for it", work.name)
		}
	}
}

func TestTables(t *testing.T) {
	var out, said strings.Builder
	args := strings.Fields("-n 5,20 -block 3 -rounds 1 -time 0s -quiet")
	if code := measurement.Run(args, &out, &said); code != 0 || said.Len() > 0 {
		t.Fatalf("code %d, %s", code, said.String())
	}
	for _, want := range append(dense.Kernels(), "gonum", "20 x 20 x 3", "5 x 5", "Getrf") {
		if strings.Count(out.String(), want) < 2 {
			t.Errorf("%q is not in both tables:\n%s", want, out.String())
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range []string{"-n 0", "-n 5,", "-n 5,x", "-n 20001", "-block 0", "-rounds 0", "-time -1s", "x"} {
		var said strings.Builder
		if code := measurement.Run(strings.Fields(args), io.Discard, &said); code != 2 {
			t.Errorf("%s: code %d, %s", args, code, said.String())
		}
	}
}
