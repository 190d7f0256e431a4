package programs

import (
	"image"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// A rank that always works is dark, one that waits is bright; a move is marked where it
// was.
func TestBusy(t *testing.T) {
	const second = time.Second
	h := &ledger.History{
		Steps: []ledger.Step{
			{First: 1, Work: []time.Duration{second, 0}, Total: second},
			{First: 2, Last: 9, Work: []time.Duration{0, 3 * second}, Total: 3 * second},
		},
		Moves: []ledger.Move{{Step: 1}},
	}
	m := busy(h)
	works, mark := uint8(len(m.Palette)-2), uint8(len(m.Palette)-1)
	if want := image.Rect(0, 0, pictureWidth, marksHeight+2*rankHeight); m.Rect != want {
		t.Fatalf("%v, want %v", m.Rect, want)
	}
	upper, lower := marksHeight+rankHeight/2, marksHeight+rankHeight+rankHeight/2
	for _, c := range []struct {
		x, y int
		want uint8
	}{
		{pictureWidth/4 - 2, upper, works}, {pictureWidth/4 - 2, lower, 0},
		{pictureWidth/4 + 2, upper, 0}, {pictureWidth/4 + 2, lower, works}, {pictureWidth - 1, lower, works},
		{pictureWidth / 4, 0, mark}, {pictureWidth / 2, 0, 0}, {pictureWidth - 1, 0, 0},
	} {
		if got := m.ColorIndexAt(c.x, c.y); got != c.want {
			t.Errorf("at %d, %d: %d, want %d", c.x, c.y, got, c.want)
		}
	}
	if empty := busy(&ledger.History{}); empty.Rect.Dy() != marksHeight {
		t.Errorf("a record without supersteps: %v", empty.Rect)
	}
}

func TestBalanceOf(t *testing.T) {
	for out, want := range map[string]string{
		"Sort\n g = 1\n\n where  steps\n----\n all  3\n\n emulated: 3%\n   saved\n lower bound: 1 s\n record\n": " where  steps\n----\n all  3\n\n emulated: 3%\n   saved\n",
		"nothing\n": "nothing\n",
	} {
		if got := balanceOf(out); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
