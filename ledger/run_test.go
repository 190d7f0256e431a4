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
		for _, table := range Views[:6] {
			out.Reset()
			if err := b.WriteAccount(&out, table, nil, "", Display{}); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out.String(), "ATED"); want == "" && n > 0 || want != "" && strings.Count(out.String(), want) == 0 {
				t.Errorf("%q, -table %s:\n%s", want, table, out.String())
			}
		}
	}
}
