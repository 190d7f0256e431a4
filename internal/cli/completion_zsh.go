package cli

import "strings"

// zsh returns the completion script for zsh: one function, which calls _arguments for the command
// named first.
func zsh(t *Tool) string {
	var s script
	s.line("#compdef ", t.Name)
	s.line("# zsh completion of ", t.Name, ", made by: ", t.Name, " completion zsh")
	s.line()
	s.line("_", t.Name, "() {")
	s.line("	local -a commands")
	s.line("	commands=(")
	for _, c := range t.Commands {
		s.line("		", quoted(c.Name+":"+strings.ReplaceAll(c.Summary, ":", `\:`)))
	}
	s.line("	)")
	s.line("	if ((CURRENT == 2)); then")
	s.line("		_describe -t commands 'command' commands")
	s.line("		return")
	s.line("	fi")
	s.line("	local command=$words[2]")
	s.line(`	words=("$words[1]" "${(@)words[3,-1]}")`)
	s.line("	((CURRENT--))")
	s.line("	case $command in")
	for _, c := range t.Commands {
		s.line("	", c.Name, ") _arguments -S ", zshForeign(&c), strings.Join(zshSpecs(&c), " "), " ;;")
	}
	s.line("	esac")
	s.line("}")
	s.line()
	s.line(`if [ "$funcstack[1]" = _`, t.Name, ` ]; then`)
	s.line("	_", t.Name, ` "$@"`)
	s.line("else")
	s.line("	compdef _", t.Name, " ", t.Name)
	s.line("fi")
	return s.String()
}

// zshForeign completes no flags after the name of another program.
func zshForeign(c *Command) string {
	if c.takesRest() {
		return "-A '-*' "
	}
	return ""
}

// zshSpecs returns the arguments of _arguments for a command.
func zshSpecs(c *Command) []string {
	specs := []string{zshFlag(option{name: "help", usage: "print help and exit"})}
	for _, o := range c.flags() {
		specs = append(specs, zshFlag(o))
	}
	for _, a := range c.Args {
		colon := ":"
		if a.Optional {
			colon = "::"
		}
		if a.Rest {
			colon = "*::" // words are then the other program's
		}
		specs = append(specs, quoted(colon+zshEscaped(a.Name)+":"+zshKind(a.Values)))
	}
	return specs
}

// zshFlag is a flag with one dash and with two, which exclude each other.
func zshFlag(o option) string {
	assigns, value := "", ""
	if o.value != "" {
		assigns, value = "=", ":"+zshEscaped(o.name)+":"+zshKind(o.values)
	}
	return "'(-" + o.name + " --" + o.name + ")'{-" + o.name + assigns + ",--" + o.name + assigns + "}" +
		quoted("["+zshEscaped(o.text())+"]"+value)
}

func zshKind(v Values) string {
	switch {
	case v.Flags != "":
		return "{ local -a offers; " +
			"if [[ $PREFIX == -* ]]; then compadd -- $(" + v.Flags + " $words[1] 2>/dev/null); " +
			"elif [[ $words[CURRENT-1] == -* ]] && offers=($(" + v.Flags + " $words[1] $words[CURRENT-1] 2>/dev/null)) && (( $#offers )); then compadd -a offers; " +
			"else _files; fi }"
	case v.Call != "":
		return "{ compadd -- $(" + v.Call + " 2>/dev/null); _files }"
	case v.Files && len(v.Words) > 0:
		return "{ compadd -- " + strings.Join(v.Words, " ") + "; _files }"
	case v.Files:
		return "_files"
	case v.Directories:
		return "_path_files -/"
	case len(v.Words) > 0:
		return "(" + strings.Join(v.Words, " ") + ")"
	default:
		return " "
	}
}

func zshEscaped(text string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
