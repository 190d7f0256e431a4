package cli

import (
	"bytes"
	"context"
	"flag"
	"strings"
)

// shells are the shells with completion scripts.
var shells = []struct {
	name   string
	script func(*Tool) string
}{
	{"bash", bash},
	{"zsh", zsh},
	{"fish", fish},
}

// completion is the command that prints the completion script of a shell.
func (t *Tool) completion() Command {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return Command{
		Name:    "completion",
		Summary: "prints what makes a shell complete commands, flags and files",
		About: `Prints a script that makes the shell complete the commands of ` + t.Name + `, their
flags, the values of flags that have a fixed choice, and names of files.

Shells load it at their start from these places (for all users; scripts/install
puts it there):

  bash  PREFIX/share/bash-completion/completions/` + t.Name + `
  zsh   PREFIX/share/zsh/site-functions/_` + t.Name + `
  fish  PREFIX/share/fish/vendor_completions.d/` + t.Name + `.fish`,
		Args: []Arg{{Name: "SHELL", Values: OneOf(names...)}},
		Examples: []Example{
			{`eval "$(` + t.Name + ` completion bash)"`, "this shell only"},
			{t.Name + " completion fish > ~/.config/fish/completions/" + t.Name + ".fish", "one user's shells from now on"},
		},
		Setup: func(*flag.FlagSet) Action {
			return func(_ context.Context, streams Streams, args []string) error {
				for _, s := range shells {
					if s.name == args[0] {
						_, err := streams.Out.Write([]byte(s.script(t)))
						return err
					}
				}
				return Usagef("there is no script for %q; there are some for %s", args[0], strings.Join(names, ", "))
			}
		},
	}
}

// script is a text that grows by lines.
type script struct{ bytes.Buffer }

func (s *script) line(parts ...string) {
	for _, part := range parts {
		s.WriteString(part)
	}
	s.WriteByte('\n')
}

// quoted is text in single quotes as the Bourne shells read it.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
