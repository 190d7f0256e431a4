package ledger

import (
	"bytes"
	"strings"
	"testing"
)

func TestClocks(t *testing.T) {
	for want, run := range map[string]Run{
		"": {}, "EMULATED": {Emulated: true}, "SIMULATED": {Simulated: true},
	} {
		if got := run.Clock(); got != want {
			t.Errorf("%+v: %q, want %q", run, got, want)
		}
		b := Account{Run: run}
		b.Enter(sample(1, "a.go:1", us, us))
		var out bytes.Buffer
		if err := b.WriteResult(&out, Display{}, false); err != nil {
			t.Fatal(err)
		}
		if err := b.WriteAccount(&out, "none", Display{}); err != nil {
			t.Fatal(err)
		}
		if want = strings.ToLower(want); want == "" && strings.Contains(out.String(), "ated)") || strings.Count(out.String(), "("+want+")") != 2 && want != "" {
			t.Errorf("%q:\n%s", want, out.String())
		}
	}
}
