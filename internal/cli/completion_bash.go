package cli

import (
	"cmp"
	"strconv"
	"strings"
)

// bash returns the completion script for bash. The script has a function for each kind of argument,
// because the possible words depend on the command, and on the preceding flag or the argument's
// number.
func bash(t *Tool) string {
	var s script
	s.line("# bash completion of ", t.Name, ", made by: ", t.Name, " completion bash")
	s.line()
	for _, f := range []struct {
		name string
		rows func(*Tool, func(place, words string))
	}{{"flags", bashFlags}, {"foreign", bashForeign}, {"values", bashValues}} {
		s.line("_", t.Name, "_", f.name, "() {")
		s.line("	case $1 in")
		f.rows(t, func(place, words string) { s.line("	", place, ") echo ", quoted(words), " ;;") })
		s.line("	esac\n}\n")
	}
	s.WriteString(strings.ReplaceAll(bashBody, "TOOL", t.Name))
	return s.String()
}

// bashFlags writes a row with the flags of each command.
func bashFlags(t *Tool, row func(place, words string)) {
	for _, c := range t.Commands {
		flags := []string{"-help"}
		for _, o := range c.flags() {
			flags = append(flags, "-"+o.name)
		}
		row(c.Name, strings.Join(flags, " "))
	}
}

// bashForeign writes, for commands that start another program, the command line that prints the
// program's flags.
func bashForeign(t *Tool, row func(place, words string)) {
	for _, c := range t.Commands {
		if c.takesRest() {
			row(c.Name, cmp.Or(c.rest().Flags, ":"))
		}
	}
}

// bashValues writes a row for each flag with a value, by name, and for each argument, by number.
func bashValues(t *Tool, row func(place, words string)) {
	row("0", "words "+strings.Join(t.names(true), " "))
	for _, c := range t.Commands {
		for _, o := range c.flags() {
			if o.value != "" {
				row(c.Name+"-"+o.name, bashKind(o.values))
			}
		}
		for i, a := range c.Args {
			place := c.Name + strconv.Itoa(i+1)
			if a.Rest {
				place += "|" + c.Name + "[0-9]*"
			}
			row(place, bashKind(a.Values))
		}
	}
}

func bashKind(v Values) string {
	switch {
	case v.Call != "":
		return "call " + v.Call
	case v.Files && len(v.Words) > 0:
		return "both " + strings.Join(v.Words, " ")
	case v.Files:
		return "files"
	case v.Directories:
		return "directories"
	default:
		return strings.TrimSpace("words " + strings.Join(v.Words, " "))
	}
}

// bashBody completes a word. Bash has split -flag=value into three.
const bashBody = `_TOOL() {
	local word=${COMP_WORDS[COMP_CWORD]} before= command= place= program= number=0 i kind flags foreign
	COMPREPLY=()
	if [ "$word" = = ]; then
		word=
		before=${COMP_WORDS[COMP_CWORD-1]}
	elif [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then
		before=${COMP_WORDS[COMP_CWORD-2]}
	else
		before=${COMP_WORDS[COMP_CWORD-1]}
	fi
	if [ "$COMP_CWORD" -gt 1 ]; then
		command=${COMP_WORDS[1]}
		case $before in
		-*) place=$command-$(printf %s "$before" | sed 's/^--*//') ;;
		esac
	fi
	if [ -z "$place" ] || [ -z "$(_TOOL_values "$place")" ]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			=) i=$((i + 1)) ;;
			-*)
				if [ "${COMP_WORDS[i+1]}" = = ]; then
					i=$((i + 2))
				elif [ -n "$(_TOOL_values "$command-$(printf %s "${COMP_WORDS[i]}" | sed 's/^--*//')")" ]; then
					i=$((i + 1))
				fi
				;;
			*)
				program=${program:-${COMP_WORDS[i]}}
				number=$((number + 1))
				;;
			esac
		done
		place=$command$((number + 1))
		[ -n "$command" ] || place=0
		case $word in
		-*)
			foreign=$(_TOOL_foreign "$command")
			if [ -n "$program" ] && [ -n "$foreign" ]; then
				flags=$($foreign "$program" 2>/dev/null)
			else
				flags=$(_TOOL_flags "$command")
			fi
			kind="words $flags"
			[[ $word != --* ]] || kind="words $(printf ' %s' $flags | sed 's/ -/ --/g')"
			;;
		*)
			foreign=$(_TOOL_foreign "$command")
			if [ -n "$program" ] && [ -n "$foreign" ] && [[ $before == -* ]]; then
				flags=$($foreign "$program" "$before" 2>/dev/null)
				[ -z "$flags" ] || kind="words $flags"
			fi
			;;
		esac
	fi
	[ -n "$kind" ] || kind=$(_TOOL_values "$place")
	local IFS=$' \t\n'
	case $kind in
	call*)
		case $word in
		*/*) ;;
		*) COMPREPLY=($(compgen -W "$(${kind#call} 2>/dev/null)" -- "$word")) ;;
		esac
		if [ ${#COMPREPLY[@]} -eq 0 ]; then
			compopt -o filenames 2>/dev/null
			IFS=$'\n' COMPREPLY=($(compgen -f -- "$word"))
		fi
		;;
	both*)
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -W "${kind#both}" -- "$word"))
		IFS=$'\n' COMPREPLY+=($(compgen -f -- "$word"))
		;;
	words*) COMPREPLY=($(compgen -W "${kind#words}" -- "$word")) ;;
	files)
		compopt -o filenames 2>/dev/null
		IFS=$'\n' COMPREPLY=($(compgen -f -- "$word"))
		;;
	directories)
		compopt -o filenames 2>/dev/null
		IFS=$'\n' COMPREPLY=($(compgen -d -- "$word"))
		;;
	esac
}

complete -F _TOOL TOOL
`
