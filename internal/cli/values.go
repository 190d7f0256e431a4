package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// Values is the possible values of an argument or of a flag, for completion: words, files, or both.
type Values struct {
	Words       []string
	Files       bool
	Directories bool
	// Call is a command line that prints the words, one on each line. A word with a slash,
	// or another one, is completed as a file.
	Call string
	// Flags applies to an Arg with Rest set: a command line that prints the flags of the program
	// named by the command's first argument, which is appended. With a flag's name also appended, it
	// prints the values of that flag, or no output for an unknown flag.
	Flags string
}

// Values of common kinds of arguments.
var (
	File      = Values{Files: true}
	Directory = Values{Directories: true}
)

// OneOf returns the values with the given words.
func OneOf(words ...string) Values { return Values{Words: words} }

// Choice defines a flag whose value is one of some words, the first by default.
func Choice(flags *flag.FlagSet, name, usage string, words ...string) *string {
	c := &choice{value: words[0], words: words}
	flags.Var(c, name, usage)
	return &c.value
}

// Words defines a flag whose value is a list of words between commas, none by
// default.
func Words(flags *flag.FlagSet, name, usage string, words ...string) *[]string {
	l := &list{words: words}
	flags.Var(l, name, usage)
	return &l.value
}

// Path defines a flag whose value is a file or directory. Its usage names it
// between back quotes.
func Path(flags *flag.FlagSet, name, usage string, what Values) *string {
	p := &path{what: what}
	flags.Var(p, name, usage)
	return &p.value
}

// Suggest defines a flag of any text for which completion offers some values. Its usage names
// the text between back quotes.
func Suggest(flags *flag.FlagSet, name, initial, usage string, offers Values) *string {
	s := &suggested{value: initial, offers: offers}
	flags.Var(s, name, usage)
	return &s.value
}

type suggested struct {
	value  string
	offers Values
}

func (s *suggested) String() string    { return s.value }
func (s *suggested) completes() Values { return s.offers }

func (s *suggested) Set(text string) error {
	s.value = text
	return nil
}

// Renamed defines the old name of a flag, which sets it too. The result reports whether the
// old name was used. Help, completion and manual pages do not list it.
func Renamed(flags *flag.FlagSet, old, name string) (used *bool) {
	r := &renamed{Value: flags.Lookup(name).Value}
	flags.Var(r, old, "old name of -"+name)
	return &r.used
}

type renamed struct {
	flag.Value
	used bool
}

func (r *renamed) Set(s string) error {
	r.used = true
	return r.Value.Set(s)
}

// completing is a flag.Value with known possible values.
type completing interface{ completes() Values }

type choice struct {
	value string
	words []string
}

func (c *choice) String() string    { return c.value }
func (c *choice) completes() Values { return OneOf(c.words...) }

func (c *choice) Set(s string) error {
	if err := among(s, c.words); err != nil {
		return err
	}
	c.value = s
	return nil
}

type list struct{ value, words []string }

func (l *list) String() string    { return strings.Join(l.value, ",") }
func (l *list) completes() Values { return OneOf(l.words...) }

func (l *list) Set(s string) error {
	value := strings.Split(s, ",")
	for _, word := range value {
		if err := among(word, l.words); err != nil {
			return err
		}
	}
	l.value = value
	return nil
}

func among(word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("there is no %q; there are %s", word, strings.Join(words, ", "))
}

type path struct {
	value string
	what  Values
}

func (p *path) String() string    { return p.value }
func (p *path) completes() Values { return p.what }

func (p *path) Set(s string) error {
	if s == "" {
		return fmt.Errorf("a name is missing")
	}
	p.value = s
	return nil
}
