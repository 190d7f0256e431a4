package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// ran returns the output of a program with a directory of profiles, and its complaints.
func ran(t *testing.T, dir, program string, args ...string) (out, errs string) {
	t.Helper()
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "MIGBSP_PROFILES="+dir, "MIGBSP_CONFIG="+os.DevNull)
	var o, e strings.Builder
	c.Stdout, c.Stderr = &o, &e
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, &o, &e)
	}
	return o.String(), e.String()
}

// A run writes its profile, which is found again for the same settings, and as a hint for others.
func TestProfilesOfRuns(t *testing.T) {
	lu, dir := filepath.Join(testrun.Build(t, "", "./apps/lu"), "lu"), filepath.Join(t.TempDir(), "profiles")
	args := []string{"-n", "200", "-procs", "4", "-ranks", "2"}
	for _, balance := range []string{"auto", "off"} {
		_, errs := ran(t, dir, lu, append(args, "-balance", balance)...)
		s := &profile.Store{Dir: dir}
		all := must.Get(s.List())(t)
		if len(all) != 1 || errs != "" {
			t.Fatalf("%s: %d profiles; %s", balance, len(all), errs)
		}
		p := all[0]
		if p.Key.String() != "lu -n 200 -procs 4" || !p.Ended || p.Supersteps < 20 || !(p.Seconds > 0) || !(p.Step > 0) || len(p.States) != 4 || p.States[0] == 0 || p.Where() != "4 on "+p.Hosts[0].Name {
			t.Errorf("%s: %+v", balance, p)
		}
		work, pairs := 0.0, 0
		for _, c := range p.Classes {
			pairs += len(c.Traffic)
			for _, x := range c.Work {
				work += x * float64(c.Supersteps)
			}
		}
		if pairs == 0 || !(work > 0) || work > 4*p.Seconds {
			t.Errorf("%s: %d pairs of processes, work of %v s in %v s", balance, pairs, work, p.Seconds)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"-n 200 -procs 4", "lu -n 200 -procs 4 of these settings, lu-"},
		{"-n 300 -procs 4", "lu -n 200 -procs 4 a hint, lu-"},
		{"-n 200 -procs 5", ""},
		{"-n 200 -procs 4 -profile off", ""},
	} {
		out, errs := ran(t, dir, lu, append(strings.Fields(c.args), "-print-config")...)
		if out = strings.Join(strings.Fields(out), " "); errs != "" || strings.Contains(out, " profile ") != (c.want != "") || !strings.Contains(out, c.want) {
			t.Errorf("%s: %s%s\nwant %q", c.args, out, errs, c.want)
		}
	}
	ran(t, dir, lu, append(args, "-n", "300", "-profile", "off")...)
	ran(t, dir, lu, append(args, "-n", "300", "-quiet", "-balance", "off")...) // measures no profile
	if all := must.Get((&profile.Store{Dir: dir}).List())(t); len(all) != 1 {
		t.Errorf("%d profiles, one of them of a run without measurements", len(all))
	}
}

// If no profile can be read or written, a run reports it in one line, and goes on.
func TestProfilesThatCannotBe(t *testing.T) {
	lu, dir := filepath.Join(testrun.Build(t, "", "./apps/lu"), "lu"), t.TempDir()
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	args := []string{"-n", "100", "-procs", "2", "-ranks", "1"}
	if _, errs := ran(t, filepath.Join(file, "x"), lu, args...); strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "; -profiles names another directory, -profiles off none\n") {
		t.Errorf("a directory below a file: %q", errs)
	}
	if _, errs := ran(t, filepath.Join(file, "x"), lu, append(args, "-quiet")...); errs != "" {
		t.Errorf("quiet: %q", errs)
	}
	ran(t, dir, lu, args...)
	found := must.Get((&profile.Store{Dir: dir}).IDs("lu"))(t)
	name := filepath.Join(dir, found[0]+".json")
	must.Do(t, os.Truncate(name, 300))
	if _, errs := ran(t, dir, lu, args...); strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "lu: a profile is ignored: "+name+":") {
		t.Errorf("a damaged profile: %q", errs)
	}
	if _, errs := ran(t, dir, lu, args...); errs != "" {
		t.Errorf("the profile that has taken its place: %q", errs)
	}
	home := exec.Command(lu, args...)
	home.Env = []string{"MIGBSP_CONFIG=" + os.DevNull}
	out, err := home.CombinedOutput()
	if want := "lu: no profile is read or written, the run goes on: neither $XDG_CACHE_HOME nor $HOME are defined; "; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("without a home: %v, %s", err, out)
	}
}

