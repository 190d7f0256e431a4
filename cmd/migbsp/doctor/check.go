// Package doctor checks whether a machine has all that migbsp can use, and advises on
// missing parts.
package doctor

import "slices"

// check examines one subject.
type check struct {
	name string
	look func(*System, Wants) []Finding
}

// checks are in the order in which they are printed.
var checks = []check{
	{"install", checkInstall},
	{"path", checkPath},
	{"module", checkModule},
	{"home", checkHome},
	{"go", checkGo},
	{"c", checkC},
	{"mpicc", checkMPICompiler},
	{"blas", checkBLAS},
	{"mpi", checkLaunchers},
	{"build", checkBuild},
	{"launch", checkLaunch},
	{"job", checkJob},
	{"hosts", checkHosts},
	{"cores", checkCores},
	{"memory", checkMemory},
	{"locked", checkLocked},
	{"shm", checkShared},
	{"clock", checkClock},
	{"load", checkLoad},
	{"network", checkNetwork},
	{"proc", checkProc},
}

// Names returns the names of all checks.
func Names() []string {
	var names []string
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

// Examine makes all checks, and reports whether the machine has all that is needed.
func Examine(s *System, w Wants) (findings []Finding, sound bool) {
	sound = true
	for _, c := range checks {
		for _, f := range c.look(s, w) {
			f.Check = c.name
			f.Needed = slices.Contains(w.Need, c.name) || c.name == "hosts" && w.Hosts != ""
			if f.Needed && f.Level == Missing {
				sound = false
			}
			findings = append(findings, f)
		}
	}
	return findings, sound
}
