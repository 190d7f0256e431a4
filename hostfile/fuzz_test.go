package hostfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// FuzzParse looks for panics, for errors in another form, and for files that do
// not survive writing.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("../examples/*.hosts")
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(f)
		f.Add(string(text), false, false)
	}
	for _, text := range []string{
		platform, "a /* b */ slots = 2 max-slots=3 // c\r\n", "rank 0=a slot=0:1\nrank 1=b slot=*\n", "^a\na\nb:3\n", "u@[fe80::1]:2\n",
		"a.b\na.c\nA.B\n", "#@set x nodes=n[01-3,7]-ib,[::1] manager=::1\nn[1-9]-ib\n::1\n", "a user=\"b\"\n#@host a speed=1e-3 # c\n",
		"\xef\xbb\xbfa\n", "n[0-999]x[0-99]\n", "#@@\n#@\n", "123\n1.2.3.4\n+n1\n+e:2\n",
	} {
		f.Add(text, true, false)
		f.Add(text, false, true)
	}
	f.Fuzz(func(t *testing.T, text string, strict, full bool) {
		rules := Rules{Strict: strict, FullNames: full}
		file, err := rules.Parse("h", strings.NewReader(text))
		if err != nil {
			problems, ok := err.(Problems)
			if !ok || len(problems) == 0 || len(problems) > maxProblems {
				t.Fatalf("error %T of %d lines", err, len(problems))
			}
			checkPlaces(t, text, problems)
			return
		}
		checkPlaces(t, text, file.Warnings)
		checkSound(t, file)
		rules.Strict = rules.Strict || len(file.Sets) > 1
		checkRoundTrip(t, rules, file)
	})
}

// checkPlaces looks whether problems lie in the text.
func checkPlaces(t *testing.T, text string, problems []Problem) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 || p.Read == "" {
			t.Fatalf("%v", p)
		}
	}
}

// checkSound looks for what a File always has.
func checkSound(t *testing.T, f *File) {
	t.Helper()
	if len(f.Sets) == 0 || len(f.Hosts) > maxHosts {
		t.Fatalf("%d Sets, %d hosts", len(f.Sets), len(f.Hosts))
	}
	for i := range f.Sets {
		rank := f.Manager(i)
		if host := f.Place(rank); host < 0 || f.Hosts[host].Set != i {
			t.Fatalf("manager of Set %d is rank %d on host %d", i, rank, host)
		}
	}
	for _, h := range f.Hosts {
		if h.Name == "" || h.Set < 0 || h.Set >= len(f.Sets) || h.Slots < 0 || !(h.Speed > 0) || h.Memory < 0 || h.Line < 1 {
			t.Fatalf("%+v", h)
		}
	}
	for _, l := range f.Links {
		if l.A == l.B || !(l.Rate > 0) || l.Latency < 0 {
			t.Fatalf("%+v", l)
		}
	}
}
