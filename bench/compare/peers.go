package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// bsplib is another BSPlib, for which the programs of bench/c are compiled. Its command
// lines are in the words of a shell.
type bsplib struct {
	cc, run, name, flags string
	asked                bool // by a flag: that it is missing is an error
}

// defaultRun is how a BSPlib's programs are started, unless -bsprun says.
const defaultRun = "bsprun -n NP"

// addBSPlib begins another one; -bsprun, -name and -bspflags that follow are its own. Those that
// come before the first are those of bspcc.
func (s *settings) addBSPlib(cc string) {
	if len(s.bsplibs) == 1 && !s.bsplibs[0].asked {
		s.bsplibs[0].cc, s.bsplibs[0].asked = cc, true
		return
	}
	s.bsplibs = append(s.bsplibs, &bsplib{cc: cc, asked: true})
}

// last is the one that -bsprun, -name and -bspflags are about.
func (s *settings) last() *bsplib { return s.bsplibs[len(s.bsplibs)-1] }

// completeBSPlibs drops those with an empty command and names the others.
func (s *settings) completeBSPlibs() {
	s.bsplibs = slices.DeleteFunc(s.bsplibs, func(b *bsplib) bool { return strings.TrimSpace(b.cc) == "" })
	for _, b := range s.bsplibs {
		if b.run == "" {
			b.run = defaultRun
		}
		if b.name == "" {
			b.name = filepath.Base(program(b.cc))
		}
	}
}

// peers are the other programs of the comparison. What cannot take part is said, unless a
// flag has asked for it: that is an error.
func (s *settings) peers(ctx context.Context, session *frame.Session) (all []*contender, missing []string, err error) {
	without := func(name string, asked bool, err error) error {
		if asked || ctx.Err() != nil {
			return err
		}
		line, _, _ := strings.Cut(err.Error(), "\n")
		missing = append(missing, name+": "+line)
		session.Progress("MISSING %s", missing[len(missing)-1])
		return nil
	}
	if s.given["c"] {
		found, err := makeInOurC(ctx, s, session)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, found...)
	}
	for _, b := range s.bsplibs {
		c, err := s.makeBSPlib(ctx, session, b)
		if err == nil {
			all = append(all, c)
		} else if err = without(b.name, b.asked, err); err != nil {
			return nil, nil, err
		}
	}
	for _, peer := range []struct {
		name  string
		asked bool
		do    func(context.Context, *frame.Session) ([]*contender, error)
	}{{"MPI by hand", s.given["mpicc"], s.makeByHand}, {"Bulk", s.bulk != "", s.makeBulk}} {
		found, err := peer.do(ctx, session)
		if err == nil {
			all = append(all, found...)
		} else if err = without(peer.name, peer.asked, err); err != nil {
			return nil, nil, err
		}
	}
	return all, missing, nil
}

