package trace

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// A part of a run has its supersteps and calls, and the mapping of processes at its begin.
func TestPartOfARun(t *testing.T) {
	s := livetest.Story{Seed: 3, Steps: 400, Ranks: 16, Sets: 2, Procs: 4, Every: 16}
	record := s.Record()
	h := history(t, record)
	for _, c := range []struct{ from, to int }{{1, 1}, {100, 140}, {96, 96}, {390, 0}, {0, 50}, {390, 1000}} {
		f, made := traced(t, record, Options{From: c.from, To: c.to})
		to := c.to
		if to == 0 {
			to = s.Steps
		}
		within := func(step int) bool { return step >= c.from && step <= to }
		steps, calls, moves := 0, 0, 0
		for i := range h.Steps {
			if within(h.Steps[i].First) {
				steps++
			}
		}
		for i := range h.Calls {
			if within(h.Calls[i].Step) {
				calls++
				moves += h.Calls[i].Moved
			}
		}
		if got := len(f.of("X")[track{s.Ranks, supersteps}]); got != steps || made.Steps != steps || made.Moves != moves {
			t.Errorf("%v: %d supersteps, made %d with %d moves; want %d and %d", c, got, made.Steps, made.Moves, steps, moves)
		}
		seen := 0
		for _, e := range f.Events {
			if e.Ph == "X" && e.Pid == 0 && strings.HasPrefix(e.Name, "call ") {
				seen++
			}
		}
		if seen != calls {
			t.Errorf("%v: %d calls, want %d", c, seen, calls)
		}
		sum := 0.0
		first := f.of("C")
		for rank := range s.Ranks {
			sum += first[track{rank, 0}][0].Args["processes"].(float64)
		}
		if int(sum) != s.Ranks*s.Procs {
			t.Errorf("%v: there are %v processes at the beginning, want %d", c, sum, s.Ranks*s.Procs)
		}
	}
	if _, err := Write(io.Discard, "r", bytes.NewReader(record), Options{From: 401}); err == nil || !strings.Contains(err.Error(), "r: there is no superstep from 401 on; the last one here is 400") {
		t.Errorf("supersteps that there are not: %v", err)
	}
}

// Any remainder of a record becomes a complete trace.
func TestCutRecord(t *testing.T) {
	record := livetest.Story{Seed: 9, Steps: 12, Ranks: 3, Sets: 2, Procs: 2, Every: 4}.Record()
	head := bytes.IndexByte(record, '\n') + 1
	for n := head; n < len(record); n += 7 {
		_, made := traced(t, record[:n], Options{})
		if cut := record[n-1] != '\n'; cut != (made.Cut != "") || len(made.Problems) > 0 {
			t.Fatalf("cut at %d: %q, problems %q", n, made.Cut, made.Problems)
		}
	}
	for n, want := range map[int]string{0: "r: the file is empty", 20: "r:1:21: the record ends within its head", head - 1: "the record ends within its head"} {
		if _, err := Write(io.Discard, "r", bytes.NewReader(record[:n]), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("cut at %d: %v, want %q", n, err, want)
		}
	}
}

// Damaged lines are reported, and the others drawn.
func TestDamagedLines(t *testing.T) {
	record := livetest.Story{Seed: 9, Steps: 40, Ranks: 3, Sets: 2, Procs: 2, Every: 4}.Record()
	lines := bytes.SplitAfter(record, []byte("\n"))
	for i := 1; i < len(lines)-1; i++ {
		damaged := bytes.Join([][]byte{bytes.Join(lines[:i], nil), []byte("{\"type\":\n"), bytes.Join(lines[i+1:], nil)}, nil)
		if _, made := traced(t, damaged, Options{}); len(made.Problems) != 1 || !strings.HasPrefix(made.Problems[0], fmt.Sprintf("r:%d:", i+1)) {
			t.Fatalf("line %d is damaged: %q", i+1, made.Problems)
		}
	}
}

