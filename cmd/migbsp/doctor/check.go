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

// Level is the severity of a finding.
type Level string

// The levels of findings.
const (
	OK      Level = "ok"
	Note    Level = "note"    // works, but should be known
	Missing Level = "missing" // is not there, or does not work
)

// Finding is the result of a check.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"`     // about it
	Needed bool   `json:"needed,omitempty"` // for the user's plans
}

// Wants are the user's plans for this machine.
type Wants struct {
	Hosts string   // file of hosts, "" if none
	Ranks int      // 0: not given
	Need  []string // names of checks
}

func ok(found string) []Finding { return []Finding{{Level: OK, Found: found}} }

func note(found, do string) []Finding { return []Finding{{Level: Note, Found: found, Do: do}} }

func missing(found, do string) []Finding { return []Finding{{Level: Missing, Found: found, Do: do}} }
