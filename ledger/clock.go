package ledger

import "strings"

// Clock says whose times those of a run are: "EMULATED" where work was measured and the
// platform is pretended, "SIMULATED" where nothing was measured, "" where times are the
// machine's own.
func (r *Run) Clock() string {
	switch {
	case r.Simulated:
		return "SIMULATED"
	case r.Emulated:
		return "EMULATED"
	}
	return ""
}

// clock labels times that are not this machine's.
func (a *Account) clock() string {
	if clock := a.Run.Clock(); clock != "" {
		return " (" + strings.ToLower(clock) + ")"
	}
	return ""
}
