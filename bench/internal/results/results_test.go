package results

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWrittenLinesCanBeRead(t *testing.T) {
	want := Run{"bench/bsp", "migbsp in-process", 2, []Row{
		{Measure: "empty", P: 2, MinUS: 0.125, MedianUS: 0.5},
		{Measure: "put_1MiB", P: 2, MinUS: 100, MedianUS: 120, Bytes: 1 << 20, Ops: 1, GBPerS: 10.49},
	}}
	var b bytes.Buffer
	header := Header{Header: frame.NewHeader(want.Program, []string{"-json"}), Library: want.Library, P: want.P}
	lines := []any{header, want.Rows[0], Skip{"put_64MiB", 2, "too large"}, want.Rows[1]}
	for _, line := range lines {
		must.Do(t, frame.WriteLine(&b, line))
	}
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got, []Run{want}) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// The output of a launcher is skipped, rows that name their libraries are separated by them, and a
// broken line is named.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`a launcher's warning
{"program":"bspbench.c","library":"A","p":2}
{"measure":"put_1MiB","p":2,"min_us":30,"median_us":40,"bytes":1048576,"ops":1,"gb_per_s":12.5}

{"program":"bspbench.c","library":"A","p":4}
{"measure":"empty","p":4,"min_us":0.6,"median_us":0.8,"bytes":0,"ops":0}
`: "A 2: put_1MiB 12.5; A 4: empty 0; <nil>",
		`{"library":"A","round":1,"measure":"empty","p":2,"min_us":1,"median_us":2,"bytes":0,"ops":0}
{"library":"A","round":1,"measure":"put8_1","p":2,"min_us":1,"median_us":2,"bytes":8,"ops":1}
{"library":"B","round":1,"measure":"empty","p":2,"min_us":3,"median_us":4,"bytes":0,"ops":0}
`: "A 2: empty 0, put8_1 0; B 2: empty 0; <nil>",
		"warning\n{\"measure\":\n": "line 2",
	} {
		runs, err := Read(strings.NewReader(text))
		got := ""
		for _, run := range runs {
			rows := frame.Each(run.Rows, func(r Row) string { return fmt.Sprint(r.Measure, " ", r.GBPerS) })
			got += fmt.Sprintf("%s %d: %s; ", run.Library, run.P, strings.Join(rows, ", "))
		}
		if got += fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s\nis read as %s, want %s", text, got, want)
		}
	}
}

func TestMergeTakesMinimumAndMedianOfMedians(t *testing.T) {
	var m Merged
	m.Add(Row{Measure: "b", P: 2, MinUS: 5, MedianUS: 9, GBPerS: 1}, Row{Measure: "a", P: 2, MinUS: 1, MedianUS: 1})
	m.Add(Row{Measure: "b", P: 2, MinUS: 4, MedianUS: 30, GBPerS: 2})
	m.Add(Row{Measure: "b", P: 2, MinUS: 6, MedianUS: 10, GBPerS: 3}, Row{Measure: "b", P: 4, MinUS: 1, MedianUS: 1})
	want := []Row{
		{Measure: "b", P: 2, MinUS: 4, MedianUS: 10, GBPerS: 2},
		{Measure: "a", P: 2, MinUS: 1, MedianUS: 1},
		{Measure: "b", P: 4, MinUS: 1, MedianUS: 1},
	}
	if got := m.Rows(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, found := m.Find("c", 2); found {
		t.Error("found a measure that was never added")
	}
}

func TestMicros(t *testing.T) {
	for us, want := range map[float64]string{
		0.00731: "7.31 ns", 0.137: "137 ns", 0.9999: "1.00 us", 24.25: "24.2 us",
		12477: "12.5 ms", 2.5e6: "2.50 s", -0.05: "-50.0 ns", 0: "0.00 ns",
	} {
		if got := Micros(us); got != want {
			t.Errorf("Micros(%v) = %q, want %q", us, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{MinUS: 100, Bytes: 1 << 20, Ops: 1}, "10.5 GB/s"},
		{Row{MinUS: 10, Bytes: 8000, Ops: 1000}, "100 M/s"},
		{Row{MinUS: 1}, ""},
	} {
		if got := c.row.Rate(); got != c.want {
			t.Errorf("Rate of %+v = %q, want %q", c.row, got, c.want)
		}
	}
}
