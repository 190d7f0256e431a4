package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// completed lists command lines, and the words offered at their end. The directory contains a.hosts,
// "b c.txt" and the directories runs and "old runs".
var completed = []struct {
	name string
	line string // the word to complete stands last, "" is a new one
	want string // between |, sorted
	// words offered by shells that differ
	but map[string]string
}{
	{"commands", "tool ", "completion|fail|help|man|pick|report|start", nil},
	{"a command", "tool rep", "report", nil},
	{"no command", "tool x", "", nil},
	{"flags", "tool report -", "-format|-help|-loud|-n|-o|-only", map[string]string{
		// zsh and fish offer both forms of a flag.
		"zsh":  "--format|--help|--loud|--n|--o|--only|-format|-help|-loud|-n|-o|-only",
		"fish": "--format|--help|--loud|--n|--o|--only|-format|-help|-loud|-n|-o|-only",
	}},
	{"flags with two dashes", "tool report --f", "--format", nil},
	{"choice", "tool report -format ", "json|table", nil},
	{"part of a choice", "tool report -format j", "json", nil},
	{"choice after two dashes", "tool report --format j", "json", nil},
	{"choice after =", "tool report --format=j", "json", map[string]string{"fish": "--format=json"}},
	{"a number", "tool report -n ", "", nil},
	{"file of a flag", "tool report -o a", "a.hosts", nil},
	{"first argument", "tool report ", "old runs|runs", nil},
	{"first argument after a flag with a value", "tool report -format json r", "runs", nil},
	{"first argument after a flag without", "tool report -loud r", "runs", nil},
	{"second argument", "tool report runs ", "long|short", nil},
	{"second argument between flags", "tool report -n 3 runs -loud s", "short", nil},
	{"no third argument", "tool report runs long ", "", map[string]string{
		// zsh completes flags too.
		"zsh": "--format|--help|--loud|--n|--o|--only|-format|-help|-loud|-n|-o|-only",
	}},
	{"command as argument", "tool help rep", "report", nil},
	{"shell", "tool completion b", "bash", nil},
	{"a program's name", "tool start -n 3 p", "p1|p2", nil},
	{"a program's path", "tool start ./a", "./a.hosts", map[string]string{"zsh": "a.hosts"}},
	{"another program's argument", "tool start two a", "a.hosts", nil},
	{"another program's flags", "tool start 2 -", "-p1|-p2", nil},
	{"another program's flags behind one of ours and its own", "tool start -n 3 2 -n -x 5 -", "-p1|-p2", nil},
	{"our flags before another program", "tool start -", "-help|-n", map[string]string{"zsh": "--help|--n|-help|-n", "fish": "--help|--n|-help|-n"}},
	{"a flag's words or files", "tool pick -like a", "a.hosts|arg", nil},
	{"a flag's words or others", "tool pick -as ", "any|none", nil},
	{"values of another program's flag", "tool start 2 -p1 ", "all|any", nil},
	{"part of a value of another program's flag", "tool start -n 3 2 -x 5 -p1 an", "any", nil},
	{"another program's flag of unknown values", "tool start 2 -p2 a", "a.hosts", nil},
	{"another program's third argument", "tool start two x y a", "a.hosts", nil},
}

