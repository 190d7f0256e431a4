package hostfile

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func at(text string) token { return token{text: text, line: 1, col: 1} }

// means holds a reader of figures to what texts mean, and to those that are none.
func means[T comparable](t *testing.T, parse func(token) (T, *Problem), right map[string]T, wrong ...string) {
	t.Helper()
	for text, want := range right {
		if got, problem := parse(at(text)); problem != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, problem, want)
		}
	}
	for _, text := range wrong {
		if got, problem := parse(at(text)); problem == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestFigures(t *testing.T) {
	means(t, parseRate, map[string]float64{
		"8b/s": 1, "8kb/s": 1e3, "8Kb/s": 1e3, "100Mb/s": 12.5e6, "1Gb/s": 125e6, "1Tb/s": 125e9, "8Kib/s": 1024,
		"1B/s": 1, "1kB/s": 1e3, "10MB/s": 10e6, "1GB/s": 1e9, "1TB/s": 1e12, "1GiB/s": 1 << 30, "2.5MiB/s": 2.5 * (1 << 20),
		"1e3B/s": 1000, "1E-1GB/s": 1e8, ".5GB/s": 5e8, "+1B/s": 1,
	}, "", "1", "1Gb", "1Gbps", "Gb/s", "1 Gb/s", "1gb/s", "1mb/s", "0b/s", "-1Gb/s", "NaNb/s", "NaN", "Infb/s", "+InfB/s",
		"1e999b/s", "1e-999b/s", "0x1b/s", "1_0b/s", "1e9Tb/s", "0.1b/s", "1eb/s", "..1b/s")
	means(t, parseSpeed, map[string]float64{"1": 1, "0.10": 0.1, "1e-3": 0.001, "2.": 2, "1000000": 1e6},
		"", "0", "-1", "-0", "NaN", "nan", "Inf", "-Inf", "1e999", "1e-7", "1e7", "fast", "1x", "0x1", ".")
	means(t, parseMemory, map[string]int64{"0": 0, "0GiB": 0, "7B": 7, "512MB": 512e6, "4GiB": 4 << 30, "1.5KiB": 1536, "2TB": 2e12, "1e3kB": 1e6},
		"", "4", "4G", "-1GiB", "0.5B", "NaNB", "InfB", "1e99TiB", "4gib")
	means(t, parseLatency, map[string]time.Duration{"0s": 0, "0": 0, "50us": 50e3, "50µs": 50e3, "1.5ms": 1500e3, "1h": time.Hour},
		"", "5", "-1us", "61m", "NaNs", "Inf", "1e3us", "9999999999h")
}

func TestWrittenFigures(t *testing.T) {
	for rate, want := range map[float64]string{
		125e6: "1Gb/s", 12.5e6: "100Mb/s", DefaultRate: "10Gb/s", 312.5e6: "2.5Gb/s", 1 << 30: "1GiB/s", 0.125: "1b/s", 10e6: "80Mb/s",
	} {
		if got := formatRate(rate); got != want {
			t.Errorf("rate %g is written %s, want %s", rate, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0", 4 << 30: "4GiB", 1536: "1536B", 1 << 60: "1048576TiB", 3 << 10: "3KiB"} {
		if got := formatMemory(bytes); got != want {
			t.Errorf("memory %d is written %s, want %s", bytes, got, want)
		}
	}
}

// All figures that can be read are written so that they are read alike.
func TestFiguresSurviveWriting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		rate := math.Exp(math.Log(minRate) + random.Float64()*math.Log(maxRate/minRate))
		if got, problem := parseRate(at(formatRate(rate))); problem != nil || got != rate {
			t.Fatalf("rate %g is written %s and read %g, %v", rate, formatRate(rate), got, problem)
		}
		speed := math.Exp(math.Log(minSpeed) + random.Float64()*math.Log(maxSpeed/minSpeed))
		if got, problem := parseSpeed(at(formatSpeed(speed))); problem != nil || got != speed {
			t.Fatalf("speed %g is written %s and read %g, %v", speed, formatSpeed(speed), got, problem)
		}
		memory := int64(float64(random.Int64N(maxMemory + 1)))
		if got, problem := parseMemory(at(formatMemory(memory))); problem != nil || got != memory {
			t.Fatalf("memory %d is written %s and read %d, %v", memory, formatMemory(memory), got, problem)
		}
		latency := time.Duration(random.Int64N(int64(maxDuration) + 1))
		if got, problem := parseLatency(at(formatDuration(latency))); problem != nil || got != latency {
			t.Fatalf("latency %v is written %s and read %v, %v", latency, formatDuration(latency), got, problem)
		}
	}
}
