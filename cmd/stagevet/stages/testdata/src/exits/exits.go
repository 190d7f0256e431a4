// Package exits has programs that end the whole Go program in a process.
package exits

import (
	"errors"
	"log"
	"os"
	"runtime"
	"syscall"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct{ N int }

func program(b *bsplib.Proc, s *state) error {
	if b.Pid() == 3 {
		os.Exit(0) // want `os.Exit ends all processes at once, and the run has no result: return an error, or call Abort`
	}
	for range b.Stages(s.N) {
		if s.N < 0 {
			log.Fatalf("%d", s.N) // want `log.Fatalf ends all processes at once`
		}
	}
	defer func() {
		syscall.Exit(1) // want `syscall.Exit ends all processes at once`
	}()
	logger := log.New(os.Stderr, "", 0)
	logger.Fatal("no more") // want `log.Fatal ends all processes at once`
	return helper(s)
}

func helper(s *state) error {
	if s.N == 7 {
		os.Exit(1) // want `os.Exit ends all processes at once`
	}
	if s.N == 8 {
		os.Exit(1) //stagevet:ok the test wants to end here
	}
	if s.N == 9 {
		runtime.GC()
		log.Print("right")
		return errors.New("right")
	}
	return nil
}

func main() {
	if len(os.Args) > 9 {
		os.Exit(2)
	}
	bsplib.Main(program)
}
