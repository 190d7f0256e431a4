package ledger

import (
	"strings"
	"testing"
	"time"
)

func TestEmulationIsReadAsItWasWritten(t *testing.T) {
	for _, e := range []Emulation{
		{"two-sets.hosts", 1234 * time.Millisecond, 2 * time.Second, 900 * time.Millisecond, 3 * time.Millisecond, 70 * time.Microsecond},
		{"a", 0, 0, 0, 0, 0},
		{"b.hosts", 3 * time.Hour, time.Nanosecond, time.Second, 0, time.Minute},
	} {
		var b strings.Builder
		b.WriteString("checksum 1\n\n")
		if _, err := e.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadEmulation(b.String() + "more\n")
		if err != nil || got != e {
			t.Errorf("%v, %v; want %v", got, err, e)
		}
	}
	if _, err := ReadEmulation("checksum 1\n"); err == nil {
		t.Error("an account is read where there is none")
	}
}

func TestGainAndPossible(t *testing.T) {
	e := Emulation{With: 60, Without: 100, Least: 25}
	if e.Gain() != 0.4 || e.Possible() != 0.75 {
		t.Errorf("gain %v of %v", e.Gain(), e.Possible())
	}
	if (&Emulation{}).Gain() != 0 {
		t.Error("a run that took no time gained something")
	}
}
