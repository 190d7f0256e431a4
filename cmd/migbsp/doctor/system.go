package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

// System is the machine as checks see it. Tests make their own.
type System struct {
	Platform string // operating system and architecture
	Files    fs.FS  // of the machine, from its root
	// ReadFile reads a file that the user has named.
	ReadFile func(name string) ([]byte, error)
	Getenv   func(key string) string
	launch.Machine

	Self     string                       // path of this program, without symbolic links
	Version  string                       // of this program
	RealPath func(string) (string, error) // as filepath.EvalSymlinks
	Library  string                       // MPI in this program, "" if none
	Launched func() (int, string)         // as mpi.Launched
	Space    func(string) (int64, int64, error)
	Clock    func() (probe.Clock, error)
	Load     func() (survey.Load, error)
	Memory   func() probe.Memory
	Links    func() ([]survey.Interface, error)
}

// watch is the time for which the load is watched.
const watch = 200 * time.Millisecond

// Here returns the machine that runs this program. The commands that it starts end with ctx.
func Here(ctx context.Context) *System {
	root := probe.Root()
	self, err := launch.Self()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		self = os.Args[0]
	}
	return &System{
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Files:    root,
		ReadFile: os.ReadFile,
		Getenv:   os.Getenv,
		Machine:  launch.Here(ctx),
		Self:     self,
		Version:  ledger.ThisBuild().Version,
		RealPath: filepath.EvalSymlinks,
		Library:  mpi.Library(),
		Launched: mpi.Launched,
		Space:    survey.DiskSpace,
		Clock:    probe.ThreadClock,
		Load:     func() (survey.Load, error) { return survey.WatchLoad(ctx, watch) },
		Memory:   func() probe.Memory { return probe.ThisMemory(root) },
		Links:    func() ([]survey.Interface, error) { return survey.Interfaces(root) },
	}
}

// has returns the path of a program, "" if it is not on the path for programs.
func (s *System) has(name string) string {
	path, err := s.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// present returns the programs that exist.
func (s *System) present(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return s.has(name) == "" })
}

func (s *System) exists(file string) bool {
	_, err := fs.Stat(s.Files, file)
	return err == nil
}
