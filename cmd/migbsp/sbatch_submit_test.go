package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
)

// Only with -submit is a job submitted: sbatch gets the script, and what it says
// is shown.
func TestSbatchSubmit(t *testing.T) {
	noSettings(t)
	bin, got := t.TempDir(), filepath.Join(t.TempDir(), "got")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	args := []string{"sbatch", "-ntasks", "4", "--", "lu", "-n", "a'b"}
	_, script, _ := call(t, "", args...)
	submit := append([]string{"sbatch", "-submit"}, args[1:]...)

	writeFile(t, filepath.Join(bin, "sbatch"), "#!/bin/sh\ncat >'"+got+"'\necho Submitted batch job 7\n")
	if call(t, "", args...); exists(got) {
		t.Fatal("submitted without -submit")
	}
	code, out, err := call(t, "", submit...)
	if text, _ := os.ReadFile(got); code != cli.ExitOK || out != "Submitted batch job 7\n" || err != "" || string(text) != script {
		t.Errorf("code %d, %q, %q, submitted\n%s", code, out, err, text)
	}

	file := filepath.Join(t.TempDir(), "job.sbatch")
	code, out, _ = call(t, "", append([]string{"sbatch", "-o", file}, submit[1:]...)...)
	if text, _ := os.ReadFile(file); code != cli.ExitOK || out != "Submitted batch job 7\n" || string(text) != script {
		t.Errorf("with -o: code %d, %q, written\n%s", code, out, text)
	}

	writeFile(t, filepath.Join(bin, "sbatch"), "#!/bin/sh\ncat >/dev/null\necho 'sbatch: error: no such partition' >&2\nexit 3\n")
	code, out, err = call(t, "", submit...)
	if want := "sbatch: error: no such partition\nmigbsp sbatch: sbatch has not taken the job: exit status 3\n"; code != cli.ExitFailed || out != "" || err != want {
		t.Errorf("code %d, %q, %q", code, out, err)
	}

	t.Setenv("PATH", t.TempDir())
	code, out, err = call(t, "", submit...)
	if want := "migbsp sbatch: there is no sbatch in PATH: submit where Slurm is, or write the script with -o FILE\n"; code != cli.ExitFailed || out != "" || err != want {
		t.Errorf("code %d, %q, %q", code, out, err)
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