func shellTest(t *testing.T, shell string, offers func(t *testing.T, script, dir string, asked []string) [][]string) {
	if _, err := exec.LookPath(shell); err != nil {
		if shell == "bash" && os.Getenv("CI") != "" {
			t.Fatal("no bash on this machine, although CI is set")
		}
		t.Skipf("SKIPPED: no %s on this machine", shell)
	}
	_, text, _ := called(t, "completion", shell)
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "_tool")
	must.Do(t, os.WriteFile(script, []byte(text), 0o644))
	for _, name := range []string{"a.hosts", "b c.txt"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	// The flags of program 2, and the values of one of them.
	must.Write(t, filepath.Join(dir, ".flags"), "#!/bin/sh\ncase $* in 2) echo -p1; echo -p2 ;; '2 -p1') echo any; echo all ;; esac\n", 0o755)
	for _, name := range []string{"runs", "old runs"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	var asked []string
	for _, c := range completed {
		asked = append(asked, c.line)
	}
	answers := offers(t, script, dir, asked)
	if len(answers) != len(asked) {
		t.Fatalf("%d answers to %d questions: %q", len(answers), len(asked), answers)
	}
	for i, c := range completed {
		want, other := c.but[shell]
		if !other {
			want = c.want
		}
		got := answers[i]
		for i := range got {
			got[i] = strings.TrimRight(got[i], "/ ")
		}
		slices.Sort(got)
		if text := strings.Join(slices.Compact(got), "|"); text != want {
			t.Errorf("%s: %q: %q, want %q", c.name, c.line, text, want)
		}
	}
}

// lines runs a shell in a directory and returns the lines of its output.
func lines(t *testing.T, dir, shell string, args ...string) []string {
	t.Helper()
	command := exec.Command(shell, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/.config", "XDG_DATA_HOME="+dir+"/.data")
	out, err := command.Output()
	if exit, failed := err.(*exec.ExitError); failed {
		t.Logf("%s: %v\n%s", shell, err, exit.Stderr)
	}
	text := strings.TrimRight(string(out), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func TestBash(t *testing.T) {
	shellTest(t, "bash", func(t *testing.T, script, dir string, asked []string) (answers [][]string) {
		const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tool; printf '%s\n' "${COMPREPLY[@]}"`
		for _, line := range asked {
			// Bash splits = off as a separate word.
			words := strings.Split(strings.ReplaceAll(line, "=", " = "), " ")
			answers = append(answers, lines(t, dir, "bash", append([]string{"--norc", "-c", ask, "bash", script}, words...)...))
		}
		return answers
	})
}

func TestFish(t *testing.T) {
	shellTest(t, "fish", func(t *testing.T, script, dir string, asked []string) (answers [][]string) {
		for _, line := range asked {
			var offers []string
			for _, l := range lines(t, dir, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line) {
				word, _, _ := strings.Cut(l, "\t")
				offers = append(offers, word)
			}
			answers = append(answers, offers)
		}
		return answers
	})
}

// zshAsk completes lines in a pseudo-terminal of zsh. It prints the words passed to compadd, one per
// line after HIT:, and END after each completed line.
const zshAsk = `
zmodload zsh/zpty
zpty z zsh -f -i
read_until() { local all= part; while [[ $all != *$1* ]]; do zpty -r z part || return; all+=$part; done; print -r -- $all }
zpty -w z "PS1= PS2=; stty -echo; fpath=(${1:h} \$fpath); autoload -Uz compinit; compinit -D -u; cd $2"
zpty -w z 'compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
	local -a __hits; builtin compadd -O __hits "$@"
	[[ ${#__hits} -gt 0 ]] && print -rl -- "HIT:"${^__hits}
	return 0
}
zstyle ":completion:*" verbose no
bindkey "^I" complete-word
zle -C complete-word complete-word _main_complete
_done() { BUFFER=; zle -I; print DO"NE"; }
zle -N _done; bindkey "^T" _done
print RE"ADY"'
read_until READY >/dev/null
for line in "${@[3,-1]}"; do
	zpty -n -w z "$line"$'\t\x14'
	read_until DONE | tr -d '\r' | sed -n 's/.*HIT:\([^\x1b]*\).*/HIT:\1/p'
	print END
done
`

func TestZsh(t *testing.T) {
	shellTest(t, "zsh", func(t *testing.T, script, dir string, asked []string) (answers [][]string) {
		var offers []string
		for _, l := range lines(t, dir, "zsh", append([]string{"-f", "-c", zshAsk, "zsh", script, dir}, asked...)...) {
			if hit, is := strings.CutPrefix(l, "HIT:"); is {
				offers = append(offers, strings.ReplaceAll(hit, `\ `, " "))
			} else if l == "END" {
				answers = append(answers, offers)
				offers = nil
			}
		}
		return answers
	})
}
