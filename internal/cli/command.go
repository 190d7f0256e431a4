// Package cli is the frame of a tool with commands: one table describes each of them, and
// calls, help, completion scripts and manual pages are made from it.
package cli

import (
	"context"
	"flag"
	"io"
	"time"
)

// Tool is a program with commands.
type Tool struct {
	Name     string
	Summary  string    // one line, without a full stop
	About    string    // paragraphs of help and manual
	Version  string    // in manual pages
	Date     time.Time // of manual pages
	Commands []Command // in the order of help
	// Explain returns the text for a manual page of another program. It may be nil.
	Explain func(ctx context.Context, path string) (Program, error)
}

// Command is a row of a tool's table.
type Command struct {
	Name    string
	Summary string // one line, without a full stop
	Args    []Arg
	// About contains paragraphs between empty lines. Lines that begin with a blank are kept
	// unchanged.
	About    string
	Examples []Example
	Hidden   bool // left out where help lists all commands
	// Setup defines the command's flags, and returns the action that runs after they have
	// been read. It is also called only to learn the flags.
	Setup func(flags *flag.FlagSet) Action
	// Signals means that the command handles signals itself, for instance because it runs
	// another program: its context does not end, and its exit code is its own.
	Signals bool
	// Join is called first where a command may run as several processes at once, nil
	// elsewhere.
	Join func() (*Peer, error)
}

// Peer is this process among others that were started with the same arguments.
type Peer struct {
	Speaks bool   // prints the texts that are the same for all: help, and the error that ends the command
	Leave  func() // is called at the end
}

// Action runs a command with its arguments, in the number that Command.Args allow. It ends
// soon after ctx does.
type Action func(ctx context.Context, streams Streams, args []string) error

// Streams is the input and the outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Print prints text.
func (s Streams) Print(text string) error {
	_, err := io.WriteString(s.Out, text)
	return err
}

// Arg is an argument of a command that is no flag.
type Arg struct {
	Name     string // in capitals
	Values   Values
	Optional bool // as are all after it
	// Rest is for the last one: it stands for all following words, flags too, which are
	// another program's. The command's own flags stand before the first argument.
	Rest bool
}

// Example is a line that users can copy.
type Example struct {
	Line string
	Does string
}

// command finds a command by name.
func (t *Tool) command(name string) (*Command, bool) {
	for i := range t.Commands {
		if t.Commands[i].Name == name {
			return &t.Commands[i], true
		}
	}
	return nil, false
}

// names returns the names of all commands, with hidden ones if requested.
func (t *Tool) names(hidden bool) []string {
	var names []string
	for _, c := range t.Commands {
		if hidden || !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func (a Arg) shown() string {
	name := a.Name
	if a.Rest {
		name += "..."
	}
	if a.Optional {
		return "[" + name + "]"
	}
	return name
}

// rest returns the possible values of the last argument.
func (c *Command) rest() Values { return c.Args[len(c.Args)-1].Values }

// takesRest reports whether an argument takes all following words.
func (c *Command) takesRest() bool { return len(c.Args) > 0 && c.Args[len(c.Args)-1].Rest }

// Program is another program with a manual page of its own, made from its help: paragraphs, a line
// that begins with "Usage: ", and flags as package flag prints them, each group below a line that
// ends in a colon.
type Program struct{ Page, Summary, Help string }
