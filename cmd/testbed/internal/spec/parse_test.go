package spec

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const three = `# three clusters
cores 2
cluster alpha hosts=3 speed=30% slots=2 rate=100Mb/s
link beta alpha rate=50Mb/s latency=5ms # in any order
cluster  beta	hosts=2 speed=25%,12.5%
cluster gamma hosts=1 speed=5%
`

func parse(t *testing.T, text string) *Spec {
	t.Helper()
	s := must.Get(Parse("s", text))(t)
	return s
}

func TestParse(t *testing.T) {
	s := parse(t, three)
	if s.Cores != 2 || len(s.Clusters) != 3 || s.Slots() != 9 {
		t.Errorf("%+v", s)
	}
	var hosts []string
	for _, h := range s.Hosts() {
		hosts = append(hosts, h.Name+" "+h.Speed.String())
	}
	if got, want := strings.Join(hosts, ", "), "alpha1 30%, alpha2 30%, alpha3 30%, beta1 25%, beta2 12.5%, gamma1 5%"; got != want {
		t.Errorf("hosts are %s, want %s", got, want)
	}
	if l := s.Link(1, 0); l != (Link{0, 1, 50e6, 5 * time.Millisecond}) || s.LinkName(l) != "alpha-beta" {
		t.Errorf("link %+v", l)
	}
	if l := s.Link(0, 2); l != (Link{A: 0, B: 2}) {
		t.Errorf("a link that is not described is %+v", l)
	}
}

func TestWrongLines(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "s:1:1: a file without clusters"},
		{"other word", "hosts 3\n", `s:1:1: "hosts", expected cores, cluster or link`},
		{"cores twice", "cores 1\ncores 2\n", "s:2:1: cores again, expected them once, and line 1"},
		{"no cores", "cores\n", "s:1:1: 0 words after cores"},
		{"many cores", "cores 1 2\n", "s:1:9: 2 words after cores"},
		{"cores of none", "cores 0\n", `s:1:7: cores "0", expected a number from 1 to 1024`},
		{"signed cores", "cores +1\n", `s:1:7: cores "+1"`},
		{"no name", "cluster\n", "s:1:1: cluster without a name"},
		{"attribute for a name", "cluster hosts=2\n", `s:1:9: cluster name "hosts=2"`},
		{"name ends with a digit", "cluster a1 hosts=1 speed=1%\n", `s:1:9: cluster name "a1"`},
		{"name of a partition", "cluster all hosts=1 speed=1%\n", `s:1:9: cluster name "all"`},
		{"name twice", "cluster a hosts=1 speed=1%\ncluster a hosts=1 speed=1%\n", "s:2:9: cluster a again"},
		{"no hosts", "cluster a speed=1%\n", "s:1:9: cluster a without hosts"},
		{"no speed", "cluster a hosts=2\n", "s:1:1: 0 speeds for 2 hosts"},
		{"other number of speeds", "cluster a hosts=3 speed=1%,2%\n", "s:1:25: 2 speeds for 3 hosts"},
		{"second speed", "cluster a hosts=2 speed=1%,x%\n", `s:1:28: speed "x%", expected a part of a processor from 1% to 90%`},
		{"speed as a number", "cluster a hosts=2 speed=0.3\n", `s:1:25: speed "0.3"`},
		{"whole processor", "cluster a hosts=2 speed=100%\n", `s:1:25: speed "100%"`},
		{"not a number", "cluster a hosts=2 speed=NaN%\n", `s:1:25: speed "NaN%"`},
		{"no value", "cluster a hosts= speed=1%\n", `s:1:11: "hosts=", expected a value behind hosts=`},
		{"other key", "cluster a hosts=1 speed=1% latency=1ms\n", `s:1:28: "latency=1ms", expected one of hosts=, speed=, slots=, rate=`},
		{"key twice", "cluster a hosts=1 speed=1% hosts=2\n", "s:1:28: hosts= again"},
		{"no unit", "cluster a hosts=1 speed=1% rate=100\n", `s:1:33: rate "100", expected bits or bytes per second from 64kb/s to 40Gb/s`},
		{"slow", "cluster a hosts=1 speed=1% rate=1kb/s\n", `s:1:33: rate "1kb/s"`},
		{"many hosts", "cluster a hosts=40 speed=1%\ncluster b hosts=40 speed=1%\n", "s:2:1: 80 hosts, expected at most 64"},
		{"one end", "cluster a hosts=1 speed=1%\nlink a\n", "s:2:1: link without two clusters"},
		{"other end", "cluster a hosts=1 speed=1%\nlink a b\n", `s:2:8: cluster "b", expected one that a line`},
		{"itself", "cluster a hosts=1 speed=1%\nlink a a\n", "s:2:8: link from a to itself"},
		{"link twice", "cluster a hosts=1 speed=1%\ncluster b hosts=1 speed=1%\nlink a b\nlink b a\n", "s:4:1: link between b and a again, expected it once, and line 3"},
		{"long latency", "cluster a hosts=1 speed=1%\ncluster b hosts=1 speed=1%\nlink a b latency=1h\n", `s:3:18: latency "1h", expected a duration from 0s to 1s`},
		{"large", strings.Repeat("#\n", 1<<19+1), "s:1:1: a file of more than 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("s", c.text)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestErrorsAreInOrderAndNotTooMany(t *testing.T) {
	_, err := Parse("s", "link a\n"+strings.Repeat("x\n", 20))
	var problems hostfile.Problems
	if !errors.As(err, &problems) || len(problems) != 10 || problems[0].Line != 1 || problems[9].Line != 10 {
		t.Errorf("got %v", err)
	}
}

