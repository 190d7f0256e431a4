package picture

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// pattern is a picture all of whose pixels differ.
func pattern(width, height, channels int) *Picture {
	p := New(width, height, channels)
	for i := range p.Pix {
		p.Pix[i] = uint8(i * 7)
	}
	return p
}

func TestFilesComeBack(t *testing.T) {
	for _, channels := range []int{1, 3} {
		name := filepath.Join(t.TempDir(), "p.png")
		want := pattern(9, 5, channels)
		var b bytes.Buffer
		must.Do(t, want.Write(&b))
		must.Do(t, os.WriteFile(name, b.Bytes(), 0o666))
		if got, err := Open(name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d channels: %v, %v", channels, got, err)
		}
	}
}

// A picture is grey if all its pixels are, in any storage format; 16 bits become 8, and transparent
// pixels become black.
func TestFromImage(t *testing.T) {
	m := image.NewNRGBA64(image.Rect(5, 5, 7, 6))
	m.Set(5, 5, color.NRGBA64{R: 0x1234, G: 0x1234, B: 0x1234, A: 0xffff})
	if got := fromImage(m); got.Channels != 1 || got.Pix[0] != 0x12 || got.Pix[1] != 0 {
		t.Errorf("%+v", got)
	}
	m.Set(6, 5, color.NRGBA64{R: 0xff00, A: 0xffff})
	if got := fromImage(m); got.Channels != 3 || !bytes.Equal(got.Pix, []byte{0x12, 0x12, 0x12, 0xff, 0, 0}) {
		t.Errorf("%+v", got)
	}
}

func TestPlanesJoin(t *testing.T) {
	p := Generate(40, 1)
	if got := Join(40, 40, p.Planes()); PSNR(got, p) < 45 {
		t.Errorf("PSNR %g", PSNR(got, p))
	}
	grey := p.Grey()
	if got := Join(40, 40, grey.Planes()); !reflect.DeepEqual(got, grey) {
		t.Error("a grey picture changes")
	}
}

// Flat pictures stay flat when halved and doubled; sides may be odd; smooth pictures stay about the
// same.
func TestHalveAndDouble(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 2}, {5, 4}, {4, 7}, {9, 9}} {
		w, h := size[0], size[1]
		flat := bytes.Repeat([]byte{77}, w*h)
		half := Halve(flat, w, h)
		if want := bytes.Repeat([]byte{77}, (w+1)/2*((h+1)/2)); !bytes.Equal(half, want) {
			t.Errorf("%v: half is %v", size, half)
		}
		if got := Double(half, w, h); !bytes.Equal(got, flat) {
			t.Errorf("%v: double is %v", size, got)
		}
	}
	slope := make([]uint8, 20*20)
	for i := range slope {
		slope[i] = uint8(3*(i%20) + 4*(i/20))
	}
	for i, x := range Double(Halve(slope, 20, 20), 20, 20) {
		if math.Abs(float64(x)-float64(slope[i])) > 4 { // edges have no neighbour to interpolate with
			t.Errorf("pixel %d is %d, was %d", i, x, slope[i])
		}
	}
}

func TestExtendAndCrop(t *testing.T) {
	pix := []uint8{1, 2, 3, 4, 5, 6}
	wide := Extend(pix, 3, 2, 5, 3)
	if want := []uint8{1, 2, 3, 3, 3, 4, 5, 6, 6, 6, 4, 5, 6, 6, 6}; !bytes.Equal(wide, want) {
		t.Errorf("%v, want %v", wide, want)
	}
	if got := Crop(wide, 5, 3, 2); !bytes.Equal(got, pix) {
		t.Errorf("%v, want %v", got, pix)
	}
}

func TestTile(t *testing.T) {
	p := pattern(2, 2, 3)
	if got := p.Tile(2, 2, 3); !reflect.DeepEqual(got, p) {
		t.Errorf("%+v", got)
	}
	if got := p.Tile(3, 3, 1); got.Channels != 1 || got.Pix[2] != got.Pix[0] || got.Pix[8] != got.Pix[0] {
		t.Errorf("%+v", got)
	}
	if got := pattern(2, 1, 1).Tile(2, 2, 3); !bytes.Equal(got.Pix, []uint8{0, 0, 0, 7, 7, 7, 0, 0, 0, 7, 7, 7}) {
		t.Errorf("%+v", got)
	}
}

func TestPSNR(t *testing.T) {
	a, b := New(4, 4, 1), New(4, 4, 1)
	if PSNR(a, b) != Same {
		t.Errorf("%g for the same", PSNR(a, b))
	}
	for i := range b.Pix {
		b.Pix[i] = 255
	}
	if PSNR(a, b) != 0 {
		t.Errorf("%g for black and white", PSNR(a, b))
	}
}

// The landscape is the same everywhere.
func TestGenerate(t *testing.T) {
	sum := fnv.New64a()
	sum.Write(Generate(100, 1).Pix)
	if got := fmt.Sprintf("%016x", sum.Sum64()); got != "43f0f73ff94bade3" {
		t.Errorf("checksum %s", got)
	}
	if bytes.Equal(Generate(30, 1).Pix, Generate(30, 2).Pix) {
		t.Error("the seed changes nothing")
	}
}
