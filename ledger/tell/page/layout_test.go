package page

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger/tell"
)

// contrasts computes for each selector the least contrast of its text with its background, as WCAG
// defines it.
const contrasts = `(() => {
	const parse = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
	const worst = {};
	for (const selector of ["h1", ".verdict", ".kicker", ".tag", ".notice", "dt", "dd", "a", "td", "thead th button", ".small", "button", "option", "output", "summary", "footer p", "svg .tick", "svg .label", "svg .note", ".problems li"]) {
		for (const e of document.querySelectorAll(selector)) {
			const style = getComputedStyle(e);
			const a = light(parse(e.closest("svg") ? style.fill : style.color)), b = light(behind(e));
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			worst[selector] = Math.min(worst[selector] || 99, ratio);
		}
	}
	return worst;
})()`

// Pages fit into windows of any width, can be read, and follow the reader's preferences.
func TestLayout(t *testing.T) {
	b := startBrowser(t)
	a, c := usual.history(t), shape{seed: 2, steps: 90, ranks: 3, sets: 1, procs: 3, strategy: "off", real: true}.history(t)
	a.Problems = []string{"a problem"}
	both := pageOfTwo(t, a, c)
	var runs strings.Builder
	must.Do(t, WriteIndex(&runs, "runs", []*tell.View{tell.OfRecord(a), tell.OfRecord(c)}, func(string) bool { return true }))
	for name, text := range map[string]string{"a run": pageOf(t, a), "two runs": both, "all runs": runs.String()} {
		b.open(stored(t, text))
		grounds := make(map[string]bool)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int{360, 390, 768, 1280, 1600} {
				b.look(width, scheme)
				var wide struct{ Content, Window float64 }
				b.eval(`({content: document.scrollingElement.scrollWidth, window: innerWidth})`, &wide)
				var cut []string
				b.eval(`[...document.querySelectorAll(".runs, .pair, .stacked")].filter(e => e.parentElement.scrollWidth > e.parentElement.clientWidth).map(e => e.parentElement.ariaLabel)`, &cut)
				if len(cut) > 0 {
					t.Errorf("%s at %d: of %q not all columns are seen", name, width, cut)
				}
				if wide.Content > wide.Window || wide.Window != float64(width) {
					t.Errorf("%s at %d: the page is %g wide in a window of %g", name, width, wide.Content, wide.Window)
				}
			}
			worst := make(map[string]float64)
			b.eval(contrasts, &worst)
			var ground string
			b.eval("getComputedStyle(document.body).backgroundColor", &ground)
			if grounds[ground] {
				t.Errorf("%s: the ground is %s in both light and dark", name, ground)
			}
			grounds[ground] = true
			if len(worst) < 7 {
				t.Errorf("%s: only %d kinds of text", name, len(worst))
			}
			for selector, ratio := range worst {
				if ratio < 4.5 {
					t.Errorf("%s, %s: %s has contrast %.2f", name, scheme, selector, ratio)
				}
			}
		}
	}
}

// smallest returns, for each kind of visible text in charts, its smallest size on the screen in
// pixels, and the amount of text in a chart that covers other text.
const smallest = `(() => {
	const sizes = {}, covered = [];
	for (const chart of document.querySelectorAll("svg.chart")) {
		if (!chart.checkVisibility()) continue;
		const seen = [];
		for (const e of chart.querySelectorAll("text")) {
			const box = e.getBoundingClientRect();
			if (!e.textContent.trim() || !e.checkVisibility() || box.width === 0) continue;
			const m = e.getScreenCTM(), size = parseFloat(getComputedStyle(e).fontSize) * Math.hypot(m.a, m.b);
			const kind = chart.id + " " + e.getAttribute("class");
			sizes[kind] = Math.min(sizes[kind] || 99, size);
			for (const other of seen) {
				const w = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
				const h = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
				if (w > 2 && h > 3) covered.push(chart.id + ": " + e.textContent + " and " + other.text);
			}
			seen.push({ box, text: e.textContent });
		}
	}
	return { sizes, covered };
})()`

// On a phone the text of charts can be read, and no text covers another.
func TestChartsOnAPhone(t *testing.T) {
	const least = 10 // pixels
	b := startBrowser(t)
	a, c := usual.history(t), shape{seed: 2, steps: 90, ranks: 3, sets: 1, procs: 3, strategy: "migcube", real: true}.history(t)
	var runs strings.Builder
	must.Do(t, WriteIndex(&runs, "runs", []*tell.View{tell.OfRecord(a), tell.OfRecord(c)}, func(string) bool { return true }))
	for name, text := range map[string]string{"a run": pageOf(t, a), "another run": pageOf(t, c), "two runs": pageOfTwo(t, a, c), "all runs": runs.String()} {
		b.open(stored(t, text))
		for _, width := range []int{360, 400, 640} {
			b.look(width, "light")
			var seen struct {
				Sizes   map[string]float64
				Covered []string
			}
			b.eval(smallest, &seen)
			for kind, size := range seen.Sizes {
				if size < least {
					t.Errorf("%s at %d: %s is %.1f px", name, width, kind, size)
				}
			}
			for _, both := range seen.Covered {
				t.Errorf("%s at %d: %s cover each other", name, width, both)
			}
		}
	}
}
