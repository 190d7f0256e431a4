package rebalancer

import (
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

func TestAutoExplainsNoMoreThanAHundredThatStay(t *testing.T) {
	v := plainView(repeat(300, 1), make([]int32, 300), []float64{1})
	_, verdicts := autoDefinition.New(map[string]float64{"least": 0.02, "effort": 1}).Choose(v)
	if len(verdicts) != search.VerdictStays {
		t.Errorf("%d verdicts, want %d", len(verdicts), search.VerdictStays)
	}
	for _, x := range verdicts {
		if x.To != -1 || x.Moves || x.Rule != search.RuleNoRank {
			t.Fatalf("verdict %+v on a process that has nowhere to go", x)
		}
	}
}
