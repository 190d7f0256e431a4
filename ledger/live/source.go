package live

import (
	"fmt"
	"syscall"
	"time"
)

// quietAfter is how long a run may say nothing before that is worth a word.
const quietAfter = 30 * time.Second

// Source is what is known of the record as a file.
type Source struct {
	Name    string
	Wait    string        // what is being waited for, "" once the head has been read
	Age     time.Duration // since the file last changed
	Wall    time.Duration // from the start of the run to that change
	Partial bool          // the file ends within a line
}

// condition says how the run is, in full and in short, and how good that is.
func (s *State) condition(from Source) (text, short string, as style) {
	switch {
	case s.End != nil && s.End.Code == 0:
		return "ended with code 0", "code 0", good
	case s.End != nil && s.End.Code > 128:
		number := s.End.Code - 128
		return fmt.Sprintf("ended by signal %d (%v)", number, syscall.Signal(number)), fmt.Sprintf("signal %d", number), bad
	case s.End != nil:
		return fmt.Sprintf("ended with code %d", s.End.Code), fmt.Sprintf("code %d", s.End.Code), bad
	case from.Age >= quietAfter:
		return "quiet for " + clock(from.Age.Truncate(time.Second)), "quiet", warn
	}
	return "running", "running", good
}
