package pngfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func encoded(t testing.TB, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// resized returns a file with other sides in its header.
func resized(text string, width, height uint32) string {
	const head, crc = 16, 29 // of the first chunk, which begins at 12 with its name
	b := []byte(text)
	binary.BigEndian.PutUint32(b[head:], width)
	binary.BigEndian.PutUint32(b[head+4:], height)
	binary.BigEndian.PutUint32(b[crc:], crc32.ChecksumIEEE(b[12:crc]))
	return string(b)
}

func TestAllKindsOfColours(t *testing.T) {
	sides := image.Rect(0, 0, 3, 2)
	paletted := image.NewPaletted(sides, color.Palette{color.Black, color.White, color.NRGBA{R: 9, A: 100}})
	for _, m := range []image.Image{
		image.NewGray(sides), image.NewGray16(sides), image.NewNRGBA(sides), image.NewNRGBA64(sides), image.NewRGBA(sides), paletted,
	} {
		got, err := Read(strings.NewReader(encoded(t, m)))
		if err != nil || got.Bounds() != sides {
			t.Errorf("%T: %v, %v", m, got, err)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	whole := encoded(t, image.NewGray(image.Rect(0, 0, 9, 5)))
	for text, want := range map[string]string{
		"":                             "the PNG file is cut off",
		"GIF89a is too short":          "it cannot be read as PNG",
		whole[:len(whole)/2]:           "the PNG file is cut off",
		whole[:50] + "x" + whole[51:]:  "it cannot be read as PNG",
		resized(whole, 0, 5):           "it cannot be read as PNG",
		resized(whole, 9, 0):           "it cannot be read as PNG",
		resized(whole, 1<<14, 1<<12+1): "16384 x 4097 pixels; expected at most 67108864 in all",
		resized(whole, 1<<30, 1<<30):   "it cannot be read as PNG",
		resized(whole, 1<<31-1, 1):     "pixels; expected at most 67108864 in all",
		resized(whole, 1<<14, 1<<12):   "it cannot be read as PNG",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.png")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// FuzzRead reads files of any content, with any sides in their heads.
func FuzzRead(f *testing.F) {
	small := image.Rect(0, 0, 3, 2)
	for _, m := range []image.Image{
		image.NewGray(small), image.NewNRGBA64(small), image.NewPaletted(small, color.Palette{color.Black, color.White}),
	} {
		f.Add(encoded(f, m), uint32(3), uint32(2))
		f.Add(encoded(f, m), uint32(2), uint32(3))
	}
	f.Add("GIF89a", uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, text string, width, height uint32) {
		if len(text) > 33 && width <= 1<<10 && height <= 1<<10 { // larger ones take long, and are in TestWhatCannotBeRead
			text = resized(text, width, height)
		}
		m, err := Read(strings.NewReader(text))
		if err == nil && (m.Bounds().Dx() < 1 || m.Bounds().Dy() < 1 || m.Bounds().Dx()*m.Bounds().Dy() > MaxPixels) {
			t.Errorf("%v", m.Bounds())
		}
	})
}
