package ledger_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

// head is a record that has begun, of a run of eight processes.
func head(t testing.TB) string { return Written([]Entry{TwoRanks()}).String() }

// loadsOf reads the Loads of a record.
func loadsOf(t testing.TB, record string) []Load {
	t.Helper()
	d := NewDecoder("r", strings.NewReader(record)).WithLoads()
	var all []Load
	for {
		e, err := d.Next()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if l, ok := e.(*Load); ok {
			all = append(all, *l)
		}
	}
}

func TestLoadsAreReadAsTheyWereWritten(t *testing.T) {
	want := Load{
		First: 3, Last: 7, Count: 2, Site: `a "b".go:1`, Work: []float64{0, 1, 1e-9, 0.5, 12345.6789, 1e12, 3.25e-7, 2},
		Messages: []Message{{From: 1, To: 0, Bytes: 8}, {From: 7, To: 6, Bytes: 0.25}}, State: []int64{1, 2, 3, 4, 5, 6, 7, 1 << 50}, Over: 0.5,
	}
	line := string(AppendLoad(nil, &want))
	if got := loadsOf(t, head(t)+line); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v\nof %s", got, line)
	}
	// Other readers need not have them.
	if h, err := ReadFrom("r", strings.NewReader(head(t)+line)); err != nil || len(h.Problems) > 0 {
		t.Errorf("%v, %q", err, h.Problems)
	}
}

func TestMalformedLoads(t *testing.T) {
	const zeros = "[0,0,0,0,0,0,0,0]"
	for line, want := range map[string]string{
		`"first":1,"last":1,"count":2,"work":` + zeros:                              "r:2:1: workload: 2 supersteps between 1 and 1",
		`"first":1,"last":1,"count":1,"work":[0]`:                                   "r:2:1: workload of superstep 1: work of 1 processes; expected 8",
		`"first":1,"last":1,"count":1,"work":[0,-1,0,0,0,0,0,0]`:                    "process 1 works -1 s; expected a number from 0 on",
		`"first":1,"last":1,"count":1,"msg":[[1,8,3]],"work":` + zeros:              "3 bytes from process 1 to 8; expected a number from 0 on, and processes below 8",
		`"first":1,"last":1,"count":1,"msg":[[1,2]],"work":` + zeros:                "[1 2] is no message; expected the sender, the receiver and bytes",
		`"first":1,"last":1,"count":1,"msg":[[1.5,2,1]],"work":` + zeros:            "is no message",
		`"first":1,"last":1,"count":1,"state":[1],"work":` + zeros:                  "state of 1 processes; expected 8",
		`"first":1,"last":1,"count":1,"work":` + zeros + `,"state":[-1` + zeros[2:]: "the state of process 0 has -1 bytes",
		`"first":1,"last":1,"count":1,"over":-1,"work":` + zeros:                    "-1 s over; expected a number from 0 on",
		`"first":1,"last":1,"count":"x"`:                                            "expected a int",
	} {
		d := NewDecoder("r", strings.NewReader(head(t)+LoadPrefix+","+line+"}\n")).WithLoads()
		d.Next()
		if e, err := d.Next(); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "r:2:") {
			t.Errorf("%s: %v, %v, want %q", line, e, err, want)
		}
	}
}

func FuzzLoads(f *testing.F) {
	f.Add(LoadPrefix + `,"first":1,"last":2,"count":2,"site":"a","work":[1,2,3,4,5,6,7,8],"msg":[[0,1,2.5]],"state":[1,2,3,4,5,6,7,8]}`)
	f.Add(LoadPrefix + `,"first":1,"last":2,"msg":[[0,1e300,2.5],[]]}`)
	f.Add(LoadPrefix + `,"work":null`)
	before := head(f)
	f.Fuzz(func(t *testing.T, line string) {
		d := NewDecoder("r", strings.NewReader(before+line+"\n")).WithLoads()
		d.Next()
		e, err := d.Next()
		l, ok := e.(*Load)
		if err != nil || !ok {
			return
		}
		again := loadsOf(t, before+string(AppendLoad(nil, l)))
		if len(again) != 1 || len(again[0].Work) != 8 || len(again[0].Messages) != len(l.Messages) || again[0].Count != l.Count {
			t.Errorf("%+v, written and read again %+v", l, again)
		}
	})
}

