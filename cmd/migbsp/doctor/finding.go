package doctor

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
