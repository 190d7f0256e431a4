package programs

import (
	"io"
	"strings"
	"testing"
)

func TestSpeedOf(t *testing.T) {
	for text, want := range map[string]speed{
		"Sort\ntime      0.5 s, 2 Mkey/s\nchecksum 1\n": {0.5, "2 Mkey/s"},
		"time      1e-05 s\n":                           {1e-5, ""},
	} {
		if got, err := speedOf(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := speedOf("PASSED\n"); err == nil {
		t.Error("a time that nobody told")
	}
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-only qr -hosts= ", "-only qr: expected lu, sw, lbm"},
		{"-rounds 0", "-rounds 0: at least one is needed"},
		{"-pictures none", "-pictures none: there is no such directory"},
		{"-hosts none.hosts", "there is no such file here"},
	} {
		var said strings.Builder
		if code := Program.Run(strings.Fields(c.args), io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}
