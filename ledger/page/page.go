package page

import (
	"bytes"
	"io"

	"github.com/migbsp/migbsp/ledger"
)

// Write makes the page of a run.
func Write(w io.Writer, h *ledger.History) error {
	return execute(w, "report.html", newReport(h))
}

// WriteComparison makes the page of two runs side by side.
func WriteComparison(w io.Writer, a, b *ledger.History) error {
	return execute(w, "compare.html", newComparison(a, b))
}

// execute writes nothing if the template fails.
func execute(w io.Writer, name string, model any) error {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name, model); err != nil {
		return err
	}
	_, err := w.Write(clean(text.Bytes()))
	return err
}
