package live

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// TestMain makes the test program a view that panics, where a test runs it so.
func TestMain(m *testing.M) {
	if path := os.Getenv("MIGBSP_TEST_PANIC"); path != "" {
		var none context.Context // with which Watch panics, but not before it has the terminal
		err := Watch(none, os.Stdin, os.Stdout, Options{Path: path, Interval: time.Second})
		fmt.Println("it did not panic:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A view that panics leaves the terminal as it was.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := livetest.NewPane(t, 200, 50)
	p.Type("echo it was'' here")
	p.Shows("it was here")
	p.Type("MIGBSP_TEST_PANIC=. " + self + "; echo code $?")
	p.Shows("it was here", "panic: runtime error", "code 2")
	p.IsUsable("code 2")
}
