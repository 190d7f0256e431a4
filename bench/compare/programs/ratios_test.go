package programs

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A ratio is the median over turns; the row of a missing reference reports that it is missing.
func TestRatios(t *testing.T) {
	p := programs[0]
	p.references = []reference{{name: "there"}, {name: "away"}}
	c := course{
		alone:      []speed{{1, ""}, {3, ""}, {2, ""}},
		references: [][]speed{{{5, ""}, {4, ""}, {1, ""}}, nil},
		missing:    []error{nil, errMissing("no cc")},
	}
	got := ""
	for _, row := range c.ratios(new(frame.Session), &p) {
		got += strings.Join(row, ";") + "\n"
	}
	if want := "there;4 s;0.75\naway;no cc;-\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The libraries of a reference are listed below the table, once it has run.
func TestLibraries(t *testing.T) {
	dir := t.TempDir()
	r := reference{name: "dgetrf", source: "program"}
	script := "#!/bin/sh\necho 'with OpenBLAS 0.3.21, SkylakeX kernels (it takes the processor for a Prescott)'\necho 'time 2 s'\n"
	must.Do(t, os.WriteFile(r.path(dir), []byte(script), 0o777))
	must.Get(r.run(t.Context(), dir, ""))(t)
	notes := libraries([]program{{references: []reference{{name: "other"}, r}}})
	if want := "dgetrf is of OpenBLAS 0.3.21, SkylakeX kernels (it takes the processor for a Prescott)."; len(notes) != 1 || notes[0] != want {
		t.Errorf("%q, want %q", notes, want)
	}
}

// The kernels are the best that the processor can run, regardless of OpenBLAS's own detection, and
// those that the environment asks for, if set.
func TestOpenBLASKernels(t *testing.T) {
	r := programs[0].references[0]
	if _, err := exec.LookPath("cc"); err != nil || !cpu.X86.HasAVX2 {
		t.Skip("SKIPPED: needs cc, and a processor with AVX2")
	}
	root := must.Get(frame.Root(t.Context()))(t)
	dir := t.TempDir()
	if err := r.build(t.Context(), root, dir); errors.As(err, new(errMissing)) {
		t.Skip("SKIPPED: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]*regexp.Regexp{
		"": bestKernels(), "PRESCOTT": regexp.MustCompile(`, Prescott kernels$`), "HASWELL": regexp.MustCompile(`, Haswell kernels$`),
	} {
		if set == "" {
			t.Setenv("OPENBLAS_CORETYPE", "") // to have it back after the test
			os.Unsetenv("OPENBLAS_CORETYPE")
		} else {
			t.Setenv("OPENBLAS_CORETYPE", set)
		}
		out := must.Get(frame.Output(t.Context(), dir, r.path(dir), "50"))(t)
		if found := withLine.FindStringSubmatch(out); found == nil || !want.MatchString(found[1]) {
			t.Errorf("OPENBLAS_CORETYPE=%s: no %s in\n%s", set, want, out)
		}
	}
}

func bestKernels() *regexp.Regexp {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		return regexp.MustCompile(`, (SkylakeX|Cooperlake|SapphireRapids) kernels`)
	}
	return regexp.MustCompile(`, (Haswell|Zen|Excavator) kernels`)
}
