package rebalancer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// fullDecision has something in each field.
func fullDecision() Decision {
	move := Move{Pid: 3, From: 1, To: 2, Bytes: 1 << 40, Reason: "for a reason"}
	return Decision{
		Step: 12, Call: 2, Moves: []Move{move}, Next: 20, Before: Pace{4, 0.5, 2}, After: Pace{8, 0.75, 0}, Balanced: true,
		Verdicts: []Verdict{{Pid: 3, Potential: Potential{Set: -1, Comp: 1, Comm: 2, Mem: 3}, To: 2, T1: 4, T2: 5, Moves: true, Rule: "t1 > t2"}},
		Bound:    Bound{1, 2, 3, 4, -1}, Forecast: Forecast{100, 9, 8, 0.5},
		Outcome: &Outcome{Call: 1, Steps: 4, Predicted: 3, Realised: 2, Cost: 1, Sure: true}, WhyNone: "not at all", UnexplainedTime: 7, Searched: 7,
		Foretelling: &Foretelling{0.1, 0.2, true}, Prediction: Prediction{"drift", 0.08, 0.1},
		Learned: Learned{Speeds: []float64{1, 2}, Available: []float64{0.5, 1}, Usual: []float64{0.25, 0.75}, Trust: 0.25, Unexplained: 0.5, Exchange: 3, Loads: [][]float32{{1, 2}}, Errors: []float32{0.5}, Told: &ToldSpeeds{[]float64{1, 4}, []float64{0.01, 0.02}, 8, 9}, LearnsNoMore: true, LastMoves: &LastMoves{
			Step: 4, Moves: []Move{move}, Before: ToldSpeeds{[]float64{1, 3}, []float64{0.03, 0.04}, 6, 7}, Took: []float64{5, 6}, noise: workNoise{7, 0.1, 0.2}, told: true,
		}, Pending: &Pending{
			Call: 1, Step: 8, Moves: []Move{move}, Forecast: Forecast{1, 2, 3, 4},
		}, Bank: &Bank{Time: 1, Saved: 2, Likely: 3, Doubt: 9, Gain: 4, Limit: 5, Leap: 6, Here: 7, AtHome: AtHome{Exchange: 2, Steps: 3, PerByte: 1e-9, Step: 0.1}, Hope: 3, Gone: true, Steps: 2}},
		Forced: []int32{1},
	}
}

func fullReport() Report {
	return Report{
		Ranks: []RankState{{1, 0.5, 0.75, -1, true, 3, 4, 0.7, 9, 0.3, 5, 6, 7}},
		Processes: []Process{{
			Pid: 3, Rank: 1, State: 1 << 50, Pinned: true, Request: -1, Work: 1, Time: 2, Regularity: 0.5,
			Sets: []SetTraffic{{1, 2, 3, 4}}, Best: Potential{Set: 1, Comp: 2, Comm: 3, Mem: 4}, RecentWork: []float32{1, 0.1}, SinceMove: 1,
			Partners: []Traffic{{Pid: 9, Bytes: 99}},
		}},
		Spreads: []StepSpread{{2, 3, 4, 5, 6, 7}}, Classes: []int{0, 1},
		Audits: []Audit{{1, []float32{2}, []HomeWork{{2, []float32{3}, []float32{4}}}}},
		Told:   []Told{{3, 100, []float32{90, 95}}},
	}
}

func fullHistory() History {
	return History{
		Regularity: 0.5, Sets: []SetTraffic{{1, 2, 3, 4}}, RecentWork: []float32{1, 2}, sinceMove: 1, withTraffic: 4,
		classes:  []classHistory{{work: 1, time: 2, inflow: []classTraffic{{1, 2, 3}}, seen: 3, withTraffic: 4}},
		partners: []Traffic{{Pid: 5, Bytes: 6}}, loads: []float32{7, 8},
	}
}