// kept writes some profiles, and returns their directory.
func kept(t *testing.T) (dir string, ids []string) {
	t.Helper()
	s := &profile.Store{Dir: t.TempDir()}
	for i, program := range []string{"fft", "lu", "lu"} {
		p := &profile.Profile{
			Key:     profile.Key{Program: program, Procs: 2, Parameters: []profile.Parameter{{Name: "n", Value: fmt.Sprint(100 + i)}}},
			Written: time.Date(2026, 11, 28, 10, i, 0, 0, time.UTC), Ended: i > 0, Seconds: 1, Supersteps: 2, Step: 0.5, States: []int64{1 << 20, 1 << 10},
			Classes: []profile.Class{{Site: "x.go:1", Supersteps: 2, Work: profile.Figures{0.25, 0.5}, Recorded: 1, Traffic: profile.Traffic{{From: 0, To: 1, Bytes: 1024}}}},
			Hosts:   []profile.Host{{Name: "a", Set: "x", Speed: 1, Share: 1, Line: 1e-9}, {Name: "b", Set: "y", Speed: 0.5, Share: 1}},
			Ranks:   []int{0, 1}, Mapping: []int{0, 1}, Links: []profile.Link{{From: 0, To: 1, Latency: 0.02, PerByte: 4e-7, Measured: time.Unix(1, 0)}},
		}
		must.Do(t, s.Save(p))
		ids = append(ids, p.ID())
	}
	return s.Dir, ids
}

func TestProfilesCommand(t *testing.T) {
	dir, ids := kept(t)
	out := prints(t, "profiles", "-dir", dir)
	for _, part := range append(ids, "3 profiles in "+dir, "lu -n 102 -procs 2") {
		if !strings.Contains(out, part) {
			t.Errorf("the list has no %q:\n%s", part, out)
		}
	}
	out = prints(t, "profiles", "show", "fft", "-dir", dir)
	for _, part := range []string{"fft -n 100 -procs 2", "at a checkpoint", "1 on a, 1 on b", "20 Mb/s", " 20 ms ", "1.00 MiB", "x.go:1"} {
		if !strings.Contains(out, part) {
			t.Errorf("the profile has no %q:\n%s", part, out)
		}
	}
	isNarrow(t, out)
	if p := inJSON[profile.Profile](t, "profiles", "show", ids[1], "-dir", dir); p.ID() != ids[1] {
		t.Errorf("%+v", p)
	}
	if lines := inJSON[[]profileLine](t, "profiles", "-dir", dir); len(lines) != 3 || lines[0].Hosts != 2 {
		t.Errorf("%+v", lines)
	}
	refuses(t, "profiles", []refusal{
		{"show lu -dir " + dir, 1, "2 profiles in " + dir + ` begin with "lu", expected one: `},
		{"show x -dir " + dir, 1, "no profile in " + dir + ` begins with "x"; migbsp profiles lists all`},
		{"show", 2, "show needs an ID"}, {"remove", 2, "remove needs an ID"}, {"list x", 2, "list takes no ID"}, {"x", 2, `"x", expected list, show or remove`},
	})
	must.Do(t, os.WriteFile(filepath.Join(dir, ids[0]+".json"), []byte("{}"), 0o600))
	if code, out, errs := call(t, "", "profiles", "-dir", dir); code != 0 || !strings.Contains(out, "2 profiles") || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "migbsp profiles: left out: "+dir) {
		t.Errorf("a damaged one: code %d, %s%s", code, out, errs)
	}
	for _, c := range []struct{ id, want string }{{"fft", "1 profile removed\n"}, {"all", "2 profiles removed\n"}, {"all", "0 profiles removed\n"}} {
		if out := prints(t, "profiles", "remove", c.id, "-dir", dir); out != c.want {
			t.Errorf("remove %s: %q, want %q", c.id, out, c.want)
		}
	}
	if out := prints(t, "profiles", "-dir", dir); !strings.HasPrefix(out, "no profile in "+dir) {
		t.Errorf("without any: %q", out)
	}
}
