package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is not there is named once, with the reason alone and not the call of the system
// that has failed.
func TestFilesThatAreNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p.hosts", []byte("a slots=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("p.xml", []byte(`<platform version="4.1"><zone id="z"><host id="h" speed="1f" speed_file="no"/></zone></platform>`), 0o600); err != nil {
		t.Fatal(err)
	}
	no := filepath.Join("no", "where")
	for _, args := range []string{
		"simulate -platform no -workload dp:n=10",
		"simulate -platform p.xml -workload dp:n=10",
		"simulate -platform p.hosts -workload dp:n=10 -mapping-from no",
		"simulate -platform p.hosts -workload dp:n=10 -export " + no,
		"simulate -platform p.hosts -workload dp:n=10 -run-dir p.hosts/x",
		"report no", "report -o " + no + " p.hosts", "runs no", "trace no", "top no", "drain no", "hosts no",
		"sbatch -partition a:1:1 -o " + no + " -- lu", "run -hosts no lu", "man p.hosts/x",
	} {
		code, out, errs := call(t, "", strings.Fields(args)...)
		for _, raw := range []string{"open ", "stat ", "lstat ", "mkdir ", "createtemp", "read ", "GetFileAttributes"} {
			if strings.Contains(errs, ": "+raw) {
				t.Errorf("%s: code %d, %s%s", args, code, out, errs)
			}
		}
		if code == 0 || strings.Contains(errs, "no: no: ") {
			t.Errorf("%s: code %d, %s%s", args, code, out, errs)
		}
	}
}