// Every field travels; reflect makes sure that no new one is forgotten.
func TestBinaryForms(t *testing.T) {
	d, r, h := fullDecision(), fullReport(), fullHistory()
	for _, x := range []any{d, r, h, d.Learned, *d.Learned.Pending, *d.Learned.LastMoves, *d.Learned.Told, d.Learned.LastMoves.noise, *d.Outcome, d.Moves[0], d.Forecast, r.Processes[0], h.classes[0], h.classes[0].inflow[0]} {
		v := reflect.ValueOf(x)
		for i := range v.NumField() {
			if v.Field(i).IsZero() && v.Type().Field(i).Tag.Get("wire") != "-" {
				t.Errorf("%s.%s is nothing in the example", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	var d2 Decision
	var r2 Report
	var h2 History
	check(t, d, &d2)
	check(t, r, &r2)
	for _, x := range []sizedForm{d, r, Decision{}, Report{}} {
		if b, err := x.AppendBinary(nil); err != nil || x.Size() != len(b) {
			t.Errorf("%T of %d bytes says that it has %d, %v", x, len(b), x.Size(), err)
		}
	}
	check(t, h, &h2)
	d.Learned.Pending.Moves = []Move{{Pid: 9, Reason: "of an earlier call"}}
	check(t, d, &d2)
	check(t, Decision{}, &Decision{})
	check(t, Report{Ranks: []RankState{{}}}, &Report{})
	check(t, Report{Processes: []Process{{}}}, &Report{})
	check(t, History{}, &History{})
}

type (
	binaryForm interface{ AppendBinary([]byte) ([]byte, error) }
	readable   interface{ UnmarshalBinary([]byte) error }
	sizedForm  interface {
		binaryForm
		Size() int
	}
)

// check encodes and decodes a value, and tests that truncated input is rejected.
func check[T binaryForm](t *testing.T, x T, back readable) {
	t.Helper()
	b, err := x.AppendBinary([]byte("before"))
	if err != nil || !bytes.HasPrefix(b, []byte("before")) {
		t.Fatalf("%q, %v", b, err)
	}
	b = b[len("before"):]
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatalf("%T: %v", x, err)
	}
	if got := reflect.ValueOf(back).Elem().Interface(); !reflect.DeepEqual(got, any(x)) {
		t.Errorf("got  %+v\nwant %+v", got, x)
	}
	for n := range b {
		if back.UnmarshalBinary(b[:n]) == nil {
			t.Errorf("%T: %d of %d bytes are read without an error", x, n, len(b))
		}
	}
	if back.UnmarshalBinary(append(b, 0)) == nil {
		t.Errorf("%T: a byte too many is read without an error", x)
	}
}

// Reasons shared by many moves, and moves that are still to be judged, are encoded once.
func TestMovesTakeFewBytes(t *testing.T) {
	d := Decision{Learned: Learned{Pending: new(Pending)}}
	before := d.Size()
	const moves = 1000
	for pid := range moves {
		d.Moves = append(d.Moves, Move{Pid: pid, From: 1, To: 2, Bytes: 1e6, Reason: "a reason of some length"})
	}
	d.Learned.Pending.Moves = slices.Clone(d.Moves)
	if each := float64(d.Size()-before) / moves; each > 10 {
		t.Errorf("%.3g bytes for each move", each)
	}
	check(t, d, new(Decision))
}

// A few bytes cannot ask for much memory.
func TestDamagedBytesAskForLittle(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
	for at := range 40 {
		b := append(bytes.Repeat([]byte{2}, at), huge...)
		b = append(b, make([]byte, 200)...)
		if n := testing.AllocsPerRun(1, func() { readAll(b) }); n > 500 {
			t.Errorf("%g allocations at %d", n, at)
		}
	}
}

func readAll(b []byte) (d Decision, r Report, h History, errs [3]error) {
	errs[0], errs[1], errs[2] = d.UnmarshalBinary(b), r.UnmarshalBinary(b), h.UnmarshalBinary(b)
	return d, r, h, errs
}

// Any bytes give an error or a value whose own bytes give the same value.
func FuzzBinaryForms(f *testing.F) {
	d, r, h := fullDecision(), fullReport(), fullHistory()
	for _, x := range []binaryForm{d, r, h, Decision{}, Report{}, History{}} {
		b, _ := x.AppendBinary(nil)
		f.Add(b)
		damaged := bytes.Clone(b)
		damaged[rand.New(rand.NewPCG(1, 2)).IntN(len(b))] ^= 0x55
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, r, h, errs := readAll(b)
		forms := []struct {
			x    binaryForm
			back interface {
				binaryForm
				readable
			}
		}{{d, new(Decision)}, {r, new(Report)}, {h, new(History)}}
		for i, form := range forms {
			if errs[i] != nil {
				continue
			}
			first, _ := form.x.AppendBinary(nil)
			if err := form.back.UnmarshalBinary(first); err != nil {
				t.Fatalf("%T: own bytes: %v", form.x, err)
			}
			if second, _ := form.back.AppendBinary(nil); !bytes.Equal(first, second) {
				t.Errorf("%T: %x, then %x", form.x, first, second)
			}
		}
		if errs[2] == nil {
			c := New(Uniform(2, Link{}), []int32{0, 1}, Spec{})
			c.Arrive(0, h)
			c.Observe(Observation{Processes: []Measure{{Pid: 0, Time: 1, Received: []Traffic{{Pid: 1, Bytes: 1}}}}})
		}
	})
}

// samples are values whose bytes testdata/wire.hex has.
func samples() []binaryForm {
	d := fullDecision()
	other := fullDecision()
	other.WhyNone, other.Outcome, other.Learned.Pending.Moves = "", nil, []Move{{Pid: 9, Reason: "t1 > t2"}, {Pid: 10}}
	large := Decision{Learned: Learned{Speeds: make([]float64, 200), Available: make([]float64, 200), Pending: new(Pending)}}
	for rank := range large.Learned.Speeds {
		large.Learned.Speeds[rank] = float64(1 + rank/70)
		large.Learned.Available[rank] = min(1, float64(rank)/5)
		large.Moves = append(large.Moves, Move{Pid: 7 * rank, From: rank, To: 199 - rank, Bytes: 1 << (rank % 60), Reason: []string{"", "a", "another reason"}[rank%3]})
	}
	large.Learned.Pending.Moves = slices.Clone(large.Moves)
	brief := large
	brief.Verdicts = nil
	brief.Moves = brief.Moves[:3]
	return []binaryForm{
		d, other, brief, large, Decision{}, fullReport(), Report{}, Report{Ranks: []RankState{{}}, Processes: []Process{{}}},
		largeReport(20), fullHistory(), History{},
	}
}

// largeReport returns a report of many processes with neighbours, two to a rank.
func largeReport(processes int) Report {
	r := Report{Classes: []int{0, 1, 0, 1}}
	random := rand.New(rand.NewPCG(1, 2))
	for pid := range processes {
		p := Process{Pid: pid, Rank: pid / 2, State: 1e6, Request: -1, Work: random.Float64(), Time: random.Float64(), Regularity: 1, Best: Potential{Set: pid % 5, Comp: 1, Comm: 2, Mem: 3}}
		for set := range 1 + pid%2 {
			p.Sets = append(p.Sets, SetTraffic{set, 1e3, 1e-3, 0.5})
		}
		for range r.Classes {
			p.RecentWork = append(p.RecentWork, random.Float32())
		}
		for i := range 4 {
			p.Partners = append(p.Partners, Traffic{Pid: (pid + i) % processes, Bytes: random.Int64N(1e6)})
		}
		r.Processes = append(r.Processes, p)
		if pid%2 == 0 {
			r.Ranks = append(r.Ranks, RankState{Rank: pid / 2, Available: 1, Free: -1, Elapsed: random.Float64(), Steps: 4, Remaining: 96})
		}
	}
	return r
}

// Simulated and emulated runs charge for the bytes of a call, so they must not
// change.
func TestBytesStay(t *testing.T) {
	var lines []string
	for _, x := range samples() {
		b := must.Get(x.AppendBinary(nil))(t)
		lines = append(lines, fmt.Sprintf("%T %x\n", x, b))
	}
	const file = "testdata/wire.hex"
	if *update {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644))
	}
	want, err := os.ReadFile(file)
	if got := strings.Join(lines, ""); err != nil || got != string(want) {
		t.Errorf("%s has other bytes (%v):\n%s", file, err, got)
	}
}

