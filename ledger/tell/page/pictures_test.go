package page

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// TestPictures takes pictures of the pages of real records for the
// documentation: MIGBSP_PICTURES_OF names the directory of a run, or of two as in
// PATH, and MIGBSP_PICTURES_TO where the pictures go.
func TestPictures(t *testing.T) {
	from, to := os.Getenv("MIGBSP_PICTURES_OF"), os.Getenv("MIGBSP_PICTURES_TO")
	if from == "" || to == "" {
		t.Skip("SKIPPED: MIGBSP_PICTURES_OF and MIGBSP_PICTURES_TO are not set")
	}
	var runs []*ledger.History
	for _, name := range filepath.SplitList(from) {
		h := must.Get(ledger.Read(name))(t)
		runs = append(runs, h)
	}
	var page strings.Builder
	traffic := must.Get(runs[0].ReadTraffic())(t)
	write := func() error { return Write(&page, tell.OfRecord(runs[0]), traffic) }
	if len(runs) > 1 {
		write = func() error { return WriteComparison(&page, tell.OfRecord(runs[0]), tell.OfRecord(runs[1])) }
	}
	must.Do(t, write())
	b := startBrowser(t)
	b.open(stored(t, page.String()))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{400, 1280} {
			b.look(width, scheme)
			b.picture(filepath.Join(to, fmt.Sprintf("%s-%d.png", scheme, width)), "body")
		}
		for _, part := range []string{"body > header", "section[aria-labelledby=efficiency]", "section[aria-labelledby=course]", "section[aria-labelledby=where]", "details.call:not([hidden])"} {
			name := strings.Map(func(r rune) rune {
				if r < 'a' || r > 'z' {
					return -1
				}
				return r
			}, part)
			b.picture(filepath.Join(to, scheme+"-"+name+".png"), part)
		}
	}
}

// picture writes a picture of an element, if there is one.
func (b *browser) picture(name, selector string) {
	b.t.Helper()
	var box map[string]float64
	b.eval(`(e => { if (!e) return null; const r = e.getBoundingClientRect(); return {x: r.x - 12, y: r.y + scrollY - 12, width: r.width + 24, height: r.height + 24, scale: 1} })(document.querySelector("`+selector+`"))`, &box)
	if box == nil {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "clip": box}, &shot)
	png := must.Get(base64.StdEncoding.DecodeString(shot.Data))(b.t)
	must.Do(b.t, os.WriteFile(name, png, 0o644))
}
