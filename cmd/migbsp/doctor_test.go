package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/migbsp/doctor"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// With nothing on PATH all is looked at, and nothing but what is asked for is
// needed.
func TestDoctorWithoutAnything(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("MIGBSP_HOSTS", "")
	code, out, err := call(t, "", "doctor")
	if code != cli.ExitOK || err != "" || !strings.Contains(out, " missing  mpi ") {
		t.Errorf("code %d, %q\n%s", code, err, out)
	}
	isNarrow(t, out)
	code, out, _ = call(t, "", "doctor", "-need", "mpi,go", "-format", "json")
	var d struct {
		Sound    bool
		Findings []doctor.Finding
	}
	if e := json.Unmarshal([]byte(out), &d); e != nil || code != cli.ExitFailed || d.Sound || len(d.Findings) < len(doctor.Names()) {
		t.Errorf("code %d, %v\n%s", code, e, out)
	}
}

func TestDoctorReadsHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.hosts")
	must.Do(t, os.WriteFile(file, []byte("#@set s\na slots=x\n"), 0o644))
	if code, out, _ := call(t, "", "doctor", "-hosts", file); code != cli.ExitFailed || !strings.Contains(out, "something that is needed is missing") {
		t.Errorf("code %d\n%s", code, out)
	}
	t.Setenv("MIGBSP_HOSTS", "../../examples/two-sets.hosts")
	if code, out, _ := call(t, "", "doctor"); code != cli.ExitOK || !strings.Contains(out, "two-sets.hosts: 8 ranks on 8 hosts") {
		t.Errorf("code %d\n%s", code, out)
	}
}
