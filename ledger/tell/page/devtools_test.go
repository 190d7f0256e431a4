package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// browser is a tab of the headless browser that all tests of the package share. It is spoken to by
// the DevTools protocol over pipes.
type browser struct {
	t       testing.TB
	context string // has the tab, separate from other tests
	session string
	events  []event // that came in so far
}

// pipes lead to the browser's process. They are nil until a test has needed it.
var pipes struct {
	out  *os.File
	in   *bufio.Reader
	last int // request
}

type event struct {
	Method string
	Params json.RawMessage
}

func TestMain(m *testing.M) {
	code := m.Run()
	if pipes.out != nil {
		pipes.out.Close() // the browser ends
		io.Copy(io.Discard, pipes.in)
		os.RemoveAll(profile())
	}
	os.Exit(code)
}

// profile returns the directory of the browser's files.
func profile() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("migbsp-browser-%d", os.Getpid()))
}

// startBrowser opens a tab, and the browser if this is the first. Without a browser the test is
// skipped, unless the environment requires one.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	b := &browser{t: t}
	if pipes.out == nil {
		b.launch()
	}
	var context struct{ BrowserContextID string }
	b.call("Target.createBrowserContext", nil, &context)
	b.context = context.BrowserContextID
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": b.context}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	t.Cleanup(func() {
		b.session = ""
		b.call("Target.disposeBrowserContext", map[string]any{"browserContextId": b.context}, nil)
	})
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// launch starts the browser.
func (b *browser) launch() {
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv("MIGBSP_TEST_BROWSER") == "required" {
			b.t.Fatal("MIGBSP_TEST_BROWSER=required, but there is no chromium, chromium-browser or google-chrome on PATH")
		}
		b.t.Skip("SKIPPED: no chromium, chromium-browser or google-chrome on PATH")
	}
	theirIn, out := pipe(b.t)
	in, theirOut := pipe(b.t)
	command := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
		"--force-color-profile=srgb", "--user-data-dir="+profile())
	command.ExtraFiles = []*os.File{theirIn, theirOut}
	must.Do(b.t, command.Start())
	theirIn.Close()
	theirOut.Close()
	pipes.out, pipes.in = out, bufio.NewReader(in)
}

func pipe(t testing.TB) (r, w *os.File) {
	r, w, err := os.Pipe()
	must.Do(t, err)
	return r, w
}

// call asks for something and waits for the answer, which goes into result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	pipes.last++
	request := map[string]any{"id": pipes.last, "method": method, "params": params}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text := must.Get(json.Marshal(request))(b.t)
	if _, err := pipes.out.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		id, answer, failure := b.read()
		if id != pipes.last {
			continue
		}
		if failure != nil {
			b.t.Fatalf("%s: %s", method, failure)
		}
		if result != nil {
			if err := json.Unmarshal(answer, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// read reads one message: an answer, or an event, which is kept if it is not of another tab.
func (b *browser) read() (id int, answer, failure json.RawMessage) {
	b.t.Helper()
	text, err := pipes.in.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	var message struct {
		event
		ID            int
		SessionID     string
		Result, Error json.RawMessage
	}
	must.Do(b.t, json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &message))
	if message.ID == 0 && (message.SessionID == "" || message.SessionID == b.session) {
		b.events = append(b.events, message.event)
	}
	return message.ID, message.Result, message.Error
}

// await reads until an event has come.
func (b *browser) await(method string) {
	b.t.Helper()
	for seen := 0; ; {
		for ; seen < len(b.events); seen++ {
			if b.events[seen].Method == method {
				return
			}
		}
		b.read()
	}
}

// eval runs a script in the page; its value goes into result.
func (b *browser) eval(script string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, answer.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			b.t.Fatalf("%s: %v: %s", script, err, answer.Result.Value)
		}
	}
}

// key presses a key.
func (b *browser) key(name string, code int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text}, nil)
	}
}

// look sets the width of the window and the colours that the reader prefers.
func (b *browser) look(width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// open loads a file.
func (b *browser) open(file string) {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	b.await("Page.loadEventFired")
}

// opened returns a tab with a page.
func opened(t testing.TB, text string) *browser {
	t.Helper()
	b := startBrowser(t)
	b.open(stored(t, text))
	return b
}
