package ledger

import (
	"io"
	"slices"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// NewTable begins a table without frames under a header. Columns are numbers
// and stand to the right, but for those listed in text. Nothing is printed
// before Render.
func NewTable(w io.Writer, header []string, text ...int) *tablewriter.Table {
	align := make(tw.Alignment, len(header))
	for i := range align {
		align[i] = tw.AlignRight
		if slices.Contains(text, i) {
			align[i] = tw.AlignLeft
		}
	}
	t := tablewriter.NewTable(&trimmer{w: w},
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleASCII),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowFooterLine: tw.On},
			},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithFooterAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
		tablewriter.WithPadding(tw.Padding{Left: " ", Right: " ", Overwrite: true}),
	)
	t.Header(header)
	return t
}

// WriteRows prints a whole table: see NewTable.
func WriteRows(w io.Writer, header []string, rows [][]string, text ...int) error {
	t := NewTable(w, header, text...)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	return t.Render()
}
