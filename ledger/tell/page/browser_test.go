package page

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger/tell"
)

// quiet fails the test if the page has asked for anything but itself, or if the
// browser had something to say.
func (b *browser) quiet(file string) {
	b.t.Helper()
	b.eval("0", nil)
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
			b.t.Errorf("%s: %s", e.Method, e.Params)
		case "Network.requestWillBeSent":
			var asked struct{ Request struct{ URL string } }
			must.Do(b.t, json.Unmarshal(e.Params, &asked))
			if url := asked.Request.URL; url != "file://"+file && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
				b.t.Errorf("the page asks for %.80q", url)
			}
		}
	}
}

func TestPageNeedsNothing(t *testing.T) {
	b := startBrowser(t)
	a, c := usual.history(t), shape{seed: 2, steps: 90, ranks: 3, sets: 1, procs: 3, strategy: "off", real: true}.history(t)
	both := pageOfTwo(t, a, c)
	for _, text := range []string{pageOf(t, a), pageOf(t, c), both} {
		file := stored(t, text)
		b.open(file)
		b.quiet(file)
		var ran bool
		if b.eval(`document.querySelector("th[aria-sort] button") !== null`, &ran); !ran {
			t.Error("the script has not run")
		}
	}
}

// The browser enforces the policy, and quiet detects it.
func TestPolicyIsInForce(t *testing.T) {
	b := startBrowser(t)
	text := strings.Replace(pageOf(t, usual.history(t)), "<main", `<script>window.hacked = 1</script><img src="x.png" onerror="window.hacked = 1"><main`, 1)
	b.open(stored(t, text))
	b.eval("0", nil)
	refused := 0
	for _, e := range b.events {
		if e.Method == "Log.entryAdded" && strings.Contains(string(e.Params), "Content Security Policy") {
			refused++
		}
	}
	if refused < 2 {
		t.Errorf("%d of a foreign script and a picture were refused", refused)
	}
	var hacked bool
	if b.eval("window.hacked !== undefined", &hacked); hacked {
		t.Error("a foreign script ran")
	}
}

func TestSortingByClickAndKey(t *testing.T) {
	b := opened(t, pageOf(t, usual.history(t)))
	const column = `Array.from(document.querySelector("#table-ranks").tBodies[0].rows, r => Number(r.cells[6].dataset.v))`
	const state = `document.querySelectorAll("#table-ranks thead th")[6].getAttribute("aria-sort")`
	expect := func(doing, want string, ordered func(a, b float64) int) {
		t.Helper()
		var values []float64
		var is string
		b.eval(column, &values)
		b.eval(state, &is)
		if len(values) != usual.ranks || !slices.IsSortedFunc(values, ordered) || is != want {
			t.Errorf("%s: %v, aria-sort=%s", doing, values, is)
		}
	}
	rising := func(a, b float64) int { return int(1e9 * (a - b)) }
	var before []float64
	b.eval(column, &before)
	if slices.IsSortedFunc(before, rising) {
		t.Fatal("the work is sorted from the start: nothing to see")
	}
	b.eval(`document.querySelectorAll("#table-ranks thead th button")[6].click()`, nil)
	expect("a click", "ascending", rising)
	b.eval(`document.querySelectorAll("#table-ranks thead th button")[6].focus()`, nil)
	b.key("Enter", 13, "\r")
	expect("Enter", "descending", func(a, b float64) int { return rising(b, a) })
	b.key(" ", 32, " ")
	expect("Space", "ascending", rising)
}

func TestChoosingACall(t *testing.T) {
	b := opened(t, pageOf(t, usual.history(t)))
	shown := func() (ids []string) {
		b.eval(`Array.from(document.querySelectorAll("details.call"), d => d).filter(d => d.open && d.querySelector("svg").getBoundingClientRect().height > 0).map(d => d.id)`, &ids)
		return ids
	}
	if got := shown(); !slices.Equal(got, []string{"call-1"}) {
		t.Errorf("shown first: %v", got)
	}
	b.eval(`const s = document.getElementById("choose-call"); s.value = "call-4"; s.dispatchEvent(new Event("change"))`, nil)
	if got := shown(); !slices.Equal(got, []string{"call-4"}) {
		t.Errorf("shown after choosing call 4: %v", got)
	}
	b.eval(`new Promise(done => { addEventListener("hashchange", () => done()); document.querySelector('#table-calls a[href="#call-2"]').click() })`, nil)
	if got := shown(); !slices.Equal(got, []string{"call-2"}) {
		t.Errorf("shown after following the link of call 2: %v", got)
	}
}

