package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// event is one of a trace, as its viewers read it.
type event struct {
	Ph   string         `json:"ph"`
	Name string         `json:"name"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   float64        `json:"ts"`
	Dur  float64        `json:"dur"`
	ID   int            `json:"id"`
	Args map[string]any `json:"args"`
}

// ns returns a time of a trace to the nanosecond.
func ns(microseconds float64) time.Duration { return time.Duration(math.Round(microseconds * 1000)) }

func (e *event) begin() time.Duration { return ns(e.Ts) }
func (e *event) end() time.Duration   { return ns(e.Ts) + ns(e.Dur) }
func (e *event) on() track            { return track{e.Pid, e.Tid} }

// file is a whole trace.
type file struct {
	Events []event           `json:"traceEvents"`
	Other  map[string]string `json:"otherData"`
}

// traced writes the trace of a record and reads it again.
func traced(t testing.TB, record []byte, o Options) (file, Made) {
	t.Helper()
	var text bytes.Buffer
	made := must.Get(Write(&text, "r", bytes.NewReader(record), o))(t)
	return parsed(t, text.Bytes()), made
}

func parsed(t testing.TB, text []byte) (f file) {
	t.Helper()
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return f
}

// of returns the events of a phase, by track and time.
func (f *file) of(phase string) map[track][]event {
	all := make(map[track][]event)
	for _, e := range f.Events {
		if e.Ph == phase {
			all[e.on()] = append(all[e.on()], e)
		}
	}
	for _, events := range all {
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.Ts, b.Ts) })
	}
	return all
}

// name returns the name that a metadata event gives to a track.
func (f *file) name(what string, on track) string {
	for _, e := range f.Events {
		if e.Ph == "M" && e.Name == what && e.on() == on {
			name, _ := e.Args["name"].(string)
			return name
		}
	}
	return ""
}

// history returns the record as its other readers see it.
func history(t testing.TB, record []byte) *ledger.History {
	t.Helper()
	h, err := ledger.ReadFrom("r", bytes.NewReader(record))
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	return h
}

// stories are runs of different kinds.
var stories = map[string]livetest.Story{
	"one rank":     {Seed: 1, Steps: 30, Ranks: 1, Sets: 1, Procs: 2},
	"no calls":     {Seed: 2, Steps: 200, Ranks: 4, Sets: 2, Procs: 2},
	"calls":        {Seed: 3, Steps: 160, Ranks: 16, Sets: 2, Procs: 4, Every: 16},
	"emulated":     {Seed: 4, Steps: 300, Ranks: 6, Sets: 3, Procs: 2, Every: 7, Emulated: true},
	"many":         {Seed: 5, Steps: 50, Ranks: 64, Sets: 3, Procs: 2, Every: 10},
	"added up":     {Seed: 6, Steps: 9000, Ranks: 2, Sets: 2, Procs: 1, Every: 50},
	"still going":  {Seed: 7, Steps: 250, Ranks: 4, Sets: 2, Procs: 2, Every: 16, Open: true},
	"has no steps": {Seed: 8, Ranks: 4, Sets: 2, Procs: 1},
}

// tale is a story's record, as others read it, and as its trace.
type tale struct {
	livetest.Story
	history *ledger.History
	trace   file
	made    Made
}

var tales = make(map[string]*tale)

// told returns all stories, each traced once for all tests.
func told(t *testing.T) map[string]*tale {
	t.Helper()
	for name, s := range stories {
		if tales[name] == nil {
			record := s.Record()
			f, made := traced(t, record, Options{})
			tales[name] = &tale{s, history(t, record), f, made}
		}
	}
	return tales
}
