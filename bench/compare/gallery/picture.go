package gallery

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// findBrowser returns a browser that can take pictures of pages.
func findBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium, chromium-browser or google-chrome on PATH to take pictures with")
}

var (
	policy = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	course = regexp.MustCompile(`(?s)<section aria-labelledby="course">.*?</section>`)
)

// courseOf returns a page that has only the course of the run, in the report's style.
func courseOf(report []byte) ([]byte, error) {
	head, _, found := bytes.Cut(report, []byte("<body"))
	section := course.Find(report)
	if !found || section == nil {
		return nil, errors.New("the report has no course of the run")
	}
	return slices.Concat(policy.ReplaceAll(head, nil), []byte("<body><main>"), section, []byte("</main></body></html>")), nil
}

// Windows are as wide as a page's text, and higher than any course.
const (
	windowWidth  = 1000
	windowHeight = 1200
)

// takePicture writes a picture of a report's course.
func takePicture(ctx context.Context, browser, dir, report, name string) error {
	text, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	if text, err = courseOf(text); err != nil {
		return err
	}
	html, shot := filepath.Join(dir, "course.html"), filepath.Join(dir, "course.png")
	if err := os.WriteFile(html, text, 0o666); err != nil {
		return err
	}
	if _, err := frame.Output(ctx, dir, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(dir, "browser"), fmt.Sprintf("--window-size=%d,%d", windowWidth, windowHeight),
		"--screenshot="+shot, "file://"+html); err != nil {
		return err
	}
	if text, err = os.ReadFile(shot); err != nil {
		return err
	}
	m, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return err
	}
	var small bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&small, fewColours(cropped(m))); err != nil {
		return err
	}
	return os.WriteFile(name, small.Bytes(), 0o666)
}

// cropped returns a picture without the lines below the last one that is not all one color.
func cropped(m image.Image) image.Image {
	const margin = 12
	b := m.Bounds()
	ground := m.At(b.Max.X-1, b.Max.Y-1)
	bottom := b.Max.Y
search:
	for ; bottom > b.Min.Y; bottom-- {
		for x := b.Min.X; x < b.Max.X; x++ {
			if m.At(x, bottom-1) != ground {
				break search
			}
		}
	}
	part := image.NewRGBA(image.Rect(0, 0, b.Dx(), min(bottom+margin, b.Max.Y)-b.Min.Y))
	draw.Draw(part, part.Rect, m, b.Min, draw.Src)
	return part
}

// fewColours returns a picture in its 64 most frequent colors, each pixel in the nearest one.
func fewColours(m image.Image) *image.Paletted {
	b, count := m.Bounds(), make(map[color.RGBA]int)
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B}))
	})
	var palette color.Palette
	for _, c := range colours[:min(64, len(colours))] {
		palette = append(palette, c)
	}
	few, nearest := image.NewPaletted(b, palette), make(map[color.RGBA]uint8)
	for _, c := range colours {
		nearest[c] = uint8(palette.Index(c))
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			few.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	return few
}
