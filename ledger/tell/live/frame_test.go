package live

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// told returns the state after a story.
func told(s livetest.Story) *State {
	state := new(State)
	for _, e := range s.Entries() {
		state.Enter(e)
	}
	return state
}

// escapes matches the escape sequences of colors.
var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// fits checks the invariants of every picture.
func fits(t *testing.T, what string, p Picture, size Size) {
	t.Helper()
	if len(p.Lines) != size.Height {
		t.Errorf("%s: %d lines in %+v", what, len(p.Lines), size)
	}
	for i, l := range p.Lines {
		plain := escapes.ReplaceAllString(l, "")
		if w := displaywidth.String(plain); w > size.Width {
			t.Errorf("%s: line %d has %d columns of %d: %q", what, i+1, w, size.Width, plain)
		}
		if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) || !utf8.ValidString(plain) {
			t.Errorf("%s: line %d has control characters: %q", what, i+1, plain)
		}
	}
}

var hostile = []string{"\x1b[2Jx\x07", "日本語のホスト", "\xff\xfe", "\u202eevil", "a\u0301\u0301b", "👩‍👩‍👧🇩🇪👍🏽", strings.Repeat("long", 50), ""}

var stories = map[string]livetest.Story{
	"usual":    {Seed: 1, Steps: 400, Ranks: 8, Sets: 2, Procs: 2, Every: 16},
	"many":     {Seed: 2, Steps: 200, Ranks: 64, Sets: 3, Procs: 4, Every: 5, Open: true},
	"one":      {Seed: 3, Steps: 1, Ranks: 1, Sets: 1, Procs: 1},
	"begins":   {Seed: 4, Ranks: 3, Sets: 2, Procs: 1, Open: true},
	"emulated": {Seed: 5, Steps: 100, Ranks: 8, Sets: 2, Procs: 2, Every: 16, Emulated: true},
	"failed":   {Seed: 6, Steps: 50, Ranks: 2, Sets: 1, Procs: 2, Code: 143, Reason: "ended by signal 15\nand \x1b[31mmore"},
	"hostile":  {Seed: 7, Steps: 50, Ranks: 16, Sets: 2, Procs: 2, Every: 3, Hosts: hostile, Open: true},
}

// For any state, view and size, a frame has the screen's number of lines, and none is too long.
func TestFramesFit(t *testing.T) {
	sizes := []Size{{20, 5}, {21, 6}, {33, 7}, {40, 12}, {59, 8}, {60, 9}, {80, 24}, {100, 30}, {120, 40}, {200, 60}, {500, 200}, {19, 5}, {20, 4}, {1, 1}, {80, 5}, {20, 60}}
	for name, s := range stories {
		state := told(s)
		for _, size := range sizes {
			for _, table := range Tables {
				for k := range 16 {
					v := View{Table: table, Whole: k&1 > 0, Help: k&2 > 0 && k&8 > 0, Paused: k&2 > 0, Scroll: 7 * (k & 4)}
					from := Source{Name: "runs/" + name + "/run.jsonl", Age: time.Duration(k) * 10 * time.Second, Wall: time.Minute, Cut: k&1 > 0}
					p := Frame(state, from, v, size, k&2 == 0, k&4 > 0)
					fits(t, fmt.Sprintf("%s %+v", name, v), p, size)
				}
			}
		}
	}
}

// Random runs in random sizes fit too.
func TestRandomFramesFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		ranks := 1 + random.IntN(20)
		s := livetest.Story{
			Seed: uint64(n), Steps: random.IntN(90), Ranks: ranks, Sets: 1 + random.IntN(ranks), Procs: 1 + random.IntN(3), Every: random.IntN(9),
			Emulated: n%2 > 0, Open: n%3 > 0, Code: random.IntN(160), Hosts: hostile[:1+random.IntN(len(hostile))],
		}
		state := told(s)
		size := Size{1 + random.IntN(150), 1 + random.IntN(60)}
		v := View{Table: Tables[n%len(Tables)], Whole: n%5 == 0, Scroll: random.IntN(100)}
		fits(t, fmt.Sprintf("%+v", s), Frame(state, Source{Name: strings.Repeat("x", n)}, v, size, n%2 == 0, n%3 == 0), size)
		for _, l := range Snapshot(state, Source{Name: "r"}, v, size.Width, true, false) {
			if w := displaywidth.String(l); w > max(size.Width, 0) {
				t.Errorf("a snapshot for %d columns has a line of %d: %q", size.Width, w, l)
			}
		}
	}
}

