package sealed

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

var format = Format{Schema: "migbsp.test/2", Kind: "a test", Older: ": write it again"}

type content struct {
	Name string
	List []int
}

func fine() error { return nil }

// A reader gets the content that was written, and refuses a text with any other bit.
func TestSealedTexts(t *testing.T) {
	text := format.Seal(must.Get(json.Marshal(content{"a", []int{1, 2}}))(t))
	var c content
	must.Do(t, format.Open("f", text, &c, fine))
	if c.Name != "a" || len(c.List) != 2 || c.List[1] != 2 {
		t.Errorf("read %v", c)
	}
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if err := format.Open("f", text, new(content), fine); err == nil {
			t.Errorf("bit %d of byte %d is flipped, and the text is accepted", bit%8, bit/8)
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
	for n := range text {
		if err := format.Open("f", text[:n], new(content), fine); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(text))
		}
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	text := string(format.Seal(must.Get(json.Marshal(content{"a", nil}))(t)))
	for _, c := range []struct{ old, new, want string }{
		{"test/2", "test/3", "f:1:1: schema migbsp.test/3 of a newer migbsp, expected migbsp.test/2"},
		{"test/2", "test/1", "f:1:1: schema migbsp.test/1 of an older migbsp, expected migbsp.test/2: write it again"},
		{"test/2", "text/2", `f:1:1: schema "migbsp.text/2", expected "migbsp.test/2"`},
		{`"a"`, `"b"`, "f:1:1: damaged: its digest is "},
		{"{", "", "expected a test"},
	} {
		err := format.Open("f", []byte(strings.Replace(text, c.old, c.new, 1)), new(content), fine)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q instead of %q: %v; want %s", c.new, c.old, err, c.want)
		}
	}
	forged := format.Stamp([]byte(strings.Replace(text, `"a"`, `7`, 1)))
	if err := format.Open("f", forged, new(content), fine); err == nil || !strings.Contains(err.Error(), "f:3:86: Name is a number, expected a string") {
		t.Errorf("a forged text: %v", err)
	}
	long := errors.New(strings.Repeat("x", 2*longest))
	if err := format.Open("f", []byte(text), new(content), func() error { return long }); err == nil || len(err.Error()) > longest+20 {
		t.Errorf("a long error: %v", err)
	}
}
