package bsplib_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// What cannot fit into any memory is refused before anything is made for it.
func TestTooManyProcessesOrRanks(t *testing.T) {
	bsptest.InProcess(t)
	var hosts strings.Builder
	for i := range 200 {
		fmt.Fprintf(&hosts, "node%d slots=65536\n", i)
	}
	platform := must.Get(hostfile.Parse("many.hosts", strings.NewReader(hosts.String())))(t)
	for _, c := range []struct {
		cfg   bsplib.Config
		words string
	}{
		{bsplib.Config{Procs: math.MaxInt}, "9223372036854775807 processes on"},
		{bsplib.Config{Procs: 1 << 62}, "4611686018427387904 processes on"},
		{bsplib.Config{Procs: 1 << 36, Ranks: 2}, "68719476736 processes on 2 ranks need at least 34.5 TiB of memory"},
		{bsplib.Config{Procs: 1, Ranks: math.MaxInt}, "1 processes on 9223372036854775807 ranks"},
		{bsplib.Config{Ranks: 10_000_000}, "10000000 processes on 10000000 ranks"},
		{bsplib.Config{Platform: platform}, "13107200 processes on 13107200 ranks"},
	} {
		err := bsplib.Run(c.cfg, func(*bsplib.Proc, *none) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "bsplib: "+c.words) || !strings.Contains(err.Error(), "available") {
			t.Errorf("%d processes, %d ranks: %v", c.cfg.Procs, c.cfg.Ranks, err)
		}
	}
}
