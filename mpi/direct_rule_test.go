//go:build mpi && cgo

package mpi

import (
	"strings"
	"testing"
)

func TestDirectFromEnv(t *testing.T) {
	auto := directOn
	if hasAdapter() {
		auto = directPieces
	}
	for _, c := range []struct {
		direct, attach string
		want           directRule
		wrong          string
	}{
		{"", "", directRule{auto, true}, ""},
		{"auto", "on", directRule{auto, true}, ""},
		{"on", "off", directRule{directOn, false}, ""},
		{"pieces", "", directRule{directPieces, true}, ""},
		{"off", "", directRule{directOff, true}, ""},
		{"yes", "", directRule{}, `MIGBSP_DIRECT is "yes"`},
		{"", "no", directRule{}, `MIGBSP_ATTACH is "no"`},
	} {
		t.Setenv("MIGBSP_DIRECT", c.direct)
		t.Setenv("MIGBSP_ATTACH", c.attach)
		got, err := directFromEnv()
		switch {
		case c.wrong == "" && (err != nil || got != c.want):
			t.Errorf("%q, %q: got %v, %v, want %v", c.direct, c.attach, got, err, c.want)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q, %q: error %v, want one with %s", c.direct, c.attach, err, c.wrong)
		}
	}
}
