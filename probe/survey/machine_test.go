package survey

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel/kerneltest"
)

func TestThisMachine(t *testing.T) {
	m := This(context.Background(), 20*time.Millisecond)
	for name, rate := range map[string]probe.Rate{"dependent": m.Speed.Dependent, "independent": m.Speed.Independent, "copy": m.Speed.Copy} {
		if !(rate.PerSecond > 1e6) || math.IsInf(rate.PerSecond, 0) || !(rate.Spread >= 0) {
			t.Errorf("%s: %+v", name, rate)
		}
	}
	if m.Speed.Independent.PerSecond < m.Speed.Dependent.PerSecond {
		t.Errorf("operations that wait are faster than those that do not: %+v", m.Speed)
	}
	if m.Name == "" || m.Cores.Allowed < 1 || m.Memory.Total < m.Memory.Available || m.Memory.Available <= 0 {
		t.Errorf("%+v", m)
	}
	if m.Load.Others < m.Load.Stolen || m.Load.Others > 1 {
		t.Errorf("load %+v", m.Load)
	}
	if _, err := json.Marshal(m); err != nil {
		t.Error(err)
	}
}

func TestHostFromFiles(t *testing.T) {
	h := ThisHost(kerneltest.Files("proc/cpuinfo", "processor : 0\nmodel name\t: Fast 9000\n", "proc/sys/kernel/osrelease", "6.1.0\n"))
	if h.Processor != "Fast 9000" || h.Kernel != "6.1.0" || h.Platform == "" {
		t.Errorf("%+v", h)
	}
}

// What cannot be read is said, and the rest is known nevertheless.
func TestMachineWithoutFiles(t *testing.T) {
	m := lookAt(kerneltest.Files(kerneltest.Status, "Cpus_allowed_list:\t0-3\n")).machine
	if m.Cores.Allowed != 4 || len(m.Missing) != 1 || !strings.HasPrefix(m.Missing[0], "control groups: ") {
		t.Errorf("%+v", m)
	}
	if m := lookAt(kerneltest.Files()).machine; m.Cores.Allowed < 1 || len(m.Missing) != 2 {
		t.Errorf("without any: %+v", m)
	}
}