// The window adds up supersteps that end at two positions in turn.
func TestLoadWindow(t *testing.T) {
	w := NewLoadWindow(3)
	var got []string
	enter := func(l *Load) { got = append(got, fmt.Sprintf("%+v", *l)) }
	for n := 1; n <= 5; n++ {
		site := "ab"[n%2 : n%2+1]
		w.Step(n, site)
		w.Work(site, 1, float64(n))
		w.Send(site, Message{From: 2, To: 1, Bytes: 10})
		w.Send(site, Message{From: 2, To: 0, Bytes: 1})
		w.Send(site, Message{From: 1, To: 1, Bytes: 99})
		w.Over(site, 0.5)
	}
	w.State(2, 7)
	w.Close(enter)
	w.Step(6, "b")
	w.State(2, 7)
	w.Close(enter)
	w.Close(enter)
	want := []string{
		"{First:1 Last:5 Count:3 Site:b Work:[0 9 0] Messages:[{From:2 To:0 Bytes:3} {From:2 To:1 Bytes:30}] State:[0 0 7] Over:1.5}",
		"{First:2 Last:4 Count:2 Site:a Work:[0 6 0] Messages:[{From:2 To:0 Bytes:2} {From:2 To:1 Bytes:20}] State:[] Over:1}",
		"{First:6 Last:6 Count:1 Site:b Work:[0 0 0] Messages:[] State:[] Over:0}",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// If ranks disagree on the positions where supersteps end, the sums stay complete; only differing
// positions are lost.
func TestLoadWindowOfStrayPlaces(t *testing.T) {
	for places, want := range map[string]string{"aa": "a", "ab": SeveralSites} {
		w := NewLoadWindow(2)
		for n := range 2 {
			site := places[n : n+1]
			w.Step(n+1, site)
			w.Work(site, 0, 1)
			w.Work("c", 1, 2)
			w.Send("c", Message{From: 0, To: 1, Bytes: 3})
		}
		for range 2 {
			var got []Load
			w.Close(func(l *Load) { got = append(got, *l) })
			w.Step(1, want)
			w.Step(2, want)
			w.Work(want, 0, 2)
			w.Work(want, 1, 4)
			w.Send(want, Message{From: 0, To: 1, Bytes: 6})
			if len(got) != 1 || got[0].Site != want || got[0].Count != 2 || got[0].Last != 2 || !reflect.DeepEqual(got[0].Messages, []Message{{0, 1, 6}}) {
				t.Errorf("%s: %+v", places, got)
			}
		}
	}
}

// In an all-to-all exchange of many processes, the totals of senders and receivers are kept.
func TestMessagesAreBounded(t *testing.T) {
	const procs = 700
	w := NewLoadWindow(procs)
	w.Step(1, "a")
	for from := range procs {
		for to := range procs {
			w.Send("a", Message{From: from, To: to, Bytes: 10})
		}
	}
	w.Close(func(l *Load) {
		sent, received := make([]float64, procs), make([]float64, procs)
		for _, m := range l.Messages {
			sent[m.From] += m.Bytes
			received[m.To] += m.Bytes
		}
		for pid := range procs {
			if all := float64(10 * (procs - 1)); sent[pid] < 0.99*all || sent[pid] > 1.01*all || received[pid] < 0.99*all || received[pid] > 1.01*all {
				t.Fatalf("process %d sends %g bytes and receives %g, want %g", pid, sent[pid], received[pid], all)
			}
		}
		if len(l.Messages) > MostMessages {
			t.Errorf("%d messages", len(l.Messages))
		}
	})
	for _, few := range [][]Message{{{1, 0, 5}}, make([]Message, 200)} {
		all := 0.0
		for i := range few {
			few[i] = Message{From: 2 + i, To: 1, Bytes: 5}
			all += 5
		}
		for _, m := range Thin(few, 1<<20) {
			all -= m.Bytes
		}
		if all > 1e-6 || all < -1e-6 {
			t.Errorf("%d messages have lost %g bytes", len(few), all)
		}
	}
}

// As Loads fill a record, each covers more supersteps.
func TestLoadsGetLonger(t *testing.T) {
	var out File
	r := NewRecorder(&out, func(err error) { t.Error(err) }).Unhurried()
	run := TwoRanks()
	run.Procs, run.Mapping = 1000, Mapping{{0, 1000}}
	r.Begin(run)
	l := Load{Count: 1, Site: "a", Work: make([]float64, run.Procs)}
	for i := range l.Work {
		l.Work[i] = 1.0 / float64(i+3)
	}
	step := 0
	for step < 1<<15 {
		l.First = step + 1
		l.Count = r.LoadWidth()
		step += l.Count
		l.Last = step
		r.Enter(&l)
	}
	r.Close(&End{}, nil)
	if width := r.LoadWidth(); width < 32 || width > 256 {
		t.Errorf("%d supersteps in a Load", width)
	}
	if n := out.Len(); n > 8*MostLoadBytes {
		t.Errorf("%d bytes", n)
	}
	if !bytes.Contains(out.Bytes(), []byte(LoadPrefix)) {
		t.Error("no Loads")
	}
}

// The first Loads are written one by one, at any cost, and do not make later ones coarser.
func TestFirstLoadsAreFine(t *testing.T) {
	var out File
	r := NewRecorder(&out, func(err error) { t.Error(err) })
	r.Begin(TwoRanks())
	r.LoadWidth()
	l := Load{First: 1, Last: 1, Count: 1, Site: "a", Work: make([]float64, 8)}
	for r.LoadBytes() < FewLoadBytes-1000 {
		r.Enter(&l)
	}
	if spent, free := r.Spent(); r.LoadWidth() != 1 || spent < free {
		t.Errorf("%d supersteps in a Load, %v spent, %v of it free", r.LoadWidth(), spent, free)
	}
}