// The host file and the description must agree.
func TestHostFile(t *testing.T) {
	s := parse(t, three)
	f := must.Get(hostfile.Parse("h", strings.NewReader(s.HostFile())))(t)
	if f.Ranks() != s.Slots() || len(f.Hosts) != 6 || len(f.Sets) != 3 || len(f.Links) != 1 {
		t.Errorf("%d ranks, %d hosts, %d Sets, %d links", f.Ranks(), len(f.Hosts), len(f.Sets), len(f.Links))
	}
	for i, h := range s.Hosts() {
		if f.Hosts[i].Name != h.Name || f.Hosts[i].Slots != h.Slots || f.Hosts[i].Speed != float64(h.Speed) {
			t.Errorf("host %+v is written as %+v", h, f.Hosts[i])
		}
	}
	if l := f.Links[0]; l.Rate != 50e6/8 || l.Latency != 5*time.Millisecond {
		t.Errorf("link is written as %+v", l)
	}
	if got := s.MachineFile(); !strings.HasPrefix(got, "alpha1:2\nalpha2:2\n") || strings.Count(got, "\n") != 6 {
		t.Errorf("machine file\n%s", got)
	}
}

// The examples are for machines with two processors.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../../../examples/*.testbed")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	for _, path := range paths {
		s, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := s.Place([]int{0, 1}); err != nil {
			t.Error(err)
		}
	}
	if _, err := Read("none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzParse looks for panics, for errors that lie outside the text, and for
// testbeds whose host files are not read.
func FuzzParse(f *testing.F) {
	paths, _ := filepath.Glob("../../../../examples/*.testbed")
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(f)
		f.Add(string(text))
	}
	for _, text := range []string{
		three, "cores\n", "cluster a\r\n", "cluster a hosts=64 speed=0.1%,,\n", "link a b latency=1us rate=1B/s\n", "\xff\x00 #\n", "cluster x hosts=1 speed=1% =\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("s", text)
		if err != nil {
			checkPlaces(t, text, err)
			return
		}
		if _, err := hostfile.Parse("h", strings.NewReader(s.HostFile())); err != nil {
			t.Fatalf("host file: %v\n%s", err, s.HostFile())
		}
		if places, err := s.Place([]int{0, 1, 2, 3}); err == nil && len(places) != len(s.Hosts()) {
			t.Fatalf("%d places for %d hosts", len(places), len(s.Hosts()))
		}
	})
}

// checkPlaces looks whether problems lie in the text.
func checkPlaces(t *testing.T, text string, err error) {
	t.Helper()
	var problems hostfile.Problems
	if !errors.As(err, &problems) || len(problems) == 0 || len(problems) > maxProblems {
		t.Fatalf("error %T of %d lines", err, len(problems))
	}
	lines := strings.Split(text, "\n")
	for _, p := range problems {
		if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 || p.Read == "" || p.Expected == "" {
			t.Fatalf("%+v", p)
		}
	}
}

func TestFigures(t *testing.T) {
	for text, want := range map[string]Rate{"100Mb/s": 100e6, "1.5MB/s": 12e6, "64kb/s": 64e3, "2Gb/s": 2e9, "80000B/s": 640e3} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("rate %s is read %v, %v", text, got, err)
		}
	}
	for rate, want := range map[Rate]string{0: "-", 100e6: "100Mb/s", 1.5e9: "1.5Gb/s", 64e3: "64kb/s"} {
		if got := rate.String(); got != want {
			t.Errorf("rate %g is written %s, want %s", float64(rate), got, want)
		}
	}
	for _, text := range []string{"", "Mb/s", "-1Mb/s", "1e3kb/s", "1 Mb/s", "1.2.3Mb/s", "41Gb/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("rate %q is read %v", text, got)
		}
	}
	for text, want := range map[string]Speed{"50%": 0.5, "100%": 1, "0.5%": 0.005} {
		if got, err := ParsePart(text); err != nil || got != want {
			t.Errorf("part %s is read %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0%", "101%", "%", "5", "-5%"} {
		if got, err := ParsePart(text); err == nil {
			t.Errorf("part %q is read %v", text, got)
		}
	}
}

func TestSpeedsSurviveWriting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		text := Speed(0.01 + 0.89*random.Float64()).String()
		if got, err := ParseSpeed(text); err != nil || got.String() != text {
			t.Fatalf("speed %s is read %v, %v", text, got, err)
		}
	}
}

func TestPlaceSharesOut(t *testing.T) {
	s := parse(t, "cluster a hosts=3 speed=30%\ncluster b hosts=3 speed=15%\ncluster c hosts=2 speed=25%,10%\n")
	places := must.Get(s.Place([]int{4, 7}))(t)
	given := map[int]Speed{}
	for i, h := range s.Hosts() {
		given[places[i]] += h.Speed
	}
	if len(given) != 2 || given[4].String() != "85%" || given[7].String() != "85%" {
		t.Errorf("processors give %v", given)
	}
}

func TestPlaceRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"too much", "cluster a hosts=5 speed=40%\n", "s: 120% of processor 0 given away, expected at most 90%"},
		{"a host that does not fit", "cluster a hosts=3 speed=50%\n", "s: 100% of processor 0"},
		{"more cores", "cores 3\ncluster a hosts=1 speed=50%\n", "s: cores 3, but this machine has 2"},
		{"one core", "cores 1\ncluster a hosts=2 speed=50%\n", "s: 100% of processor 0"},
	} {
		_, err := parse(t, c.text).Place([]int{0, 1})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	places, err := parse(t, "cores 1\ncluster a hosts=2 speed=45%\n").Place([]int{3, 5})
	if err != nil || !slices.Equal(places, []int{3, 3}) {
		t.Errorf("a processor that is just full: %v, %v", places, err)
	}
}
