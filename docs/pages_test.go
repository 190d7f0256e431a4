package docs_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/console"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// How blocks of commands are written and compared: go doc ./internal/testrun/console.
var update = flag.Bool("update", false, "write what commands print into the pages, where it is something else")

// mostShown is the maximum number of blocks that may be shown without being run. Before raising it,
// look for a method to run the block.
const mostShown = 8

// allPages returns the pages of the tree.
func allPages(t *testing.T) (all []*console.Page) {
	t.Helper()
	for name, text := range markdown(t) {
		page, err := console.Parse(name, text)
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, page)
	}
	slices.SortFunc(all, func(a, b *console.Page) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Pages of modules that are packed with the sources are not ours.
func TestPagesOfOthers(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"README.md", "vendor/example.org/m/README.md"} {
		must.Write(t, filepath.Join(root, name), "", 0o666)
	}
	if all := files(t, root, ".md"); !slices.Equal(all, []string{"README.md"}) {
		t.Errorf("%q, want README.md", all)
	}
}

// run runs the commands of all pages that belong to a lane.
func run(t *testing.T, lane string, standIns map[string]string) (sum console.Tally) {
	t.Helper()
	all := allPages(t)
	bench := console.NewBench(t, lane, all, standIns)
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) { sum.Add(bench.Run(t, p, *update)) })
	}
	t.Log(sum)
	return sum
}

// The text below a command in a page is the command's output.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("runs what pages show, for a minute")
	}
	sum := run(t, "", nil)
	if sum.Exact < 30 || sum.Measured < 10 {
		t.Errorf("only %d and %d blocks were run: are they still marked?", sum.Exact, sum.Measured)
	}
	if sum.Shown > mostShown {
		t.Errorf("%d blocks are only shown, more than %d", sum.Shown, mostShown)
	}
}

// TestPagesHold runs the measured blocks of pages five times on a busy machine: the claims of a
// page have to hold there, too.
func TestPagesHold(t *testing.T) {
	if testing.Short() {
		t.Skip("runs measured blocks of pages five times, for minutes")
	}
	all := allPages(t)
	console.NewBench(t, "", all, nil).Hold(t, all)
}

// The same for commands that start MPI ranks. In pages, mpirun is Open MPI's, as on a user's machine
// with two cores: without the options of the tests, and with two slots.
func TestUnderMPIPages(t *testing.T) {
	mpirun := testrun.MPI(t)
	if mpirun.Hydra() {
		t.Skip("pages show Open MPI's launcher")
	}
	slots := filepath.Join(t.TempDir(), "slots")
	must.Do(t, os.WriteFile(slots, []byte("localhost slots=2\n"), 0o666))
	name, _, _ := strings.Cut(mpirun.String(), " ")
	for _, variable := range []string{"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"} { // of versions 4 and 5
		name = variable + "='" + slots + "' " + name
	}
	run(t, "mpi", map[string]string{"mpirun": "exec env " + name + ` "$@"`})
}

// The same for commands that need a testbed, in the order of the page.
func TestTestbedPages(t *testing.T) {
	if os.Getenv("MIGBSP_TEST_TESTBED") == "" {
		t.Skip("needs MIGBSP_TEST_TESTBED=required, as scripts/test testbed sets it")
	}
	testbed := func(command string) error {
		return exec.Command(filepath.Join(testrun.Root(t), "scripts", "testbed"), command).Run()
	}
	if testbed("status") == nil {
		t.Fatal("a testbed is up, and pages begin with none: scripts/testbed down")
	}
	t.Cleanup(func() {
		if err := testbed("down"); err != nil {
			t.Error(err)
		}
	})
	run(t, "testbed", map[string]string{"sudo": `exec "$@"`})
}