// Essential figures are shown from the smallest size on.
func TestFramesShow(t *testing.T) {
	for _, c := range []struct {
		story string
		size  Size
		view  View
		age   time.Duration
		want  []string
	}{
		{"usual", Size{20, 5}, View{}, 0, []string{"code 0", "superstep 400", "PE 0.", "q quit"}},
		{"many", Size{20, 5}, View{}, 0, []string{"running", "superstep 200"}},
		{"many", Size{20, 5}, View{}, 30 * time.Second, []string{"quiet"}},
		{"many", Size{80, 24}, View{}, 30 * time.Second, []string{"quiet for 30 s"}},
		{"many", Size{80, 24}, View{}, 75 * time.Second, []string{"quiet for 1:15", "1:15 old"}},
		{"emulated", Size{20, 5}, View{}, 0, []string{"EMULATED  code 0"}},
		{"emulated", Size{80, 24}, View{}, 0, []string{"EMULATED  ended with code 0", "emulated time"}},
		{"failed", Size{80, 24}, View{}, 0, []string{"ended by signal 15 (terminated)", "ended by signal 15�and �[31mmore"}},
		{"failed", Size{20, 5}, View{}, 0, []string{"signal 15"}},
		{"usual", Size{80, 24}, View{Table: "sets"}, 0, []string{"SET ", "siteA", "siteB", "CALL AT", "residual = 0.01 PASSED"}},
		{"usual", Size{80, 24}, View{Table: "ranks"}, 0, []string{"RANK", "node003", "work of the longest"}},
		{"usual", Size{80, 24}, View{Table: "sites"}, 0, []string{"WHERE", "lu.go:100", "imb"}},
		{"usual", Size{80, 24}, View{Table: "calls"}, 0, []string{"CALL AT", "none: no potential is above 0", "16>16"}},
		{"usual", Size{80, 24}, View{Paused: true}, 0, []string{"PAUSED"}},
		{"usual", Size{80, 24}, View{Help: true}, 0, []string{"parallel efficiency", "? back"}},
		{"begins", Size{80, 24}, View{}, 0, []string{"running", "superstep 0"}},
		{"usual", Size{19, 5}, View{}, 0, []string{"too small", "needs 20x5"}},
	} {
		p := Frame(told(stories[c.story]), Source{Name: "r", Age: c.age}, c.view, c.size, true, false)
		all := strings.Join(p.Lines, "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s in %v does not show %q:\n%s", c.story, c.size, want, all)
			}
		}
	}
}

// If the efficiency is shown as a product, the shown factors multiply to it, for any capacity that
// ranks were denied.
func TestFactorsMultiply(t *testing.T) {
	factor := regexp.MustCompile(`(PE|LB|Ser|Cap|Tr) (\d\.\d\d)`)
	random := rand.New(rand.NewPCG(9, 9))
	for n := range 50 {
		entries := livetest.Story{Seed: uint64(n), Steps: 50, Ranks: 1 + random.IntN(8), Sets: 1, Procs: 2, Every: 16}.Entries()
		granted, state := random.Float64(), new(State)
		for _, e := range entries {
			if s, is := e.(*ledger.Step); is {
				s.DeniedSum = s.WorkSum - time.Duration(granted*float64(s.WorkSum))
			}
			state.Enter(e)
		}
		for width := 20; width < 160; width += 7 {
			all := strings.Join(Frame(state, Source{Name: "r"}, View{}, Size{width, 24}, true, false).Lines, "\n")
			product, whole := 1.0, 0.0
			found := factor.FindAllStringSubmatch(all, -1)
			for _, f := range found {
				x := must.Get(strconv.ParseFloat(f[2], 64))(t)
				if f[1] == "PE" {
					whole = x
				} else {
					product *= x
				}
			}
			if rounding := 0.025; len(found) != 1 && math.Abs(product-whole) > rounding {
				t.Fatalf("%d columns, %.2f granted: the factors multiply to %.3f in\n%s", width, granted, product, all)
			}
		}
	}
}

// Scrolling stops at both ends, and every rank can be reached.
func TestScrolling(t *testing.T) {
	state := told(stories["many"])
	size := Size{80, 24}
	seen := make(map[string]bool)
	v := View{Table: "ranks"}
	for range 200 {
		p := Frame(state, Source{Name: "r"}, v, size, true, false)
		for _, l := range p.Lines {
			if f := strings.Fields(l); len(f) > 2 && strings.HasPrefix(f[1], "node") {
				seen[f[0]] = true
			}
		}
		v.Scroll = p.Scroll
		v.press(keyPageDown, p.Page)
	}
	if len(seen) != 64 {
		t.Errorf("%d of 64 ranks were shown", len(seen))
	}
	p := Frame(state, Source{Name: "r"}, View{Table: "ranks", Scroll: 1 << 30}, size, true, false)
	if p.Scroll+p.Page != 64 || !strings.Contains(strings.Join(p.Lines, "\n"), fmt.Sprintf("%d-64 of 64", p.Scroll+1)) {
		t.Errorf("at the end: passed %d, shown %d\n%s", p.Scroll, p.Page, strings.Join(p.Lines, "\n"))
	}
}