func BenchmarkReport(b *testing.B) {
	benchmarkForm(b, largeReport(1e5), func() readable { return new(Report) })
}

// benchmarkForm times encoding and decoding of a value.
func benchmarkForm(b *testing.B, x sizedForm, back func() readable) {
	bytes, _ := x.AppendBinary(nil)
	for name, f := range map[string]func(){
		"append": func() { bytes, _ = x.AppendBinary(bytes[:0]) },
		"size":   func() { x.Size() },
		"read":   func() { must.Do(b, back().UnmarshalBinary(bytes)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}

// BenchmarkDecision encodes a decision that moves all processes, with its reasons.
func BenchmarkDecision(b *testing.B) {
	d := Decision{Learned: Learned{Speeds: make([]float64, 1e4), Available: make([]float64, 1e4), Pending: new(Pending)}}
	for pid := range 100_000 {
		d.Moves = append(d.Moves, Move{Pid: pid, From: pid % 10_000, To: 1, Bytes: 1e6, Reason: []string{"a reason that some have", "a reason that others have"}[pid%2]})
		d.Verdicts = append(d.Verdicts, Verdict{Pid: pid, Moves: true, Rule: "a rule of some length"})
	}
	d.Learned.Pending.Moves = slices.Clone(d.Moves)
	benchmarkForm(b, d, func() readable { return new(Decision) })
}
