package app

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line that is too long goes on below its last column.
func TestHang(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 16)) // of 79 columns
	for line, want := range map[string]string{
		"":                "",
		long:              long,
		long + " more":    long + "\nmore",
		"  a    " + long:  "  a    " + long[:69] + "\n       word word",
		"        " + long: "        " + long[:69] + "\n        word word",
	} {
		if got := hang(line); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", line, got, want)
		}
	}
}

// Help fits into 80 columns, and loses no word.
func TestHelpFits(t *testing.T) {
	app := &application{Program: &Program{About: strings.Repeat("What it does. ", 20) + "\n\n  kept   as it is\n\nThe end."}, name: "program"}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	app.define(flags)
	var help bytes.Buffer
	app.printHelp(&help, flags)
	printStrategies(&help)
	for line := range strings.Lines(help.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	all := strings.Join(strings.Fields(help.String()), " ")
	flags.VisitAll(func(f *flag.Flag) {
		if _, usage := flag.UnquoteUsage(f); !strings.Contains(all, "-"+f.Name+" ") || !strings.Contains(all, usage) {
			t.Errorf("-%s: %s: not in\n%s", f.Name, usage, &help)
		}
	})
	if !strings.Contains(help.String(), "\n  kept   as it is\n\nThe end.\n\nUsage: program") {
		t.Errorf("paragraphs are lost in\n%s", &help)
	}
}
