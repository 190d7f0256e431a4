//go:build unix

package bsplib

import (
	"os"
	"os/signal"
	"syscall"
)

// watchRequests turns SIGUSR1 into requests for a checkpoint. The result
// function stops that.
func watchRequests(request *Request) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			request.Ask()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
