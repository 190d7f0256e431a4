package ledger_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

func TestClocks(t *testing.T) {
	for want, run := range map[string]Run{
		"": {}, "EMULATED": {Emulated: true}, "SIMULATED": {Simulated: true},
	} {
		if got := run.Clock(); got != want {
			t.Errorf("%+v: %q, want %q", run, got, want)
		}
		var b Account
		*b.Run() = run
		b.Enter(Sample(1, "a.go:1", US, US))
		var out bytes.Buffer
		for _, table := range tell.Views[:6] {
			out.Reset()
			must.Do(t, WriteAccount(&out, tell.Of(&b, nil), table, "", Display{}))
			if n := strings.Count(out.String(), "ATED"); want == "" && n > 0 || want != "" && strings.Count(out.String(), want) == 0 {
				t.Errorf("%q, -table %s:\n%s", want, table, out.String())
			}
		}
	}
}
