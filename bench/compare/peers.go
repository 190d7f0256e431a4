package main

import (
	"cmp"
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

// defaultRun is the command line that starts a BSPlib's programs, unless -bsprun is given.
const defaultRun = "bsprun -n NP"

// addBSPlib begins another BSPlib; the -bsprun, -name and -bspflags that follow belong to it. Those
// before the first belong to bspcc.
func (s *settings) addBSPlib(cc string) {
	if len(s.bsplibs) == 1 && !s.bsplibs[0].asked {
		s.bsplibs[0].cc, s.bsplibs[0].asked = cc, true
		return
	}
	s.bsplibs = append(s.bsplibs, &bsplib{cc: cc, asked: true})
}

// last returns the BSPlib that -bsprun, -name and -bspflags set.
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

// peer is a participant of the comparison other than migbsp.
type peer struct {
	name  string
	asked bool // by a flag: that it is missing is an error
	make  func(context.Context, *frame.Session) ([]*contender, error)
}

// peers returns the other programs of the comparison. A program that cannot take part is reported
// as missing, or as an error if a flag has asked for it.
func (s *settings) peers(ctx context.Context, session *frame.Session) (all []*contender, missing []string, err error) {
	var peers []peer
	if s.given["c"] {
		peers = append(peers, peer{"C", true, s.makeInOurC})
	}
	for _, b := range s.bsplibs {
		peers = append(peers, peer{b.name, b.asked, func(ctx context.Context, session *frame.Session) ([]*contender, error) {
			return s.makeBSPlib(ctx, session, b)
		}})
	}
	peers = append(peers, peer{"MPI by hand", s.given["mpicc"], s.makeByHand}, peer{"Bulk", s.bulk != "", s.makeBulk})
	for _, p := range peers {
		found, err := p.make(ctx, session)
		switch {
		case err == nil:
			all = append(all, found...)
		case p.asked || ctx.Err() != nil:
			return nil, nil, err
		default:
			line, _, _ := strings.Cut(err.Error(), "\n")
			missing = append(missing, p.name+": "+line)
			session.Progress("MISSING %s: %s", p.name, line)
		}
	}
	return all, missing, nil
}

// makeInC makes a program of bench/c in a directory of its own, which keeps programs of the same
// name apart.
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

// seconds returns the flags of the programs of bench/c for the time of a measure.
func (s *settings) seconds() []string {
	if s.quick {
		return []string{"-q"}
	}
	return nil
}

// listed returns a contender of one program of bench/c, which takes the measures that ours have
// taken.
func (s *settings) listed(name, launcher, path string, before []string, after ...string) *contender {
	args := slices.Concat(before, s.seconds(), []string{"-library", name}, after)
	return &contender{name: name, launcher: launcher, calls: []call{{path: path, args: args, list: true}}}
}

// makeBSPlib makes the program with another BSPlib.
func (s *settings) makeBSPlib(ctx context.Context, session *frame.Session, b *bsplib) ([]*contender, error) {
	if err := cmp.Or(mustFind("bspcc", b.cc), mustFind("bsprun", b.run)); err != nil {
		return nil, err
	}
	path, err := makeInC(ctx, session, "bsp-"+strconv.Itoa(slices.Index(s.bsplibs, b)), "bspbench", b.cc, "BSPCC="+b.cc, "BSPFLAGS="+b.flags)
	return []*contender{s.listed(b.name, b.run, path, nil)}, err
}

// makeInOurC makes the program in C with our own compiler command, for the same engines as ours.
func (s *settings) makeInOurC(ctx context.Context, session *frame.Session) (all []*contender, err error) {
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
		c := s.listed(e.name, e.launcher, path, []string{"-quiet", "-procs", "NP", "--"})
		c.nodeSize = s.nodeSize
		all = append(all, c)
	}
	return all, nil
}

func (s *settings) makeByHand(ctx context.Context, session *frame.Session) ([]*contender, error) {
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
	return []*contender{s.listed("MPI by hand", s.mpirun, path, nil), s.listed("persistent", s.mpirun, path, []string{"-persistent"})}, nil
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
		c := s.listed(name, launcher, path, nil, args...)
		c.spins = binary == "bulk_spin"
		all = append(all, c)
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

// program returns the first word of a command line behind its settings of the
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
