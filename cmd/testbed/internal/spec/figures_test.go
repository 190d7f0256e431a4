package spec

import (
	"math/rand/v2"
	"testing"
)

func TestFigures(t *testing.T) {
	for text, want := range map[string]Rate{"100Mb/s": 100e6, "1.5MB/s": 12e6, "64kb/s": 64e3, "2Gb/s": 2e9, "80000B/s": 640e3} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("rate %s is read %v, %v", text, got, err)
		}
	}
	for rate, want := range map[Rate]string{0: "-", 100e6: "100Mb/s", 1.5e9: "1.5Gb/s", 64e3: "64kb/s"} {
		if got := rate.String(); got != want {
			t.Errorf("rate %g is written %s, want %s", float64(rate), got, want)
		}
	}
	for _, text := range []string{"", "Mb/s", "-1Mb/s", "1e3kb/s", "1 Mb/s", "1.2.3Mb/s", "41Gb/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("rate %q is read %v", text, got)
		}
	}
	for text, want := range map[string]Speed{"50%": 0.5, "100%": 1, "0.5%": 0.005} {
		if got, err := ParsePart(text); err != nil || got != want {
			t.Errorf("part %s is read %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0%", "101%", "%", "5", "-5%"} {
		if got, err := ParsePart(text); err == nil {
			t.Errorf("part %q is read %v", text, got)
		}
	}
}

func TestSpeedsSurviveWriting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		text := Speed(0.01 + 0.89*random.Float64()).String()
		if got, err := ParseSpeed(text); err != nil || got.String() != text {
			t.Fatalf("speed %s is read %v, %v", text, got, err)
		}
	}
}
