//go:build unix

package app

import (
	"os"
	"os/signal"
	"syscall"
)

// watchRequests calls request at each SIGUSR1, which asks for a checkpoint. The
// result function stops watching.
func watchRequests(request func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			request()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
