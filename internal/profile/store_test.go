package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// saved writes a profile that is so many hours old.
func saved(t *testing.T, s *Store, p *Profile, age int) {
	t.Helper()
	must.Do(t, s.Save(p))
	at := time.Now().Add(-time.Duration(age) * time.Hour)
	must.Do(t, os.Chtimes(s.path(p.ID()), at, at))
}

// variant is made with other parameters, hosts and mean time.
func variant(n string, host string, step float64) *Profile {
	p := made()
	p.Key.Parameters[0].Value, p.Hosts[1].Name, p.Step = n, host, step
	return p
}

func TestLoad(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "a", "b")}
	if p, err := s.Load(made().Key, nil); p != nil || err != nil {
		t.Errorf("no directory: %v, %v", p, err)
	}
	saved(t, s, variant("1600", "beta1", 1), 5)
	saved(t, s, variant("1600", "gamma1", 2), 4)
	saved(t, s, variant("200", "beta1", 3), 3)
	saved(t, s, variant("3000", "beta1", 4), 2)
	other := made()
	other.Key.Program, other.Step = "fft", 5
	saved(t, s, other, 1)
	build := made()
	build.Key.Build, build.Step = "abc", 6
	saved(t, s, build, 0)
	key := func(n string) Key { return variant(n, "", 0).Key }
	procs := key("1600")
	procs.Procs = 8
	for _, c := range []struct {
		name  string
		key   Key
		hosts []string
		step  float64 // 0: none
		exact bool
	}{
		{"the newest", key("1600"), nil, 2, true},
		{"of these hosts", key("1600"), []string{"beta1", "alpha1", "beta1"}, 1, true},
		{"of other hosts", key("1600"), []string{"delta"}, 2, true},
		{"a larger size", key("2900"), nil, 4, false},
		{"a smaller size", key("300"), nil, 3, false},
		{"another build", build.Key, nil, 6, true},
		{"another number of processes", procs, nil, 0, false},
	} {
		p, err := s.Load(c.key, c.hosts)
		step := 0.0
		if p != nil {
			step = p.Step
		}
		if err != nil || step != c.step || p != nil && p.Key.Equal(c.key) != c.exact {
			t.Errorf("%s: profile %v, error %v; want %v, equal %v", c.name, step, err, c.step, c.exact)
		}
	}
	if p, err := (*Store)(nil).Load(key("1600"), nil); p != nil || err != nil {
		t.Errorf("no store: %v, %v", p, err)
	}
	must.Do(t, (*Store)(nil).Save(made()))
}

// Files are only for their owner.
func TestModes(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "profiles")}
	must.Do(t, s.Save(made()))
	for name, want := range map[string]os.FileMode{s.Dir: 0o700, s.path(made().ID()): 0o600} {
		if is := must.Get(os.Stat(name))(t).Mode().Perm(); is != want {
			t.Errorf("%s has the mode %o, want %o", name, is, want)
		}
	}
}

// A damaged profile is ignored with one line, and the next one counts.
func TestDamagedFiles(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	exact, near := variant("1600", "beta1", 1), variant("1700", "beta1", 2)
	saved(t, s, near, 1)
	text := must.Get(exact.encode())(t)
	file := s.path(exact.ID())
	for name, c := range map[string]struct {
		write func() error
		want  string
	}{
		"truncated": {func() error { return os.WriteFile(file, text[:len(text)/2], 0o600) }, file + ":3:"},
		"empty":     {func() error { return os.WriteFile(file, nil, 0o600) }, file + ":1:1: unexpected end"},
		"another version": {func() error {
			return os.WriteFile(file, []byte(strings.Replace(string(text), "profile/1", "profile/9", 1)), 0o600)
		}, "of a newer migbsp"},
		"a directory": {func() error { return os.MkdirAll(file, 0o700) }, ""},
		"too long":    {func() error { return os.Truncate(file, mostFile+1) }, "has more than 8388608 bytes"},
		"another's": {func() error { return os.WriteFile(file, must.Get(near.encode())(t), 0o600) },
			"has the profile " + near.ID() + ", expected " + exact.ID()},
	} {
		os.RemoveAll(file)
		if name == "too long" {
			must.Do(t, os.WriteFile(file, nil, 0o600))
		}
		must.Do(t, c.write())
		p, err := s.Load(exact.Key, nil)
		if p == nil || p.Step != 2 {
			t.Errorf("%s: profile %v; want the nearest one", name, p)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: error %v; want one line with %q", name, err, c.want)
		}
	}
}

// Profiles may be written and read at the same time: a reader finds a whole one, and no file is
// left that belongs to no profile.
func TestRaces(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	must.Do(t, s.Save(made()))
	var writers, readers sync.WaitGroup
	ended := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				if p, err := s.Load(made().Key, nil); p == nil || err != nil {
					t.Errorf("%v, %v", p, err)
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	for writer := range 4 {
		writers.Go(func() {
			for i := range 50 {
				p := made()
				p.Supersteps += 100*writer + i
				if err := s.Save(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(ended)
	readers.Wait()
	if files := must.Get(os.ReadDir(s.Dir))(t); len(files) != 1 {
		t.Errorf("files are %v", files)
	}
}

// The oldest profiles are removed while all of them are too large, and unfinished files that
// belong to no run.
func TestLimit(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	for i := range 10 {
		saved(t, s, variant(fmt.Sprint(1000+i), "beta1", 1), 10-i)
	}
	size := must.Get(os.Stat(s.path(variant("1000", "beta1", 1).ID())))(t).Size()
	for name, age := range map[string]time.Duration{unfinished + "1": 2 * abandoned, unfinished + "2": 0} {
		name, at := filepath.Join(s.Dir, name), time.Now().Add(-age)
		must.Do(t, os.WriteFile(name, nil, 0o600))
		must.Do(t, os.Chtimes(name, at, at))
	}
	s.most = 4*size + size/2
	must.Do(t, s.Save(variant("2000", "beta1", 1)))
	var left []string
	for _, p := range must.Get(s.List())(t) {
		left = append(left, p.Key.Parameters[0].Value)
	}
	if got := strings.Join(left, " "); got != "2000 1009 1008 1007" {
		t.Errorf("profiles of %s are left", got)
	}
	if files := must.Get(os.ReadDir(s.Dir))(t); len(files) != 5 || files[0].Name() != unfinished+"2" {
		t.Errorf("files are %v", files)
	}
	must.Do(t, s.Remove(variant("2000", "beta1", 1).ID()))
	must.Do(t, s.Remove("none"))
}

func TestLastOn(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	none := variant("1", "beta1", 3)
	none.Links = nil
	saved(t, s, variant("1600", "beta1", 1), 3)
	saved(t, s, variant("1600", "gamma1", 2), 1)
	saved(t, s, none, 0)
	if p := s.LastOn([]string{"beta1", "alpha1"}); p == nil || p.Step != 1 {
		t.Errorf("%v", p)
	}
	if p := s.LastOn([]string{"beta1"}); p != nil {
		t.Errorf("profile of other hosts: %v", p)
	}
}
