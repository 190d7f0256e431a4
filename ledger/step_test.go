package ledger_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

// Every field of a sum is the sum of that field, but for those that are listed here.
func TestStepsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		steps := make([]Step, 1+random.IntN(5))
		for i := range steps {
			fill(random, reflect.ValueOf(&steps[i]).Elem())
			if random.IntN(2) == 0 {
				steps[i].Count = 1
			}
		}
		sum := Step{Site: "kept", Work: make([]time.Duration, 3)}
		longest, last := &steps[0], 0
		for i := range steps {
			sum.Add(&steps[i])
			last = max(last, steps[i].Last)
			if steps[i].LongestOfOne() > longest.LongestOfOne() {
				longest = &steps[i]
			}
		}
		other := map[string]any{
			"First": steps[0].First, "At": steps[0].At, "Last": last, "Site": "kept", "Ranks": steps[len(steps)-1].Ranks,
			"Longest": longest.LongestOfOne(), "SlowestRank": longest.SlowestRank, "Slowest": longest.Slowest, "SlowestWork": longest.SlowestWork,
		}
		got := reflect.ValueOf(sum)
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			want, listed := other[name]
			if !listed {
				all := reflect.ValueOf(&Step{Work: make([]time.Duration, 3)}).Elem().Field(i)
				for k := range steps {
					addTo(all, reflect.ValueOf(&steps[k]).Elem().Field(i))
				}
				want = all.Interface()
			}
			if !reflect.DeepEqual(got.Field(i).Interface(), want) {
				t.Errorf("%s of the sum is %v, want %v, of %+v", name, got.Field(i), want, steps)
			}
		}
	}
}

// fill sets all that a value consists of to numbers above 0.
func fill(random *rand.Rand, v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(1 + random.Int64N(1000))
	case v.Kind() == reflect.String:
		v.SetString("somewhere")
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(random, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		fallthrough
	default:
		for i := range v.Len() {
			fill(random, v.Index(i))
		}
	}
}

// addTo adds x to sum, number by number.
func addTo(sum, x reflect.Value) {
	if sum.CanInt() {
		sum.SetInt(sum.Int() + x.Int())
		return
	}
	for i := range sum.Len() {
		addTo(sum.Index(i), x.Index(i))
	}
}

func TestBuildOf(t *testing.T) {
	settings := func(pairs ...string) (all []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		want          Build
		text          string
	}{
		{"nothing known", "", nil, Build{Version: "(devel)"}, ""},
		{"released", "v1.2.3", settings("-tags", "mpi"), Build{Version: "v1.2.3"}, ""},
		{
			"clean", "v0.1.0", settings("vcs.revision", "0123456789abcdef", "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "false"),
			Build{Version: "v0.1.0", Commit: "0123456789abcdef", Time: "2026-01-02T03:04:05Z"}, "commit 0123456789ab",
		},
		{
			"changed", "", settings("vcs.modified", "true", "vcs.revision", "abc"),
			Build{Version: "(devel)", Commit: "abc", Modified: true}, "commit abc and changes",
		},
	} {
		info := &debug.BuildInfo{Settings: c.settings}
		info.Main.Version = c.version
		got := BuildOf(info)
		if got != c.want || got.String() != c.text {
			t.Errorf("%s: got %+v (%s), want %+v (%s)", c.name, got, got, c.want, c.text)
		}
	}
}

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

// Messages belong to the ranks that their processes have at the time.
func TestReadTraffic(t *testing.T) {
	load := func(step int) *Load {
		return &Load{First: step, Last: step, Count: 1, Site: "a.go:1", Work: make([]float64, 8), Messages: []Message{{From: 0, To: 7, Bytes: 100}, {From: 3, To: 3, Bytes: 9}}}
	}
	entries := []Entry{TwoRanks(), Sample(1, "a.go:1", US, US), load(1), Sample(2, "a.go:1", US, US), load(2),
		&Call{Number: 1, Step: 2, Moved: 1, Considered: 0}, &Move{Call: 1, Step: 2, Pid: 0, From: 0, To: 1, Bytes: 1},
		Sample(3, "a.go:1", US, US), load(3), &End{Supersteps: 3}}
	name := filepath.Join(t.TempDir(), RecordName)
	must.Do(t, os.WriteFile(name, Written(entries).Bytes(), 0o666))
	h := must.Get(Read(name))(t)
	got := must.Get(h.ReadTraffic())(t)
	if got.Before.Steps != 2 || got.Before.Bytes[0][1] != 200 || got.After.Steps != 1 || got.After.Bytes[1][1] != 100 || got.After.Bytes[0][1] != 0 {
		t.Errorf("%+v", got)
	}
}
