package loss

import "time"

// A Start is a start of the launcher by a program that starts it again after losses.
type Start struct {
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended,omitzero"`  // of the launcher
	Cause string    `json:"cause,omitempty"` // of the next start, if the launcher ended without a loss
	Loss  string    `json:"loss,omitempty"`  // the field start of the loss that ended it
}

// ReadStarts returns the starts in a file, the latest last, and none if the file does not exist.
func ReadStarts(path string) ([]Start, error) {
	f, err := read(path)
	return f.Starts, err
}

// AddStart adds a start to a file, in a directory that exists.
func AddStart(path string, began time.Time) error {
	return change(path, func(f *file) bool {
		f.Starts = append(f.Starts, Start{Began: began.UTC()})
		f.Starts = f.Starts[max(0, len(f.Starts)-maxLosses):]
		return true
	})
}

// EndStart sets the end of the latest start: by a loss, which may be nil, or by another cause.
func EndStart(path string, ended time.Time, l *Loss, cause string) error {
	return change(path, func(f *file) bool {
		if len(f.Starts) == 0 {
			return false
		}
		last := &f.Starts[len(f.Starts)-1]
		if last.Ended, last.Cause = ended.UTC(), cause; l != nil {
			last.Loss = l.Start
		}
		return true
	})
}
