package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// outOfMemory distinguishes crashes for lack of memory from other crashes.
func TestOutOfMemory(t *testing.T) {
	for _, c := range []struct {
		crash string
		want  bool
	}{
		{"\nruntime stack:\nruntime.throw({0x4af64b?, 0x21c3?})\n\t/go/src/runtime/panic.go:1229 +0x48 fp=0x7f\nruntime.sysMapOS(0x70c1b400000, 0x400000000000, {0x4ac4b0, 0x4})\n\t/go/src/runtime/mem_linux.go:175\n", true},
		{"\ngoroutine 1 gp=0x1 m=0 mp=0x5 [running]:\nruntime.throw({0x4af64b?, 0x21c3?})\n\t/go/src/runtime/panic.go:1229 +0x48\nruntime.(*mcache).allocLarge(0x1, 0x2, 0x1)\n\t/go/src/runtime/mcache.go:244\n", true},
		{"\ngoroutine 1 [running]:\nruntime.throw({0x4af64b?, 0x21c3?})\n\t/go/src/runtime/panic.go:1229 +0x48\nruntime.newstack()\n\t/go/src/runtime/stack.go:1107\nruntime.sysMapOS(0x1)\n", false},
		{"panic: out of memory\n\ngoroutine 14 [running]:\nmain.main.func1.1()\n\t/main.go:29\n", false},
		{"\nruntime.throw(", false},
		{"\x00", false},
		{"", false},
	} {
		if got := outOfMemory(c.crash); got != c.want {
			t.Errorf("%q: %v, want %v", c.crash, got, c.want)
		}
	}
}

// Only processes that were killed later count.
func TestOOMKills(t *testing.T) {
	if k := oomKillsOf(os.Getpid()); k.file == "" {
		t.Error("nothing counts processes that are killed for want of memory")
	}
	file := filepath.Join(t.TempDir(), "memory.events")
	must.Write(t, file, "low 0\noom 7\noom_kill 3\noom_group_kill 0\n", 0o600)
	n, err := countIn(file)
	k := oomKills{file, n}
	if n != 3 || err != nil || k.grown() {
		t.Errorf("%d, %v, grown: %v", n, err, k.grown())
	}
	must.Write(t, file, "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n", 0o600)
	if !k.grown() {
		t.Error("a kill is not seen")
	}
	os.Remove(file)
	if k.grown() || (oomKills{}).grown() {
		t.Error("a file that is not there has grown")
	}
}
