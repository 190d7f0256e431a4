package sbatch

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"physics": true, "a.b-c_d@e+1": true, "": false, "-a": false, "a b": false, "a;b": false, "a\n": false, "é": false, ".a": false,
	} {
		if err := CheckIdentifier(text); (err == nil) != want {
			t.Errorf("identifier %q: %v", text, err)
		}
	}
	for text, want := range map[string]bool{
		"lu": true, "a job's #1 $x `y` é": true, "": false, "a/b": false, `a"b`: false, `a\b`: false, "a\nb": false, "\u202eb": false, "%j": false,
	} {
		if err := CheckName(text); (err == nil) != want {
			t.Errorf("name %q: %v", text, err)
		}
	}
	for text, want := range map[string]bool{"pmix": true, "pmi2": true, "pmix_v4": true, "none": false, "list": false, "": false, "a b": false} {
		if err := CheckMPI(text); (err == nil) != want {
			t.Errorf("mpi %q: %v", text, err)
		}
	}
}

func TestModules(t *testing.T) {
	if got, err := ParseModules("gcc/13, openmpi/4.1.6-GCC-13 \tmigbsp"); err != nil || !slices.Equal(got, []string{"gcc/13", "openmpi/4.1.6-GCC-13", "migbsp"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", " , ", "a,-b", "a\nb", "\xff"} {
		if got, err := ParseModules(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestOptions(t *testing.T) {
	if got, err := ParseOptions("--mem=4G '--comment=a b' -H"); err != nil || !slices.Equal(got, []string{"--mem=4G", "--comment=a b", "-H"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "mem=4G", "--mem 4G", `'--comment="'`, `--comment=a\\b`, "'--comment=a\nb'", "'--a"} {
		if got, err := ParseOptions(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
