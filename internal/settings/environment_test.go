package settings

import (
	"slices"
	"testing"
)

// A variable that nothing reads is told of, with the name that could be meant.
func TestUnknownVariables(t *testing.T) {
	for _, c := range []struct {
		environ string
		want    []string
	}{
		{"MIGBSP_PROCS=1 MIGBSP_SHM=off MIGBSP_TEST_X=1 MIGBSPPROC=1 OTHER=1 MIGBSP_CONFIG=/dev/null", nil},
		{"MIGBSP_PROC=", nil},
		{"MIGBSP_PROC=1", []string{"MIGBSP_PROC in the environment means nothing; did you mean MIGBSP_PROCS?"}},
		{"MIGBSP_SMH=on", []string{"MIGBSP_SMH in the environment means nothing; did you mean MIGBSP_SHM?"}},
		{"MIGBSP_RUNDIR=x MIGBSP_HOME_OF_ALL=x", []string{
			"MIGBSP_HOME_OF_ALL in the environment means nothing",
			"MIGBSP_RUNDIR in the environment means nothing; did you mean MIGBSP_RUN_DIR?",
		}},
		{"MIGBSP_N=1 MIGBSP_WORD=x", []string{"MIGBSP_N in the environment means nothing"}},
		{"MIGBSP_VERSION=1", []string{"MIGBSP_VERSION in the environment means nothing"}},
	} {
		_, warnings, err := newProgram().resolve(t, "", c.environ, nil)
		if err != nil || !slices.Equal(warnings, c.want) {
			t.Errorf("%s: %v, %q, want %q", c.environ, err, warnings, c.want)
		}
	}
}

func TestVariable(t *testing.T) {
	if got := Variable("run-dir"); got != "MIGBSP_RUN_DIR" {
		t.Error(got)
	}
}
