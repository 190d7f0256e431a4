//go:build unix

package main

import (
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
)

// A file of hosts without an end is not read to its end.
func TestEndlessHosts(t *testing.T) {
	const want = "/dev/zero:1:1: a file of more than 16 MiB, expected a host file"
	refuses(t, "hosts", []refusal{{"/dev/zero", cli.ExitFailed, want}})
	refuses(t, "run", []refusal{{"-np 1 -on /dev/zero true", cli.ExitUsage, want}})
}
