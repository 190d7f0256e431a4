package cli

import "fmt"

// Exit codes of tools.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
	exitSignal = 128 // + the signal's number
)

// Usagef is the error of an invalid command line; it ends the tool with ExitUsage.
func Usagef(format string, args ...any) error {
	return usageError(fmt.Sprintf(format, args...))
}

type usageError string

func (e usageError) Error() string { return string(e) }

// Exit ends the tool with a code, without a message.
type Exit int

// Error is for callers that do not handle an Exit.
func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
