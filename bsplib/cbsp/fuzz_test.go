//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

import (
	"encoding/hex"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// refusal matches the line that ends a run, with a site in the program.
var refusal = regexp.MustCompile(`^fuzz: .*\b(process|rank) \d+.*: .*\n$|^[a-z.]+: bsp_[a-z_]+: called by a thread that is not a process.*\n$`)

// checkCalls runs fuzz.c with calls: it must succeed, or end with one line that states the site and the reason.
func checkCalls(t *testing.T, object, flags string, calls []byte) {
	t.Helper()
	r := program(object, strings.Fields("-procs 3 "+flags+" -- "+hex.EncodeToString(calls))...).Run(t)
	if r.Code == 0 && r.Err == "" || r.Code > 0 && (refusal.MatchString(r.Err) || r.Err == "") { // the program's own exit code
		return
	}
	t.Errorf("%s %x: code %d\n%s%s", flags, calls, r.Code, r.Out, r.Err)
}

// randomCalls returns calls. Their first byte selects the context that they are made from.
func randomCalls(r *rand.Rand) []byte {
	calls := make([]byte, 1+4*(1+r.IntN(24)))
	for i := range calls {
		calls[i] = byte(r.UintN(256))
	}
	for i := 1; i < len(calls); i += 4 {
		if r.IntN(8) > 0 {
			calls[i] &^= 128 // by all processes
		}
	}
	if calls[0] %= 24; calls[0] >= 8 {
		calls[0] = 8 // within the section, with areas
	}
	return calls
}

// Primitives called with any arguments, from any context, work or end the run with one line.
func TestAnyCalls(t *testing.T) {
	for i, dialect := range []string{"gcc -w", "gcc -w -DBSP_MULTICORE"} {
		object := compile(t, dialect, "fuzz.c", "../../library/level1.c")
		for seed := range uint64(100) {
			flags := []string{"-quiet -ranks 2", "-quiet -ranks 1", "-quiet -ranks 2 -shake"}[seed%3]
			checkCalls(t, object, flags, randomCalls(rand.New(rand.NewPCG(seed, uint64(i)))))
		}
	}
}

func FuzzAnyCalls(f *testing.F) {
	object := compile(f, "gcc -w", "fuzz.c", "../../library/level1.c")
	for seed := range uint64(8) {
		f.Add(randomCalls(rand.New(rand.NewPCG(seed, 0))))
	}
	f.Fuzz(func(t *testing.T, calls []byte) {
		checkCalls(t, object, "-quiet -ranks 2", calls[:min(len(calls), 1000)])
	})
}