func TestKeyboardReachesAll(t *testing.T) {
	b := opened(t, pageOf(t, usual.history(t)))
	met := make(map[string]bool)
	var first string
	for i := range 300 {
		b.key("Tab", 9, "")
		var at string
		b.eval(`(e => e.id || e.className || (e.closest("figure") || {}).id + " " + e.tagName + " " + e.type || e.tagName)(document.activeElement)`, &at)
		if i == 0 {
			first = at
		}
		met[at] = true
		if at == "save-course" {
			break
		}
	}
	if first != "skip" {
		t.Errorf("the first to be reached is %q", first)
	}
	for _, want := range []string{"figure-timeline INPUT radio", "choose-call", "save-figures", "save-course", "scroll", "wide"} {
		if !met[want] {
			t.Errorf("Tab never reaches %q", want)
		}
	}
}

func TestPointing(t *testing.T) {
	b := opened(t, pageOf(t, usual.history(t)))
	said := func(figure string) (text string) {
		b.eval(`document.querySelector("#figure-`+figure+` output").textContent`, &text)
		return text
	}
	press := func(figure, key string, times int) {
		b.eval(fmt.Sprintf(`(e => { for (let i = 0; i < %d; i++) e.dispatchEvent(new KeyboardEvent("keydown", { key: "%s" })) })(document.querySelector("#figure-%s .wide"))`, times, key, figure), nil)
	}
	press("timeline", "ArrowRight", 40)
	if got := said("timeline"); !strings.Contains(got, "superstep 40,") || !strings.Contains(got, "3 moved") {
		t.Errorf("timeline: %q", got)
	}
	press("heat", "ArrowRight", 100)
	press("heat", "ArrowDown", 5)
	if got := said("heat"); !strings.Contains(got, "r5@host5") || !strings.Contains(got, "superstep 100:") || !strings.Contains(got, "Set set1") {
		t.Errorf("heat: %q", got)
	}
	b.eval(`document.querySelector("#figure-mapping svg").scrollIntoView({ behavior: "instant" })`, nil)
	var at struct{ X, Y float64 }
	b.eval(`(r => ({x: r.left + r.width / 2, y: r.top + r.height / 2}))(document.querySelector("#figure-mapping svg").getBoundingClientRect())`, &at)
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil)
	if got := said("mapping"); !strings.HasPrefix(got, "p") || !strings.Contains(got, "in superstep 177:") || !strings.Contains(got, "@host") {
		t.Errorf("mapping: %q", got)
	}
}

// Of the two axes of the work one is seen, and the reader chooses.
func TestAxes(t *testing.T) {
	b := opened(t, pageOf(t, usual.history(t)))
	for _, axis := range []string{"logarithmic", "linear"} {
		var seen []string
		b.eval(`(() => { document.querySelector("#figure-timeline input[value=`+axis+`]").click(); return [...document.querySelectorAll("#figure-timeline .wide")].filter((e) => e.checkVisibility()).map((e) => e.className) })()`, &seen)
		if !slices.Equal(seen, []string{"wide " + axis}) {
			t.Errorf("%s: %v", axis, seen)
		}
	}
}

func TestSaving(t *testing.T) {
	b := startBrowser(t)
	dir := t.TempDir()
	h := usual.history(t)
	b.open(stored(t, pageOf(t, h)))
	b.call("Browser.setDownloadBehavior", map[string]any{"browserContextId": b.context, "behavior": "allow", "downloadPath": dir, "eventsEnabled": true}, nil)
	saved := func(id, name string) []byte {
		t.Helper()
		b.events = nil
		b.eval(`document.getElementById("`+id+`").click()`, nil)
		for !slices.ContainsFunc(b.events, func(e event) bool {
			return e.Method == "Browser.downloadProgress" && strings.Contains(string(e.Params), "completed")
		}) {
			b.read()
		}
		text := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		return text
	}
	var figures tell.Summary
	if err := json.Unmarshal(saved("save-figures", "figures.json"), &figures); err != nil || figures.Supersteps != usual.steps {
		t.Errorf("figures: %v, %d supersteps", err, figures.Supersteps)
	}
	rows, err := csv.NewReader(strings.NewReader(string(saved("save-course", "timeline.csv")))).ReadAll()
	if err != nil || len(rows) != usual.steps+1 || rows[1][3] != "the site:11" {
		t.Errorf("timeline: %v, %d rows, %q", err, len(rows), rows[:2])
	}
}

func TestWithoutScript(t *testing.T) {
	b := startBrowser(t)
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	file := stored(t, pageOf(t, usual.history(t)))
	b.open(file)
	b.quiet(file)
	var text string
	b.eval("document.body.innerText", &text)
	must.Have(t, text, "parallel efficiency is", "Where the time went", "Predicted and measured saving", "Call 1 after superstep 40", "latency and bandwidth", "migbsp report -format json")
	var ways int
	if b.eval(`document.querySelectorAll("details.call:not([hidden])").length + 100 * document.querySelectorAll("button:not([hidden]):not([hidden] *)").length`, &ways); ways != 9 {
		t.Errorf("%d: there should be all 9 calls to open, and no button that does nothing", ways)
	}
}
