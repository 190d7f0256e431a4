package main

import (
	"io"
	"strings"
	"testing"
)

// Both transforms are the same for all sizes that are compared.
func TestSame(t *testing.T) {
	for bits := 1; bits <= 16; bits++ {
		ours, theirs := transforms(1 << bits)
		if err := same(ours, theirs, 1<<bits); err != nil {
			t.Error(err)
		}
	}
	wrong := func(x []complex128) []complex128 { return make([]complex128, len(x)) }
	if _, theirs := transforms(8); same(wrong, theirs, 8) == nil {
		t.Error("nothing is taken for a transform")
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range []string{"-from 0", "-from 9 -to 8", "-to 27", "-rounds 0", "x"} {
		var said strings.Builder
		if code := measurement.Run(strings.Fields(args), io.Discard, &said); code != 2 {
			t.Errorf("%s: code %d, %s", args, code, said.String())
		}
	}
}
