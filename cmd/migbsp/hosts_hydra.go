package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
)

// writeHydra writes a file in the form of hydra. It has all that Open MPI's has
// but limits on slots, of which hydra knows nothing. Hosts without slots and
// addresses of IPv6 cannot be written.
func writeHydra(w io.Writer, f *hostfile.File) error {
	for _, h := range f.Hosts {
		switch {
		case h.Slots == 0:
			return fmt.Errorf("host %s has no slots, which hydra cannot say: leave it out", h.Name)
		case strings.Contains(h.Name, ":"):
			return fmt.Errorf("host %s: hydra takes what follows the first colon for a count; use a name", h.Name)
		}
	}
	var canonical, text bytes.Buffer
	if _, err := f.WriteTo(&canonical); err != nil {
		return err
	}
	next := 0
	for line := range strings.Lines(canonical.String()) {
		if strings.HasPrefix(line, "#@") {
			text.WriteString(line)
			continue
		}
		h := f.Hosts[next]
		next++
		text.WriteString(h.Name + ":" + strconv.Itoa(h.Slots))
		if h.User != "" {
			text.WriteString(" user=" + h.User)
		}
		text.WriteByte('\n')
	}
	_, err := w.Write(text.Bytes())
	return err
}
