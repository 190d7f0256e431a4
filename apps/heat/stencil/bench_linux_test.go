package stencil

import (
	"fmt"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Compares kernels from a plain loop to the fast ones (docs/guide/kernels.md), with -tags ckernel
// also in C. The measure is cells per processor time, which other users of the machine disturb less
// than elapsed time.
func BenchmarkSweep(bench *testing.B) {
	w := Weights{Own: 0.16, Beside: 0.14}
	for _, b := range []Block{{X: 64, Y: 64, Z: 64}, {X: 256, Y: 256, Z: 256}, {X: 1024, Y: 1024, Z: 32}} {
		to, from := make([]float64, b.Size()), random(b.Size())
		run := func(name string, sweep func(to, from []float64, b Block, w Weights)) {
			bench.Run(fmt.Sprintf("%dx%dx%d/%s", b.X, b.Y, b.Z, name), func(bench *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				began := threadTime(bench)
				for bench.Loop() {
					sweep(to, from, b, w)
				}
				cells := float64(b.X*b.Y*b.Z) * float64(bench.N)
				bench.ReportMetric((threadTime(bench)-began)/cells, "cpu-ns/cell")
			})
		}
		run("indexed", indexed)
		run("offsets", offsets)
		run("hoisted", func(to, from []float64, b Block, w Weights) { plain(to, from, b, &w, 0, b.Y) })
		for i := range kernels {
			k := kernels[len(kernels)-1-i]
			back := use(k)
			run("tiles-"+k.name, Sweep)
			back()
		}
	}
}

// threadTime is the processor time of this thread, in nanoseconds.
func threadTime(bench *testing.B) float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		bench.Fatal(err)
	}
	return float64(t.Nano())
}
