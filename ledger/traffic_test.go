package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

// Messages belong to the ranks that their processes have at the time.
func TestReadTraffic(t *testing.T) {
	load := func(step int) *Load {
		return &Load{First: step, Last: step, Count: 1, Site: "a.go:1", Work: make([]float64, 8), Messages: []Message{{From: 0, To: 7, Bytes: 100}, {From: 3, To: 3, Bytes: 9}}}
	}
	entries := []Entry{TwoRanks(), Sample(1, "a.go:1", US, US), load(1), Sample(2, "a.go:1", US, US), load(2),
		&Call{Number: 1, Step: 2, Moved: 1, Considered: 0}, &Move{Call: 1, Step: 2, Pid: 0, From: 0, To: 1, Bytes: 1},
		Sample(3, "a.go:1", US, US), load(3), &End{Supersteps: 3}}
	name := filepath.Join(t.TempDir(), RecordName)
	must.Do(t, os.WriteFile(name, Written(t, entries).Bytes(), 0o666))
	h := must.Get(Read(name))(t)
	got := must.Get(h.ReadTraffic())(t)
	if got.Before.Steps != 2 || got.Before.Bytes[0][1] != 200 || got.After.Steps != 1 || got.After.Bytes[1][1] != 100 || got.After.Bytes[0][1] != 0 {
		t.Errorf("%+v", got)
	}
}
