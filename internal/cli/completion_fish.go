package cli

import (
	"strconv"
	"strings"
)

// fish is one complete command for each thing that can be completed.
func fish(t *Tool) string {
	var s script
	s.line("# fish completion of ", t.Name, ", made by: ", t.Name, " completion fish")
	s.line()
	fishPlace(t, &s)
	s.line("complete -c ", t.Name, " -f")
	for _, c := range t.Commands {
		s.line("complete -c ", t.Name, " -n ", fishQuoted("__"+t.Name+"_at 0"), " -a ", c.Name, " -d ", fishQuoted(c.Summary))
	}
	for _, c := range t.Commands {
		s.line()
		at := "__" + t.Name + "_at " + c.Name
		if c.takesRest() {
			at += " 1" // after it flags are another program's
		}
		when := fishQuoted(at)
		s.line("complete -c ", t.Name, " -n ", when, fishFlag(option{name: "help", usage: "print help and exit"}))
		for _, o := range c.flags() {
			s.line("complete -c ", t.Name, " -n ", when, fishFlag(o))
		}
		for i, a := range c.Args {
			at := "__" + t.Name + "_at " + c.Name + " " + strconv.Itoa(i+1)
			if a.Rest {
				at += " or later"
			}
			when := fishQuoted(at)
			if a.Values.Flags == "" {
				s.line("complete -c ", t.Name, " -n ", when, " ", fishKind(a.Values))
				continue
			}
			known := "__" + t.Name + "_known " + a.Values.Flags
			s.line("complete -c ", t.Name, " -n ", fishQuoted(at+"; and not "+known), " ", fishKind(a.Values))
			s.line("complete -c ", t.Name, " -n ", fishQuoted(at+"; and "+known), " -f -a '$__", t.Name, "_offers'")
			s.line("complete -c ", t.Name, " -n ", fishQuoted(at+"; and not "+known), " -a ", fishQuoted("("+a.Values.Flags+" $__"+t.Name+"_program 2>/dev/null | string match -- (commandline -ct)'*')"))
		}
	}
	return s.String()
}

// fishPlace writes the condition that the cursor is after a command, and at its argument of
// a number, or a later one. Command 0 means no command yet.
func fishPlace(t *Tool, s *script) {
	var valued []string
	for _, c := range t.Commands {
		for _, o := range c.flags() {
			if o.value != "" {
				valued = append(valued, c.Name+"-"+o.name)
			}
		}
	}
	s.WriteString(strings.NewReplacer("TOOL", t.Name, "VALUED", strings.Join(valued, " ")).Replace(fishBody))
}

const fishBody = `function __TOOL_at
	set -l words (commandline -opc)
	if test (count $words) -lt 2
		test $argv[1] = 0
		return
	end
	test $words[2] = $argv[1]; or return
	test (count $argv) -gt 1; or return 0
	set -g __TOOL_program
	set -l number 1
	set -l skip 0
	for word in $words[3..-1]
		if test $skip = 1
			set skip 0
		else if string match -q -- '-*' $word
			contains -- $words[2]-(string replace -r -- '^--?' '' $word) VALUED
			and set skip 1
		else
			set number (math $number + 1)
			set -q __TOOL_program[1]; or set -g __TOOL_program $word
		end
	end
	if test (count $argv) -gt 2
		test $number -ge $argv[2]
	else
		test $number = $argv[2]
	end
end

function __TOOL_known
	set -l flag (commandline -opc)[-1]
	string match -q -- '-*' $flag; or return
	set -g __TOOL_offers ($argv $__TOOL_program $flag 2>/dev/null)
	test (count $__TOOL_offers) -gt 0
end

`

// fishFlag is a flag with one dash and with two.
func fishFlag(o option) string {
	line := " -o " + o.name + " -l " + o.name + " -d " + fishQuoted(o.text())
	if o.value != "" {
		line += " -r " + fishKind(o.values)
	}
	return line
}

func fishKind(v Values) string {
	switch {
	case v.Call != "":
		return "-F -a '(" + v.Call + " 2>/dev/null)'"
	case v.Files && len(v.Words) > 0:
		return "-F -a " + fishQuoted(strings.Join(v.Words, " "))
	case v.Files:
		return "-F"
	case v.Directories:
		return "-f -a '(__fish_complete_directories (commandline -ct))'"
	case len(v.Words) > 0:
		return "-f -a " + fishQuoted(strings.Join(v.Words, " "))
	default:
		return "-f"
	}
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
