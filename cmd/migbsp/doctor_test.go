package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/cmd/migbsp/doctor"
	"github.com/migbsp/migbsp/internal/cli"
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
	for _, line := range strings.Split(out, "\n") {
		if len(line) > 80 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
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
	if err := os.WriteFile(file, []byte("#@set s\na slots=x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := call(t, "", "doctor", "-hosts", file); code != cli.ExitFailed || !strings.Contains(out, "something that is needed is missing") {
		t.Errorf("code %d\n%s", code, out)
	}
	t.Setenv("MIGBSP_HOSTS", "../../examples/two-sets.hosts")
	if code, out, _ := call(t, "", "doctor"); code != cli.ExitOK || !strings.Contains(out, "two-sets.hosts: 8 ranks on 8 hosts") {
		t.Errorf("code %d\n%s", code, out)
	}
}

func TestDoctorUsage(t *testing.T) {
	for _, args := range []string{"-ranks -1", "-need mpi,xyz", "-format csv", "-hosts"} {
		if code, _, err := call(t, "", append([]string{"doctor"}, strings.Fields(args)...)...); code != cli.ExitUsage || strings.Count(err, "\n") != 1 {
			t.Errorf("%s: code %d, %q", args, code, err)
		}
	}
}
