package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// element is one of a page's, with its attributes.
type element struct {
	name       string
	attributes map[string]string
	text       string // directly in it
}

var rawText = regexp.MustCompile(`(?s)(<(?:script|style)[^>]*>)(.*?)(</(?:script|style)>)`)

// elementsOf reads a page, in which all elements that need an end must have it.
func elementsOf(t testing.TB, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(rawText.ReplaceAllString(page, "$1$3")))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all []element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page cannot be read: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			made := element{name: e.Name.Local, attributes: make(map[string]string)}
			for _, a := range e.Attr {
				made.attributes[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, made)
		case xml.EndElement:
			if last := all[open[len(open)-1]].name; last != e.Name.Local {
				t.Fatalf("%s ends within %s", e.Name.Local, last)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(e)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("%s has no end", all[open[0]].name)
	}
	return all
}

// faults returns the errors in a page's markup.
func faults(all []element) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	ids, landmarks := make(map[string]bool), make(map[string]int)
	for _, e := range all {
		if id, has := e.attributes["id"]; has {
			if ids[id] {
				say("id %q is there twice", id)
			}
			ids[id] = true
		}
		landmarks[e.name]++
	}
	level := 0
	for i, e := range all {
		for _, name := range []string{"aria-labelledby", "for"} {
			for _, id := range strings.Fields(e.attributes[name]) {
				if !ids[id] {
					say("%s %s: there is no id %q", e.name, name, id)
				}
			}
		}
		for name, value := range e.attributes {
			switch {
			case name == "href" && strings.HasPrefix(value, "#"):
				if !ids[value[1:]] {
					say("a link to %q, which there is not", value)
				}
			case (name == "href" || name == "src" || name == "srcset" || name == "action") && !strings.HasPrefix(value, "data:image/png;base64,"):
				say("%s %s=%.60q leads elsewhere", e.name, name, value)
			case strings.HasPrefix(name, "on") || name == "style":
				say("%s has %s", e.name, name)
			}
		}
		switch {
		case e.name == "th" && e.attributes["scope"] == "":
			say("a heading of a table without scope: %q", e.text)
		case e.name == "svg" && e.attributes["role"] == "img" && (all[i+1].name != "title" || all[i+1].text == "" || all[i+2].name != "desc" || all[i+2].text == ""):
			say("picture %s has no title and description", e.attributes["id"])
		case e.name == "svg" && e.attributes["role"] != "img" && e.attributes["aria-hidden"] != "true":
			say("a picture is neither hidden nor named")
		case len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6':
			if next := int(e.name[1] - '0'); next > level+1 {
				say("%s %q follows h%d", e.name, e.text, level)
			} else {
				level = next
			}
		}
	}
	for _, name := range []string{"header", "nav", "main", "footer", "h1", "title"} {
		if landmarks[name] < 1 || name != "title" && landmarks[name] > 1 {
			say("there are %d of %s", landmarks[name], name)
		}
	}
	return wrong
}

// words returns all text of a page that a reader can see.
func words(all []element) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.text)
		b.WriteByte(' ')
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// chosenBy returns a strategy's verdicts on processes with random potentials, some of which are
// negative, pinned or have no other rank.
func chosenBy(name string, random *rand.Rand, n int) []ledger.Verdict {
	v := rebalancer.View{
		Platform: &rebalancer.Platform{Sets: []rebalancer.Set{{Name: "a"}, {Name: "b", Manager: 1}}, Ranks: []rebalancer.Rank{{Speed: 1}, {Set: 1, Speed: 1}},
			Links: [][]rebalancer.Link{make([]rebalancer.Link, 2), make([]rebalancer.Link, 2)}},
		Snapshot: &rebalancer.Snapshot{Ranks: []rebalancer.RankState{{Free: -1}, {Rank: 1, Free: -1}}},
		Rates:    []float64{1, 1}, Where: make([]int32, n), Learned: new(rebalancer.Learned),
	}
	for pid := range n {
		best := rebalancer.Potential{Set: 1, Comp: random.Float64(), Comm: 0.3 * random.Float64(), Mem: 0.5 * random.Float64()}
		if random.IntN(10) == 0 {
			best.Set = -1
		}
		v.Snapshot.Processes = append(v.Snapshot.Processes, rebalancer.Process{Pid: pid, Best: best, Pinned: random.IntN(10) == 0, Work: 1, Time: 1, Regularity: 1})
	}
	var all []ledger.Verdict
	for _, d := range rebalancer.Definitions() {
		if d.Name != name {
			continue
		}
		_, verdicts := d.New(map[string]float64{"viability": 1}).Choose(v)
		for _, is := range verdicts {
			p := is.Potential
			all = append(all, ledger.Verdict{Pid: is.Pid, Set: p.Set, Comp: p.Comp, Comm: p.Comm, Mem: p.Mem, To: is.To, Moves: is.Moves, Rule: is.Rule})
		}
	}
	return all
}