// makeInC makes a program of bench/c in a directory of its own, beside others of the same
// name.
func makeInC(ctx context.Context, session *frame.Session, dir, name, with string, settings ...string) (path string, err error) {
	root, err := frame.Root(ctx)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(session.Dir, "c", dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	session.Progress("building bench/c/%s with %s", name, with)
	_, err = frame.Output(ctx, root, "make", append([]string{"-C", filepath.Join("bench", "c"), "OUT=" + dir, path}, settings...)...)
	if err != nil {
		return "", fmt.Errorf("building bench/c/%s with %s: %w", name, with, err)
	}
	return path, nil
}

// makeTheirs makes a program of bench/c with a BSPlib.
func (s *settings) makeTheirs(ctx context.Context, session *frame.Session, b *bsplib, name string) (path string, err error) {
	for _, c := range []struct{ flag, line string }{{"bspcc", b.cc}, {"bsprun", b.run}} {
		if err := mustFind(c.flag, c.line); err != nil {
			return "", err
		}
	}
	return makeInC(ctx, session, "bsp-"+strconv.Itoa(slices.Index(s.bsplibs, b)), name, b.cc, "BSPCC="+b.cc, "BSPFLAGS="+b.flags)
}

// seconds are the flags of the programs of bench/c that say how long to measure.
func (s *settings) seconds() []string {
	if s.quick {
		return []string{"-q"}
	}
	return nil
}

func (s *settings) makeBSPlib(ctx context.Context, session *frame.Session, b *bsplib) (*contender, error) {
	path, err := s.makeTheirs(ctx, session, b, "bspbench")
	if err != nil {
		return nil, err
	}
	return &contender{name: b.name, launcher: b.run, calls: []call{{path: path, args: append(s.seconds(), "-library", b.name), list: true}}}, nil
}

// makeInOurC makes the program in C with our own compiler command, for the engines that ours run on.
func makeInOurC(ctx context.Context, s *settings, session *frame.Session) (all []*contender, err error) {
	const command = "./cmd/bspcc"
	for _, e := range []struct {
		name, tag, launcher string
		wanted              bool
	}{{"C in-process", "", "", s.engine != "mpi"}, {"C, MPI", "mpi", s.mpirun, s.engine != "inprocess"}} {
		if !e.wanted {
			continue
		}
		if err := session.BuildTagged(ctx, e.tag, command); err != nil {
			return nil, err
		}
		path, err := makeInC(ctx, session, "ours"+e.tag, "bspbench", "our bspcc", "BSPCC="+session.Built(command, e.tag))
		if err != nil {
			return nil, err
		}
		args := append([]string{"-quiet", "-procs", "NP", "--"}, append(s.seconds(), "-library", e.name)...)
		all = append(all, &contender{name: e.name, launcher: e.launcher, nodeSize: s.nodeSize, calls: []call{{path: path, args: args, list: true}}})
	}
	return all, nil
}

func (s *settings) makeByHand(ctx context.Context, session *frame.Session) (all []*contender, err error) {
	if s.mpicc == "" {
		return nil, nil
	}
	if err := errors.Join(mustFind("mpicc", s.mpicc), mustFind("mpirun", s.mpirun)); err != nil {
		return nil, err
	}
	path, err := makeInC(ctx, session, "mpi", "mpibench", s.mpicc, "MPICC="+s.mpicc)
	if err != nil {
		return nil, err
	}
	for _, way := range []struct {
		name string
		args []string
	}{{"MPI by hand", nil}, {"persistent", []string{"-persistent"}}} {
		args := append(append(s.seconds(), way.args...), "-library", way.name)
		all = append(all, &contender{name: way.name, launcher: s.mpirun, calls: []call{{path: path, args: args, list: true}}})
	}
	return all, nil
}

// makeBulk makes the driver for Bulk. Its threads have no transport.
func (s *settings) makeBulk(ctx context.Context, session *frame.Session) (all []*contender, err error) {
	if s.bulk == "" {
		return nil, errors.New("-bulk names no checkout of it (github.com/jwbuurlage/Bulk)")
	}
	dir, err := filepath.Abs(s.bulk)
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "include", "bulk", "bulk.hpp"))
	}
	if err != nil {
		return nil, fmt.Errorf("-bulk %s: this is no checkout of Bulk: %w", s.bulk, err)
	}
	add := func(name, binary, launcher string, args ...string) error {
		path, err := makeInC(ctx, session, "bulk", binary, "Bulk", "BULK="+dir, "CXX="+s.cxx, "MPICXX="+s.mpicxx)
		args = append(append(s.seconds(), "-library", name), args...)
		all = append(all, &contender{name: name, launcher: launcher, spins: binary == "bulk_spin", calls: []call{{path: path, args: args, list: true}}})
		return err
	}
	if s.transport.threads {
		if err := mustFind("cxx", s.cxx); err != nil {
			return nil, err
		}
		if err := add("Bulk", "bulk_thread", "", "-p", "NP"); err != nil {
			return nil, err
		}
		if err := add("Bulk spinning", "bulk_spin", "", "-p", "NP"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(mustFind("mpicxx", s.mpicxx), mustFind("mpirun", s.mpirun)); err != nil {
		return nil, err
	}
	return all, add("Bulk MPI", "bulk_mpi", s.mpirun)
}

// program is the first word of a command line behind its settings of the
// environment.
func program(line string) string {
	for _, word := range strings.Fields(line) {
		if !strings.Contains(word, "=") {
			return strings.Trim(word, `'"`)
		}
	}
	return ""
}

var advice = map[string]string{
	"bspcc":  "install a BSPlib (BSPonMPI, LPF, MulticoreBSP for C) and name its compiler with -bspcc, or say -bspcc '' to do without",
	"bsprun": "say how the other library's programs are started with -bsprun",
	"mpirun": "install Open MPI or an MPICH and name its launcher with -mpirun, or say -go inprocess",
	"mpicc":  "install Open MPI or an MPICH with its compiler and name that with -mpicc, or say -mpicc '' to do without",
	"mpicxx": "install the C++ compiler of an MPI and name it with -mpicxx",
	"cxx":    "install a compiler for C++20 and name it with -cxx",
}

// mustFind returns an error with advice if the program of a flag's command
// line does not exist.
func mustFind(name, line string) error {
	p := program(line)
	if strings.HasPrefix(p, "$") {
		return nil
	}
	if _, err := exec.LookPath(p); err != nil {
		if _, stat := os.Stat(p); stat == nil {
			return fmt.Errorf("-%s: %s is not an executable file", name, p)
		}
		return fmt.Errorf("-%s: there is no %s: %s", name, p, advice[name])
	}
	return nil
}
