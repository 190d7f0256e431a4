package app

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/profiling"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/internal/settings"
)

// noProfiles is the value of -profiles for runs that neither read nor write profiles.
const noProfiles = "off"

// defaultProfiles returns the default of -profiles: none in a test binary, whose runs must not depend on
// earlier ones.
func defaultProfiles() string {
	if flag.Lookup("test.v") != nil {
		return noProfiles
	}
	return ""
}

// profileStore returns the directory of profiles that -profiles names, nil if they are off.
//
// Errors: the user has no cache directory.
func profileStore(dir string) (_ *profile.Store, err error) {
	switch dir {
	case noProfiles:
		return nil, nil
	case "":
		dir, err = profile.DefaultDir()
	default:
		dir, err = filepath.Abs(dir)
	}
	return &profile.Store{Dir: dir}, err
}

// profileKey returns the profile key for a program's runs with these settings. own names the
// program's own settings.
func profileKey(p *Program, name string, values []settings.Value, own []string, procs int) profile.Key {
	k := profile.Key{Program: name, Build: p.Build, Procs: procs}
	for _, v := range values {
		if slices.Contains(own, v.Name) {
			k.Parameters = append(k.Parameters, profile.Parameter{Name: v.Name, Value: v.Value, Default: v.Origin == settings.Default})
		}
	}
	inputs := p.Inputs
	if p.Arguments {
		inputs = slices.Concat(inputs, flag.Args())
	}
	for _, text := range inputs {
		k.Parameters = append(k.Parameters, profile.Parameter{Value: text})
	}
	return k
}

// openProfile finds the profile of an earlier run in the directory that -profiles names, and writes
// this run's profile there. Each failure is one line for advise; the run continues. Rank 0 calls it.
func openProfile(dir string, key profile.Key, advise func(line string)) *profiling.Settings {
	failed := func(done string, err error) {
		if err != nil {
			advise(fmt.Sprintf("no profile is %s, the run goes on: %s; -profiles names another directory, -profiles off none",
				done, strings.ReplaceAll(err.Error(), "\n", "; ")))
		}
	}
	s := &profiling.Settings{Save: func(*profile.Profile) {}}
	store, err := profileStore(dir)
	if err != nil {
		failed("read or written", err)
		return s
	}
	s.Store = store
	s.Earlier, err = store.Load(key, nil)
	if err != nil {
		advise("a profile is ignored: " + strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	said := false
	s.Save = func(p *profile.Profile) {
		p.Key = key
		if err := store.Save(p); err != nil && !said {
			said = true
			failed("written", err)
		}
	}
	return s
}

// profileRow returns the row of -print-config for the profile that a run would use, nil without one.
func profileRow(dir string, key profile.Key) [][]string {
	store, err := profileStore(dir)
	if err != nil {
		return nil
	}
	p, _ := store.Load(key, nil)
	if p == nil {
		return nil
	}
	about := "a hint"
	if p.Key.Equal(key) {
		about = "of these settings"
	}
	return [][]string{{"profile", p.Key.String(), fmt.Sprintf("%s, %s of %s", about, p.ID(), p.Written.Local().Format(time.DateOnly))}}
}

// likelyProcs returns the number of processes that a run has by its settings. launched is the number
// of ranks that its launcher starts, 0 without a launcher.
func likelyProcs(procs, ranks, launched int) int {
	return cmp.Or(procs, launched, ranks, runtime.GOMAXPROCS(0))
}