// Names can be any text, and neither break the trace nor steer its viewer.
func TestHostileNames(t *testing.T) {
	s := livetest.Story{Seed: 1, Steps: 10, Ranks: 5, Sets: 1, Procs: 1, Every: 2, Hosts: []string{"\x1b[2Jx", "a\"b\\", "\xff\xfe", "\u202eevil", "</script>\n"}}
	f, _ := traced(t, s.Record(), Options{})
	for rank, want := range []string{"rank 0 �[2Jx siteA", `rank 1 a"b\ siteA`, "rank 2 �� siteA", "rank 3 �evil siteA", "rank 4 </script> siteA"} {
		if got := f.name("process_name", track{rank, 0}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A packed record is read like a plain one, and g and l are found in both.
func TestOpen(t *testing.T) {
	record := stories["calls"].Record()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(record)
	z.Close()
	for name, text := range map[string][]byte{"plain": record, "packed": packed.Bytes()} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, text, 0o666))
		r := must.Get(ledger.Open(file))(t)
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, record) {
			t.Errorf("%s: read %d bytes of %d, %v", name, len(got), len(record), err)
		}
		r.Close()
		if m := Machine(file); m == nil || !reflect.DeepEqual(m, history(t, record).Account.Machine) {
			t.Errorf("%s: g and l are %+v", name, m)
		}
	}
	cut := filepath.Join(dir, "cut")
	os.WriteFile(cut, packed.Bytes()[:packed.Len()/2], 0o666)
	r := must.Get(ledger.Open(cut))(t)
	defer r.Close()
	if made, err := Write(io.Discard, cut, r, Options{}); err != nil || made.Cut == "" || len(made.Problems) > 0 || Machine(cut) != nil {
		t.Errorf("a packed record that was cut off: %v, problems %q", err, made.Problems)
	}
	open := stories["still going"].Record()
	os.WriteFile(cut, open, 0o666)
	if m := Machine(cut); m != nil {
		t.Errorf("a run that has not ended has %+v", m)
	}
}

// endless is a record whose supersteps do not end before limit bytes.
type endless struct {
	head, line []byte
	limit      int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.head) > 0 {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	if e.limit <= 0 {
		return 0, io.EOF
	}
	e.head = e.line
	e.limit -= len(e.line)
	return e.Read(p)
}

// Memory does not grow with the record.
func TestMemoryIsBounded(t *testing.T) {
	record := livetest.Story{Seed: 1, Steps: 1, Ranks: 64, Sets: 2, Procs: 1}.Record()
	lines := bytes.SplitAfter(record, []byte("\n"))
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := &measuring{during: &during}
	must.Get(Write(w, "r", &endless{head: lines[0], line: lines[1], limit: 4 << 20}, Options{}))(t)
	const most = 4 << 20
	if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > most {
		t.Errorf("%d bytes more are in use at the end of %d", grown, w.written)
	}
	if w.written < 25<<20 {
		t.Errorf("only %d bytes were written: nothing was tested", w.written)
	}
}

// measuring looks at the memory now and then.
type measuring struct {
	during  *runtime.MemStats
	written int
	looked  int
}

func (m *measuring) Write(p []byte) (int, error) {
	m.written += len(p)
	if m.written-m.looked > 10<<20 {
		m.looked = m.written
		runtime.GC()
		runtime.ReadMemStats(m.during)
	}
	return len(p), nil
}

func FuzzWrite(f *testing.F) {
	record := livetest.Story{Seed: 6, Steps: 12, Ranks: 3, Sets: 2, Procs: 2, Every: 4}.Record()
	f.Add(record)
	f.Add(record[:len(record)/2])
	f.Add([]byte(`{"type":"run","schema":"migbsp.run/1","procs":1,"ranks":[{}],"sets":[{"manager":9}],"links":[[{}]],"mapping":[[0,1]]}` + "\n" +
		`{"type":"superstep","first":1,"last":1,"count":1,"at":1e300,"w":[1e300],"t":1e300}` + "\n" + `{"type":"migration"}` + "\n" + `{"type":"balance","call":1,"at":1e300}` + "\n"))
	f.Fuzz(func(t *testing.T, record []byte) {
		var text bytes.Buffer
		made, err := Write(&text, "r", bytes.NewReader(record), Options{Machine: &ledger.Machine{PerByte: 1e-9}})
		if err != nil {
			return
		}
		trace := parsed(t, text.Bytes())
		if len(trace.Events) != made.Events {
			t.Errorf("%d events, said to be %d", len(trace.Events), made.Events)
		}
	})
}
