package doctor

// Level says how a finding is to be taken.
type Level string

// The levels of findings.
const (
	OK      Level = "ok"
	Note    Level = "note"    // works, but should be known
	Missing Level = "missing" // is not there, or does not work
)

// Finding is what a check has found.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"`     // about it
	Needed bool   `json:"needed,omitempty"` // by what the user wants
}

// Wants is what the user wants to do on this machine.
type Wants struct {
	Hosts string   // file of hosts, "" if none
	Ranks int      // 0: not said
	Need  []string // names of checks
}

func ok(found string) []Finding { return []Finding{{Level: OK, Found: found}} }

func note(found, do string) []Finding { return []Finding{{Level: Note, Found: found, Do: do}} }

func missing(found, do string) []Finding { return []Finding{{Level: Missing, Found: found, Do: do}} }