// The drawn border agrees with the choice of the strategies, and its cube has the size that their
// verdicts name.
func TestRegionIsTheStrategys(t *testing.T) {
	for _, name := range []string{"migcube", "mighull"} {
		random := rand.New(rand.NewPCG(3, 3))
		outside := 0
		for range 300 {
			n := 3 + random.IntN(30)
			verdicts := chosenBy(name, random, n)
			if len(verdicts) != n {
				t.Fatalf("%s: %d verdicts on %d processes", name, len(verdicts), n)
			}
			call := &ledger.Call{Considered: n, Verdicts: verdicts}
			r, words := regionWords(name, call)
			if r == nil {
				continue
			}
			if strings.Contains(words, "say otherwise") {
				t.Fatalf("%s of %d: %s", name, n, words)
			}
			for i := range verdicts {
				if !strings.Contains(verdicts[i].Rule, "is not chosen") {
					continue
				}
				outside++
				if want := fmt.Sprintf("half edge %.3g s", r.reach[0]); r.cube && !strings.Contains(verdicts[i].Rule, want) {
					t.Fatalf("%q, but here it is %q", verdicts[i].Rule, want)
				}
			}
		}
		if outside < 100 {
			t.Errorf("%s: only %d processes were not chosen: nothing is tested", name, outside)
		}
	}
}

// If a border does not fit the verdicts, the text names the processes.
func TestRegionSaysWhereItDisagrees(t *testing.T) {
	verdicts := []ledger.Verdict{{Pid: 0, Comp: 10}, {Pid: 1, Comp: 9}, {Pid: 2, Comp: 9}, {Pid: 3, Comp: 6}}
	call := &ledger.Call{Considered: 4, Verdicts: verdicts}
	if _, words := regionWords("migcube", call); !strings.HasSuffix(words, "say otherwise for p3.") {
		t.Errorf("p3 is outside of the cube, its verdict does not say so: %q", words)
	}
	call.Considered = 9
	if r, words := regionWords("migcube,viability=0", call); r != nil || !strings.Contains(words, "4 of the 9") {
		t.Errorf("verdicts are missing: %v, %q", r, words)
	}
	if r, words := regionWords("percent", call); r != nil || words != "" {
		t.Errorf("percent has no region: %v, %q", r, words)
	}
}

// All points of the border are at the same distance from its center or segment.
func TestOutline(t *testing.T) {
	r := &region{center: [3]float64{3, 1, 2}, second: [3]float64{1, 2, 0}, reach: [3]float64{0.5, 1, 2}}
	for plane, axes := range planes {
		x, y := axes[0], axes[1]
		for _, p := range r.outline(plane) {
			if d := fromSegment(p[0], p[1], r.center[x], r.center[y], r.second[x], r.second[y]); math.Abs(d-r.reach[plane]) > 1e-9 {
				t.Errorf("plane %d: (%g, %g) is %g away, not %g", plane, p[0], p[1], d, r.reach[plane])
			}
		}
	}
	cube := &region{cube: true, center: [3]float64{3, 1, 2}, reach: [3]float64{1, 1, 1}}
	if got := cube.outline(1); !slices.Equal(got, [][2]float64{{2, 1}, {4, 1}, {4, 3}, {2, 3}}) {
		t.Errorf("the cube's side is %v", got)
	}
}
