package gallery

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

const gallery = "../../../docs/gallery"

// Each exhibit has its report and its picture in the tree, small ones, and the page leads to
// them with the command that the record has.
func TestGallery(t *testing.T) {
	read := func(name string, most int) string {
		text := must.Get(os.ReadFile(filepath.Join(gallery, name)))(t)
		if len(text) > most {
			t.Errorf("%s: %d bytes, expected at most %d", name, len(text), most)
		}
		return string(text)
	}
	index := read("README.md", 10_000)
	for _, e := range exhibits {
		report := read(e.Name+".html", 140_000)
		read(e.Name+".png", 60_000)
		must.Have(t, index, "\n    "+e.command()+"\n", wrap(e.see), "("+e.Name+".png)", "("+e.Name+".html)")
		checksum := regexp.MustCompile("\n## " + e.Name + " on (?s:.*?)checksum\\sis\\s`([0-9a-f]{16})`").FindStringSubmatch(index)
		must.Have(t, report, e.command(), "EMULATED")
		if checksum == nil || !strings.Contains(report, checksum[1]) {
			t.Errorf("%s: the page has the checksum %q, the report another", e.Name, checksum)
		}
	}
}

// Only the course is left of a page, without the policy that forbids its style.
func TestCourseOf(t *testing.T) {
	report := `<html><head><meta http-equiv="Content-Security-Policy" content="x"><style>a{}</style></head><body id="b"><section aria-labelledby="time">1</section><section aria-labelledby="course">2</section></body></html>`
	got, err := courseOf([]byte(report))
	if want := `<html><head><style>a{}</style></head><body><main><section aria-labelledby="course">2</section></main></body></html>`; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := courseOf([]byte("<body></body>")); err == nil {
		t.Error("a page without a course")
	}
}

func TestSmallPictures(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 30, 100))
	for y := range 100 {
		for x := range 30 {
			m.Set(x, y, color.RGBA{200, 200, 200, 255})
			if y < 20 {
				m.Set(x, y, color.RGBA{uint8(8 * x), uint8(10 * y), 0, 255})
			}
		}
	}
	few := fewColours(cropped(m))
	if few.Bounds() != image.Rect(0, 0, 30, 32) || len(few.Palette) != 64 {
		t.Errorf("%v, %d colours", few.Bounds(), len(few.Palette))
	}
	if got := few.At(3, 25); got != color.Color(color.RGBA{200, 200, 200, 255}) {
		t.Errorf("the ground is %v", got)
	}
}

func TestWrap(t *testing.T) {
	text := strings.Repeat("word ", 40)
	for line := range strings.SplitSeq(wrap(text), "\n") {
		if len(line) > 85 || len(line) < 40 && !strings.HasSuffix(wrap(text), line) {
			t.Errorf("%d letters: %q", len(line), line)
		}
	}
	if strings.Join(strings.Fields(wrap(text)), " ") != strings.TrimSpace(text) {
		t.Error("words are lost")
	}
}

// The page of a run is the same for the same figures.
func TestPage(t *testing.T) {
	one := shown{&exhibits[0], "It took 1 s.", "00"}
	if a, b := page([]shown{one}, frame.Header{}), page([]shown{one}, frame.Header{}); a != b || !strings.Contains(a, "[The report](lu.html). The checksum is `00`.") {
		t.Errorf("%s", a)
	}
}
