//go:build unix

package app

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreground reports whether this program, or the job that it is part of, has the terminal.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// abortOnCrash makes a crash of Go's runtime end the program with SIGABRT, and so with code 134
// instead of 2, the code of an invalid command line. The runtime then prints the stacks of all
// goroutines. It has no effect if the user has set GOTRACEBACK. No core is written: the user has not
// asked for a file as large as the program.
func abortOnCrash() {
	if os.Getenv("GOTRACEBACK") != "" {
		return
	}
	debug.SetTraceback("crash")
	var core syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		syscall.Setrlimit(syscall.RLIMIT_CORE, &core)
	}
}

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
