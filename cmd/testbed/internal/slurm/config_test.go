//go:build linux

package slurm

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestConfig(t *testing.T) {
	s := must.Get(spec.Parse("s", "cluster a hosts=2 speed=10% slots=2\ncluster b hosts=1 speed=10%\n"))(t)
	text := Config(s)
	for _, line := range []string{
		"SlurmctldHost=a1", "NodeName=a2 CPUs=2 State=UNKNOWN", "NodeName=b1 CPUs=1 State=UNKNOWN",
		"PartitionName=a Nodes=a1,a2 MaxTime=INFINITE State=UP", "PartitionName=b Nodes=b1 MaxTime=INFINITE State=UP",
		"PartitionName=all Nodes=a1,a2,b1 MaxTime=INFINITE State=UP Default=YES",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	keys := map[string]bool{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if repeated := key == "NodeName" || key == "PartitionName"; !ok || value == "" || keys[key] && !repeated {
			t.Errorf("line %q", line)
		}
		keys[key] = true
	}
}
