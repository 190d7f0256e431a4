package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

const (
	headLine = `{"type":"run","schema":"migbsp.run/1","program":"p","procs":2,"ranks":[{"host":"a","speed":1},{"host":"b","speed":0.5}],"sets":[{"name":"s"}],"links":[[{}]],"mapping":[[1,1],[0,1]]}` + "\n"
	loadLine = `{"type":"workload","first":1,"last":4,"count":2,"site":"a.go:1","work":[2,4],"msg":[[0,1,100]]}` + "\n"
	thenLine = `{"type":"workload","first":2,"last":3,"count":2,"site":"a.go:2","work":[1,0],"msg":[],"state":[10,20]}` + "\n"
	endLine  = `{"type":"end","code":0,"at":1,"supersteps":4}` + "\n"
)

// Supersteps of blocks have their original positions, and are the block's mean.
func TestReplayOfBlocks(t *testing.T) {
	r := must.Get(read("r", strings.NewReader(headLine+loadLine+thenLine+endLine), 10))(t)
	if r.Steps() != 4 || r.Processes() != 2 || r.State(0) != 10 || r.Hosts()[0] != "b" {
		t.Errorf("%+v", r)
	}
	for k, want := range []string{"a.go:1", "a.go:2", "a.go:2", "a.go:1"} {
		s := sim.Step{Work: make([]float64, 2)}
		if err := r.Fill(k, &s); err != nil || s.Site != want {
			t.Errorf("superstep %d ends at %s, want %s; %v", k, s.Site, want, err)
		}
		if want == "a.go:1" && (s.Work[0] != 10 || s.Work[1] != 20 || len(s.Messages) != 1 || s.Messages[0] != sim.Message{From: 0, To: 1, Bytes: 50}) {
			t.Errorf("%+v", s)
		}
		if want == "a.go:2" && (s.State == nil || s.State[1] != 20) {
			t.Errorf("%+v", s)
		}
	}
	if w := strings.Join(r.Warnings(), "\n"); !strings.Contains(w, "up to 2 supersteps added up") || strings.Contains(w, "no end") {
		t.Error(w)
	}
}

func TestRecordsThatCannotBeReplayed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "r:1:1: the file is empty"},
		"old":         {headLine + `{"type":"progress"}` + "\n" + endLine, `r:1:1: the record has no lines of type "workload", which say what each process does; expected one of a program that this version was built with: run it again with -run-dir DIR`},
		"other":       {"work,1,0,5\n", `r:1:1: "work,1,0,5" is not the head of a record`},
		"broken line": {headLine + loadLine + "{\"type\":\n", "r:3:8: "},
		"wrong line":  {headLine + strings.Replace(loadLine, "[2,4]", "[2,4,5]", 1), "r:2:1: workload of superstep 1: work of 3 processes; expected 2"},
		"too many":    {headLine + loadLine + strings.NewReplacer(`"last":4`, `"last":40000000`, `"count":2`, `"count":30000000`).Replace(loadLine), "r:3:1: 30000000 supersteps after 2 others; expected at most 10000000"},
	} {
		if _, err := read("r", strings.NewReader(c.text), 1); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	r, err := read("r", strings.NewReader(headLine+loadLine+thenLine[:20]), 1)
	if err != nil || r.Steps() != 2 || !strings.Contains(r.Warnings()[1], "r has no end: the run went on after superstep 2, or was killed") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestIs(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		is   bool
	}{"run.jsonl": {headLine, true}, "w.csv": {"work,1,0,5\n", false}, "empty": {"", false}} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, []byte(c.text), 0o666))
		if Is(file) != c.is {
			t.Errorf("%s: %t", name, !c.is)
		}
	}
	if !Is(dir) || Is(filepath.Join(dir, "none")) {
		t.Error("directories")
	}
}

func FuzzReplay(f *testing.F) {
	f.Add(headLine + loadLine + thenLine + endLine)
	f.Add(headLine + thenLine)
	f.Add(loadLine)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := read("r", strings.NewReader(text), 1e9)
		if err != nil {
			return
		}
		r.Warnings()
		s := sim.Step{Work: make([]float64, r.Processes())}
		for k := range min(100, r.Steps()) {
			if err := r.Fill(k, &s); err != nil {
				t.Error(err)
			}
		}
	})
}
