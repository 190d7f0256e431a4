package placement

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
)

// twoHosts returns a platform with ranks 0 and 1 on host a, and 2 and 3 on host b.
func twoHosts() *rebalancer.Platform {
	p := rebalancer.Uniform(4, rebalancer.Link{})
	for rank, host := range []string{"a", "a", "b", "b"} {
		p.Ranks[rank].Host = host
	}
	return &p
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int32
	}{
		{"map,0,b,3\nmap,1,a,0\nmap,2,a,0\nmap,3,b,2\n", []int32{3, 0, 0, 2}},
		{"# by hand\n\n map , 3 , a \nmap,0,b\nmap,1,b\nmap,2,b\n", []int32{2, 3, 3, 1}},
		{"steps,1\nwork,1,0,5\nmap,0,a\nmap,1,a\nmap,2,b\nmap,3,b,2\nmsg,1,0,1,8\nsite,1,a,b", []int32{0, 1, 3, 2}},
	} {
		name := filepath.Join(t.TempDir(), "m.csv")
		must.Write(t, name, c.text, 0o600)
		got, err := (&Machine{Platform: twoHosts()}).Read(name, 4)
		if err != nil || c.want != nil && !slices.Equal(got.Where, c.want) {
			t.Errorf("%q: %v, %v, want %v", c.text, got.Where, err, c.want)
		}
		if !strings.HasPrefix(got.Why, "from "+name+": ") {
			t.Errorf("%q", got.Why)
		}
	}
}

// An error names the place, the input, and the expected input.
func TestReadRefuses(t *testing.T) {
	const whole = "map,0,a\nmap,1,a\nmap,2,b\nmap,3,b\n"
	for text, want := range map[string]string{
		"":                       ": process 0 has no line; expected a line map,process,host or map,process,host,rank for each of the 4 processes",
		"map,0,a\nmap,1,a":       ": process 2 has no line; ",
		whole + "map,3,a":        ":5: process 3 is in line 4 too; expected one line for each process",
		"map,4,a":                `:1:5: "4": expected a process of this run, 0 to 3`,
		"map,-1,a":               `:1:5: "-1": expected a process of this run, 0 to 3`,
		"map,x,a":                `:1:5: "x": expected a process of this run, 0 to 3`,
		"map,0,c":                `:1:7: "c": expected a host of this run: a, b`,
		"map,0,a,4":              `:1:9: "4": expected a rank from 0 to 3`,
		"map,0,a,-1":             `:1:9: "-1": expected a rank from 0 to 3`,
		"map,0,a,2":              `:1:9: "2": expected a rank of a: [0 1]; rank 2 is on b`,
		"map,0":                  ":1: 2 fields; expected map,process,host or",
		"map,0,a,0,0":            ":1: 5 fields; expected map,process,host or",
		"\nmop,0,a":              `:2:1: "mop": expected map,process,host or`,
		strings.Repeat("x", 2e6): ":1: bufio.Scanner: token too long",
	} {
		name := filepath.Join(t.TempDir(), "m.csv")
		must.Write(t, name, text, 0o600)
		if _, err := (&Machine{Platform: twoHosts()}).Read(name, 4); err == nil || !strings.HasPrefix(err.Error(), name+want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if _, err := (&Machine{Platform: twoHosts()}).Read(t.TempDir(), 4); err == nil || !strings.Contains(err.Error(), "is a directory; expected a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("map,0,a\nmap,1,b,3\n")
	f.Add("steps,1\nmap,0,a,0\nmap,1,a,9")
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(t.TempDir(), "m.csv")
		must.Write(t, name, text, 0o600)
		got, err := (&Machine{Platform: twoHosts()}).Read(name, 2)
		if err != nil {
			return
		}
		for _, rank := range got.Where {
			if rank < 0 || rank > 3 {
				t.Errorf("%q: %v", text, got.Where)
			}
		}
	})
}
