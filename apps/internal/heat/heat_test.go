package heat

import (
	"bytes"
	"image/png"
	"math"
	"testing"
)

func TestIndex(t *testing.T) {
	for part, want := range map[float64]byte{-1: 1, math.NaN(): 1, 0: 1, 0.5: 128, 1: 255, 7: 255, math.Inf(1): 255} {
		if got := Index(part); got != want {
			t.Errorf("%g has colour %d, want %d", part, got, want)
		}
	}
	if len(Colours) != 256 || Colours[Nothing] == Colours[Index(0)] {
		t.Errorf("%d colours", len(Colours))
	}
}

// A picture is read back unchanged.
func TestPicture(t *testing.T) {
	indices := []byte{0, 1, 2, 100, 200, 255}
	var file bytes.Buffer
	if err := WritePNG(&file, Image(3, indices)); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(&file)
	if err != nil || m.Bounds().Dx() != 3 || m.Bounds().Dy() != 2 {
		t.Fatal(err)
	}
	for i, index := range indices {
		if got := m.At(i%3, i/3); got != Colours[index] {
			t.Errorf("pixel %d is %v, want %v", i, got, Colours[index])
		}
	}
}
