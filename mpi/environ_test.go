//go:build mpi && cgo

package mpi

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

func TestSettingFromEnv(t *testing.T) {
	auto := directOn
	if hasAdapter() {
		auto = directPieces
	}
	usual := setting{nodes: maxMembers, direct: auto, attach: true}
	with := func(change func(*setting)) setting {
		s := usual
		change(&s)
		return s
	}
	for _, c := range []struct {
		environ string // of words NAME=VALUE, without MIGBSP_
		want    setting
		wrong   string
	}{
		{"", usual, ""},
		{"DIRECT=auto ATTACH=on SHM=on WAIT=auto RADIX=auto", usual, ""},
		{"DIRECT=on ATTACH=off", with(func(s *setting) { s.direct, s.attach = directOn, false }), ""},
		{"DIRECT=pieces", with(func(s *setting) { s.direct = directPieces }), ""},
		{"DIRECT=off", with(func(s *setting) { s.direct = directOff }), ""},
		{"DIRECT=yes", usual, `MIGBSP_DIRECT is "yes", want auto, on, pieces or off`},
		{"ATTACH=no", usual, `MIGBSP_ATTACH is "no", want on or off`},
		{"SHM=off NODE_SIZE=3", with(func(s *setting) { s.nodes, s.apart = 1, "MIGBSP_SHM=off" }), ""},
		{"SHM=no", usual, `MIGBSP_SHM is "no", want on or off`},
		{"NODE_SIZE=3", with(func(s *setting) { s.nodes, s.apart = 3, "MIGBSP_NODE_SIZE=3" }), ""},
		{"NODE_SIZE=100000", with(func(s *setting) { s.apart = "MIGBSP_NODE_SIZE=100000" }), ""},
		{"NODE_SIZE=0", usual, `MIGBSP_NODE_SIZE is "0", want a number of ranks`},
		{"NODE_SIZE=x", usual, `MIGBSP_NODE_SIZE is "x", want a number of ranks`},
		{"WAIT=spin", with(func(s *setting) { s.wait = idle.Spin }), ""},
		{"WAIT=yield", with(func(s *setting) { s.wait = idle.Yielding }), ""},
		{"WAIT=nap", with(func(s *setting) { s.wait = idle.Napping }), ""},
		{"WAIT=long", usual, `MIGBSP_WAIT is "long", want auto, spin, yield or nap`},
		{"RADIX=2", with(func(s *setting) { s.radix = 2 }), ""},
		{"RADIX=16", with(func(s *setting) { s.radix = 16 }), ""},
		{"RADIX=1", usual, `MIGBSP_RADIX is "1", want auto or a number from 2 on`},
		{"RADIX=x", usual, `MIGBSP_RADIX is "x", want auto or a number from 2 on`},
	} {
		for _, name := range []string{"SHM", "NODE_SIZE", "WAIT", "DIRECT", "ATTACH", "RADIX"} {
			t.Setenv("MIGBSP_"+name, "")
		}
		for _, word := range strings.Fields(c.environ) {
			name, value, _ := strings.Cut(word, "=")
			t.Setenv("MIGBSP_"+name, value)
		}
		got, err := settingFromEnv()
		switch {
		case c.wrong == "" && (err != nil || got != c.want):
			t.Errorf("%s: got %v, %v, want %v", c.environ, got, err, c.want)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: error %v, want one with %s", c.environ, err, c.wrong)
		}
	}
}
