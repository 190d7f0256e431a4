package checkpoint

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// All ranks go on from what rank 0 has found, or with its error; paths are
// absolute where they were not given.
func TestResume(t *testing.T) {
	t.Chdir(t.TempDir())
	e := newEngine(t, 2, Settings{Dir: "kept", Parameters: []Parameter{{"n", "6"}, {"block", "2"}}, State: "packed[main.state]", Layout: 77})
	e.requests[0].Add(1)
	if over, _ := e.end(t, true); !over {
		t.Fatal("there is no checkpoint")
	}
	found := must.Get(Resume(nil, func() (*Source, error) { return Find("kept") }))(t)
	absolute := must.Get(filepath.Abs(found.Path))(t)
	mpitest.OnRanks(3)(t, func(comm mpi.Comm) error {
		rank := comm.Rank()
		on0 := func(s *Source, err error) func() (*Source, error) {
			return func() (*Source, error) {
				if rank > 0 {
					t.Error("a rank other than 0 looks for it")
				}
				return s, err
			}
		}
		want := absolute
		if rank == 0 {
			want = found.Path
		}
		s, err := Resume(comm, on0(found, nil))
		if err != nil || s.Path != want || fmt.Sprintf("%+v", *s.Manifest) != fmt.Sprintf("%+v", *found.Manifest) {
			return fmt.Errorf("%+v, %v, want %s %+v", s, err, want, found.Manifest)
		}
		if err := readBack(s, all); err != nil {
			return err
		}
		if s, err := Resume(comm, on0(nil, nil)); s != nil || err != nil {
			return fmt.Errorf("there is none: %v, %v", s, err)
		}
		if s, err := Resume(comm, on0(nil, errors.New("no luck"))); s != nil || err == nil || err.Error() != "no luck" {
			return fmt.Errorf("an error: %v, %v", s, err)
		}
		return nil
	})

	caller := Caller{Program: "program", Procs: "procs", Parameter: "parameter "}
	other := caller
	other.Program = "lu"
	for _, c := range []struct {
		caller     Caller
		parameters []Parameter
		procs      int
		want       string
	}{
		{caller, found.Manifest.Parameters, 0, ""},
		{caller, found.Manifest.Parameters, 4, ""},
		{caller, found.Manifest.Parameters, 5, "procs is 5 here, 4 in PATH"},
		{other, found.Manifest.Parameters, 4, "PATH was written by program program, this is lu"},
		{caller, []Parameter{{"block", "2"}, {"n", "6"}}, 4, ""},
		{caller, []Parameter{{"n", "7"}, {"block", "2"}}, 4, `parameter n is "7" here, "6" in PATH`},
		{caller, []Parameter{{"n", "6"}, {"m", "2"}}, 4, `parameter m is "2" here, and unknown in PATH`},
		{caller, found.Manifest.Parameters[:1], 4, `parameter block is unknown here, "2" in PATH`},
	} {
		got := ""
		if err := found.Fits(&c.caller, c.parameters, c.procs); err != nil {
			got = err.Error()
		}
		if want := strings.ReplaceAll(c.want, "PATH", found.Path); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if err := found.FitsState("packed[main.state]", 77); err != nil {
		t.Error(err)
	}
	want := found.Path + " has states of type main.state (layout 000000000000004d), this program's are main.other (layout 000000000000004d)"
	if err := found.FitsState("packed[main.other]", 77); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}

	run := e.keepers[0].run
	e = newEngine(t, 1, Settings{Dir: "kept", From: found})
	e.keepers[0].Resumed(time.Second)
	if want := "program: goes on from " + found.String() + ", written "; !strings.HasPrefix(e.logged.String(), want) || !strings.Contains(e.logged.String(), " by 2 ranks: ") {
		t.Errorf("logged %q", &e.logged)
	}
	e.requests[0].Add(1)
	e.end(t, true)
	if next, err := Find("kept"); err != nil || next.Manifest.Run != run || next.Manifest.Number != 2 || next.Before() == nil || next.Before().Path != found.Path {
		t.Errorf("the next checkpoint of the run: %v, %v", next, err)
	}
}
