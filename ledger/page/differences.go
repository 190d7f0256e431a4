package page

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Verdicts says of two runs which was shorter, and how far they can be compared.
func Verdicts(a, b *ledger.History) string {
	ta, tb := a.Whole(), b.Whole()
	text := fmt.Sprintf("A took %s%s, B %s%s", seconds(ta.Elapsed), clock(a), seconds(tb.Elapsed), clock(b))
	if ta.Elapsed > 0 {
		text += fmt.Sprintf(", %s times as long", plain(roundTo(tb.Elapsed/ta.Elapsed, 3)))
	}
	if odd := differences(a, b); len(odd) > 0 {
		return text + "; they are not comparable as they are: " + strings.Join(odd, "; ") + "."
	}
	return text + "."
}

// differences tell why the runs are not comparable, as far as the record shows.
func differences(a, b *ledger.History) []string {
	var all []string
	differ := func(what, x, y string) {
		if x != y {
			all = append(all, fmt.Sprintf("%s: %s in A, %s in B", what, orNone(x), orNone(y)))
		}
	}
	differ("program", a.Run.Program, b.Run.Program)
	differ("size", sizeOf(a), sizeOf(b))
	differ("processes", strconv.Itoa(a.Run.Procs), strconv.Itoa(b.Run.Procs))
	differ("ranks", strconv.Itoa(len(a.Run.Ranks)), strconv.Itoa(len(b.Run.Ranks)))
	differ("times", timesOf(a), timesOf(b))
	differ("platform", baseOf(a.Run.Platform), baseOf(b.Run.Platform))
	differ("checksum of the result", checksumOf(a), checksumOf(b))
	differ("state", state(a), state(b))
	return all
}

// baseOf is the name of a file without where it is.
func baseOf(name string) string {
	if name == "" {
		return ""
	}
	return filepath.Base(name)
}

func orNone(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}

func sizeOf(h *ledger.History) string {
	if h.Result == nil {
		return ""
	}
	return h.Result.Size
}

func checksumOf(h *ledger.History) string {
	if h.Result == nil {
		return ""
	}
	return h.Result.Checksum
}

func timesOf(h *ledger.History) string {
	return cmp.Or(h.Run.Clock(), "of the machine")
}
