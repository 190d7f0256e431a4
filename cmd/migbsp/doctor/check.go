// Package doctor looks at what a machine has of all that migbsp can use, and
// says what to do about the rest.
package doctor

import "slices"

// check is one thing to look at.
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

// Names are those of all checks.
func Names() []string {
	var names []string
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

// Examine makes all checks, and tells whether nothing that is needed is missing.
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
