package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// browser is a headless browser that is spoken to by the DevTools protocol over
// pipes.
type browser struct {
	t       testing.TB
	out     *os.File
	in      *bufio.Reader
	session string
	last    int
	events  []event // that came in so far
}

type event struct {
	Method string
	Params json.RawMessage
}

// startBrowser starts a browser with one page. Without a browser the test is
// skipped, unless the environment requires one.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv("MIGBSP_TEST_BROWSER") == "required" {
			t.Fatal("MIGBSP_TEST_BROWSER=required, but there is no chromium, chromium-browser or google-chrome on PATH")
		}
		t.Skip("SKIPPED: no chromium, chromium-browser or google-chrome on PATH")
	}
	theirIn, out := pipe(t)
	in, theirOut := pipe(t)
	command := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
		"--force-color-profile=srgb", "--user-data-dir="+t.TempDir())
	command.ExtraFiles = []*os.File{theirIn, theirOut}
	must.Do(t, command.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, out: out, in: bufio.NewReader(in)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		command.Wait()
		out.Close()
		in.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func pipe(t testing.TB) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// call asks for something and waits for the answer, which goes into result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": params})
	if b.session != "" {
		text, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": params, "sessionId": b.session})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		id, answer, failure := b.read()
		if id != b.last {
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

// read takes in one message: an answer, or an event, which is kept.
func (b *browser) read() (id int, answer, failure json.RawMessage) {
	b.t.Helper()
	text, err := b.in.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	var message struct {
		event
		ID            int
		Result, Error json.RawMessage
	}
	must.Do(b.t, json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &message))
	if message.ID == 0 {
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
