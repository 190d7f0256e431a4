package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A run whose record does not grow is given up, ended, and said to hang, with where it is.
func TestRunThatHangs(t *testing.T) {
	for _, wait := range []func(w *watched) error{
		func(w *watched) error { return w.finish(context.Background()) },
		func(w *watched) error { _, err := w.await(context.Background(), 7); return err },
	} {
		ctx, stop := context.WithCancel(context.Background())
		launcher := exec.CommandContext(ctx, "sh", "-c", "echo hello; exec sleep 86400")
		w, err := start(launcher, t.TempDir(), 100*time.Millisecond, stop)
		if err != nil {
			t.Fatal(err)
		}
		err = w.failed(wait(w))
		if !errors.Is(err, errStill) || !strings.Contains(err.Error(), "ends at superstep 0 and has not grown for 100ms (-patience) after ") || launcher.ProcessState == nil {
			t.Errorf("%v", err)
		}
		w.end()
	}
}

// A run that ends has not hung, whatever its record says.
func TestRunThatEnds(t *testing.T) {
	for code, want := range map[string]string{"0": "", "3": "exit status 3"} {
		w := must.Get(start(exec.Command("sh", "-c", "exit "+code), t.TempDir(), time.Hour, func() {}))(t)
		if err := w.finish(context.Background()); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("exit %s: %v", code, err)
		}
		if _, err := w.await(context.Background(), 1); !errors.Is(err, errOver) {
			t.Errorf("exit %s: %v", code, err)
		}
		w.end()
	}
}
