package text

import (
	"slices"
	"testing"

	"github.com/migbsp/migbsp/ledger/tell"
)

// FuzzParseTable reads names of tables with any settings.
func FuzzParseTable(f *testing.F) {
	f.Add("steps,every=10,imb=1.5,moves,site=panel.go:104,width=120,to=x.csv")
	f.Add("verdict,every=1")
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseTable(text)
		if err == nil && (!slices.Contains(tell.Views, spec.Name) || spec.Every < 0 || !(spec.Imbalance >= 0)) {
			t.Errorf("%q is %+v", text, spec)
		}
	})
}
