package live

import "time"

// Size is the size of a screen in characters.
type Size struct{ Width, Height int }

// Smallest is the smallest size that a Frame has room in.
var Smallest = Size{20, 5}

// Tables are the tables that a View can show.
var Tables = []string{"sets", "ranks", "sites", "calls"}

// View is the part of the state that the user chose to see.
type View struct {
	Table  string // one of Tables
	Whole  bool   // figures of the whole run, not of its last supersteps
	Scroll int    // rows of the table that have been passed
	Help   bool
	Paused bool
}

// Source describes the record as a file.
type Source struct {
	Name    string
	Wait    string        // what is being waited for, "" once the head has been read
	Age     time.Duration // since the file last changed
	Wall    time.Duration // from the start of the run to that change
	Partial bool          // the file ends within a line
}

// Options choose the record and its display.
type Options struct {
	Path     string // the record, or the directory that has it or will
	Table    string // one of Tables, to begin with
	Interval time.Duration
	Color    bool
	Unicode  bool
}