// Without a Unicode locale the text is ASCII; without color it has no escapes.
func TestLooks(t *testing.T) {
	for name, s := range stories {
		state := told(s)
		for _, table := range Tables {
			p := Frame(state, Source{Name: "ü"}, View{Table: table}, Size{100, 30}, false, false)
			for _, l := range p.Lines {
				if strings.ContainsFunc(l, func(r rune) bool { return r > 0x7e || r < ' ' }) {
					t.Errorf("%s: not ASCII: %q", name, l)
				}
			}
		}
		plain := Frame(state, Source{Name: "ü"}, View{Table: "sets"}, Size{100, 30}, true, false)
		colored := Frame(state, Source{Name: "ü"}, View{Table: "sets"}, Size{100, 30}, true, true)
		if strings.Contains(strings.Join(plain.Lines, ""), "\x1b") || !strings.Contains(strings.Join(colored.Lines, ""), "\x1b[") {
			t.Errorf("%s: colours are not as asked for", name)
		}
		for i := range plain.Lines {
			if got := escapes.ReplaceAllString(colored.Lines[i], ""); got != plain.Lines[i] {
				t.Errorf("%s: %q in colour is %q", name, plain.Lines[i], got)
			}
		}
	}
}

// The view of a run without a record shows the reason for waiting.
func TestWaiting(t *testing.T) {
	p := Frame(new(State), Source{Name: "runs/1", Wait: "there is no such file or directory yet"}, View{}, Size{80, 24}, true, false)
	all := strings.Join(p.Lines, "\n")
	must.Have(t, all, "waiting for runs/1", "there is no such file or directory yet", "q quit")
}

// Problems with a record are reported, with the text of the first.
func TestTrouble(t *testing.T) {
	state := told(stories["many"])
	for n := range 9 {
		state.Trouble(fmt.Errorf("r:%d:1: this is no entry", n+1))
	}
	all := strings.Join(Frame(state, Source{Name: "r"}, View{}, Size{100, 30}, true, false).Lines, "\n")
	must.Have(t, all, "9 problems, the first: r:1:1: this is no entry")
	state = told(stories["many"])
	state.Enter(&ledger.Warning{Text: "the network is shared"})
	if all := strings.Join(Frame(state, Source{Name: "r"}, View{}, Size{100, 30}, true, false).Lines, "\n"); !strings.Contains(all, "1 warning, the last: the network is shared") {
		t.Errorf("the warning is not told:\n%s", all)
	}
}

// A snapshot shows the present record, and an error if it has none.
func TestOnce(t *testing.T) {
	record := growing.Record()
	for _, c := range []struct {
		name string
		text []byte
		want string
		err  string
	}{
		{"whole", record, "ended with code 0", ""},
		{"still written", record[:strings.LastIndexByte(string(record[:len(record)-1]), '\n')+1], "running", ""},
		{"cut off", record[:len(record)-20], "ends within an entry", ""},
		{"damaged at the end", append(record[:len(record)-20:len(record)-20], 0, 0, 0), "problem: ", ""},
		{"cut off in the head", record[:30], "", "the record ends within its first line"},
		{"empty", nil, "", "the file is empty"},
		{"foreign", []byte("GIF89a"), "", "is not the head of a record"},
	} {
		name := filepath.Join(t.TempDir(), "x")
		write(t, name, c.text)
		lines, err := Once(context.Background(), Options{Path: name, Table: "sets", Unicode: true}, 100)
		all := strings.Join(lines, "\n")
		switch {
		case (err != nil) != (c.err != ""), err != nil && !strings.Contains(err.Error(), c.err), err != nil && !strings.HasPrefix(err.Error(), name):
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		case !strings.Contains(all, c.want), c.want == "" && all != "":
			t.Errorf("%s: %q is not in\n%s", c.name, c.want, all)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "no"), t.TempDir()} {
		if lines, err := Once(context.Background(), Options{Path: path}, 80); err == nil || lines != nil {
			t.Errorf("%s is not there, but shown as %q", path, lines)
		}
	}
}

func TestUnicode(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", false}, {"", "", "en_US.UTF-8", true}, {"C", "", "en_US.UTF-8", false}, {"", "C.utf8", "C", true}, {"C.UTF-8", "C", "C", true}, {"", "POSIX", "C.UTF-8", false},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_CTYPE", c.ctype)
		t.Setenv("LANG", c.lang)
		if got := Unicode(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
