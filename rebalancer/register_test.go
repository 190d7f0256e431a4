package rebalancer

import (
	"slices"
	"strings"
	"testing"
)

func TestRegister(t *testing.T) {
	none := func(map[string]float64) Strategy { return pubGlobal{} }
	for want, d := range map[string]Definition{
		`a strategy named ""`:                     {New: none},
		`a strategy named "a,b"`:                  {Name: "a,b", New: none},
		`expected a word, and a function`:         {Name: "x"},
		`there is another strategy "auto"`:        {Name: "auto", New: none},
		`there is another strategy "off"`:         {Name: "off", New: none},
		`all strategies have a parameter "alpha"`: {Name: "x", New: none, Parameters: []Parameter{{Name: "alpha"}}},
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			}()
			Register(d)
		}()
	}
	if slices.ContainsFunc(Definitions(), func(d Definition) bool { return d.Name == "x" }) {
		t.Error("a strategy is registered that was refused")
	}
}
