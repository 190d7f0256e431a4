package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// help is the command that prints help on the tool, or on another command.
func (t *Tool) help() Command {
	return Command{
		Name:    "help",
		Summary: "explains a command",
		About:   "Prints what " + t.Name + " CMD -help prints, or without a command the list of all.",
		Args:    []Arg{{Name: "CMD", Values: OneOf(t.names(true)...), Optional: true}},
		Setup: func(*flag.FlagSet) Action {
			return func(_ context.Context, streams Streams, args []string) error {
				if len(args) == 0 {
					return t.writeSummary(streams.Out)
				}
				c, known := t.command(args[0])
				if !known {
					return t.unknown(args[0])
				}
				return t.writeHelp(streams.Out, c)
			}
		},
	}
}

// writeSummary prints the tool's summary and its commands.
func (t *Tool) writeSummary(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n\n", t.Name, t.Summary)
	fmt.Fprintf(&b, "Usage: %s CMD [flags] [arguments]\n\n", t.Name)
	width := 0
	for _, name := range t.names(false) {
		width = max(width, len(name))
	}
	for _, c := range t.Commands {
		if !c.Hidden {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name, c.Summary)
		}
	}
	fmt.Fprintf(&b, "\n%s CMD -help explains a command.\n", t.Name)
	_, err := w.Write(b.Bytes())
	return err
}

// writeHelp prints all about a command.
func (t *Tool) writeHelp(w io.Writer, c *Command) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s: %s\n\nUsage: %s\n", t.Name, c.Name, c.Summary, c.synopsis(t.Name))
	for _, part := range blocksOf(c.About) {
		lines := part.lines
		if !part.kept {
			lines = Wrap(strings.Join(lines, " "), lineWidth)
		}
		fmt.Fprintf(&b, "\n%s\n", strings.Join(lines, "\n"))
	}
	writeFlags(&b, c.flags())
	if len(c.Examples) > 0 {
		b.WriteString("\nExamples:\n")
	}
	for _, e := range c.Examples {
		fmt.Fprintf(&b, "  %s\n", e.Line)
		writeIndented(&b, e.Does)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeFlags(b *bytes.Buffer, flags []option) {
	if len(flags) > 0 {
		b.WriteString("\nFlags:\n")
	}
	for _, o := range flags {
		fmt.Fprintf(b, "  %s\n", o.head())
		writeIndented(b, o.text())
	}
}

func writeIndented(b *bytes.Buffer, text string) {
	const indent = "        "
	for _, line := range Wrap(text, lineWidth-len(indent)) {
		fmt.Fprintf(b, "%s%s\n", indent, line)
	}
}
