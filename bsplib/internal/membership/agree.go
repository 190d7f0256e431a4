package membership

import "github.com/migbsp/migbsp/bsplib/internal/control"

// Statement is what one rank knows of an error that all ranks report together.
type Statement struct {
	Rank   int // filled in by Agree
	Pid    int // of the process with the error; NProcs if the rank has none
	Number int
	Text   string
}

// Agree exchanges one statement of each rank. All ranks take the word of the lowest pid, whose
// statement is first.
func Agree(c *control.Channel, rank int, mine Statement) (first Statement, all []Statement, err error) {
	mine.Rank = rank
	if all, err = control.Allgather(c, &mine); err != nil {
		return first, nil, err
	}
	first = all[0]
	for _, s := range all {
		if s.Pid < first.Pid {
			first = s
		}
	}
	return first, all, nil
}
