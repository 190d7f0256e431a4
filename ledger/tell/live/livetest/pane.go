package livetest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Pane is a terminal with a shell in it, in its own tmux server.
type Pane struct {
	t      testing.TB
	socket string
	env    []string
}

// timeout is the time in which a screen must show the expected text: it limits tests that fail, not
// tests that pass.
const timeout = 30 * time.Second

// NewPane opens a terminal that is gone when the test ends. Without tmux the test
// is skipped, or fails if MIGBSP_TEST_TMUX is "required".
func NewPane(t testing.TB, width, height int) *Pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("MIGBSP_TEST_TMUX") == "required" {
			t.Fatal("tmux is required, and not there: ", err)
		}
		t.Skip("SKIPPED: without tmux nothing on terminals is tested: ", err)
	}
	p := &Pane{t: t, socket: fmt.Sprintf("migbsp-test-%d-%d", os.Getpid(), time.Now().UnixNano())}
	p.env = append(os.Environ(), "TMUX=", "TMUX_TMPDIR="+t.TempDir(), "LC_ALL=C.UTF-8", "PS1=$ ", "ENV=", "NO_COLOR=", "SLURM_JOB_ID=")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal shows\n%s", p.Text())
		}
		p.try("kill-server")
	})
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "/bin/sh", "-i")
	p.tmux("set-option", "-g", "status", "off")
	p.Resize(width, height)
	return p
}

func (p *Pane) try(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-u", "-L", p.socket}, args...)...)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *Pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := p.try(args...)
	if err != nil {
		p.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Resize gives the terminal another size.
func (p *Pane) Resize(width, height int) {
	p.t.Helper()
	p.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Press sends keys, by their names in tmux.
func (p *Pane) Press(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

// Type sends a line to the shell.
func (p *Pane) Type(line string) {
	p.t.Helper()
	p.tmux("send-keys", "-l", line)
	p.Press("Enter")
}

// Text returns the present contents of the terminal.
func (p *Pane) Text() string {
	out, _ := p.try("capture-pane", "-p")
	return strings.TrimSuffix(out, "\n")
}

// Flag returns a property of the terminal, such as cursor_flag.
func (p *Pane) Flag(name string) string {
	p.t.Helper()
	return strings.TrimSpace(p.tmux("display-message", "-p", "#{"+name+"}"))
}

// Until waits until is returns true of the terminal's text, and returns the text.
func (p *Pane) Until(what string, is func(text string) bool) string {
	p.t.Helper()
	for end := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		text := p.Text()
		if is(text) {
			return text
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s does not happen", what)
		}
	}
}

// Shows waits until the terminal shows all of some texts.
func (p *Pane) Shows(texts ...string) string {
	p.t.Helper()
	return p.Until("showing "+strings.Join(texts, " and "), func(shown string) bool {
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				return false
			}
		}
		return true
	})
}

// IsUsable checks that the shell is back and the terminal is restored: it shows its earlier
// text, has a cursor, echoes and edits lines.
func (p *Pane) IsUsable(before string) {
	p.t.Helper()
	p.Until("giving the screen back", func(shown string) bool {
		return strings.Contains(shown, before) && p.Flag("alternate_on") == "0" && p.Flag("cursor_flag") == "1"
	})
	p.Type("clear; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo -e isig -e opost | sort | tr '\\n' ' '; echo end of modes")
	p.Shows("echo icanon isig opost end of modes")
}
