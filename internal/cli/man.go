package cli

import (
	"context"
	"flag"
	"os"
	"path/filepath"
)

// man is the command that writes manual pages.
func (t *Tool) man() Command {
	c := Command{
		Name:    "man",
		Summary: "writes manual pages into a directory",
		Hidden:  true,
		About: "Writes " + t.Name + ".1 and a page for each command into a directory, which is made" +
			" if need be. scripts/install uses it.",
		Args: []Arg{{Name: "DIR", Values: Directory}},
		Examples: []Example{
			{t.Name + " man /tmp/man && man -l /tmp/man/" + t.Name + ".1", "reads the first page"},
		},
		Setup: func(*flag.FlagSet) Action {
			return func(ctx context.Context, _ Streams, args []string) error {
				return t.writePages(ctx, args[0], args[1:])
			}
		},
	}
	if t.Explain != nil {
		c.About += " Behind DIR stand the paths of other programs that get a page."
		c.Args = append(c.Args, Arg{Name: "PROGRAM", Values: File, Optional: true, Rest: true})
	}
	return c
}

func (t *Tool) writePages(ctx context.Context, dir string, programs []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	all := t.pages()
	for _, path := range programs {
		p, err := t.Explain(ctx, path)
		if err != nil {
			return err
		}
		all[p.Page+".1"] = t.programPage(p)
	}
	for name, page := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages are the manual pages by file name.
func (t *Tool) pages() map[string]string {
	all := map[string]string{t.Name + ".1": t.page()}
	for i := range t.Commands {
		c := &t.Commands[i]
		all[t.pageName(c)+".1"] = t.commandPage(c)
	}
	return all
}
