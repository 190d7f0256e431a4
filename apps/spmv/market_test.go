package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/lines"
)

const head = "%%MatrixMarket matrix coordinate real general\n"

func (m *market) parse(text string) error {
	if err := lines.Read(strings.NewReader(text), "m", m.take); err != nil {
		return err
	}
	return m.end("m")
}

func parsed(text string) (string, error) {
	var all []string
	m := market{bytes: int64(len(text)), each: func(i, j int, a float64) {
		all = append(all, fmt.Sprintf("(%d,%d)=%g", i, j, a))
	}}
	err := m.parse(text)
	return fmt.Sprintf("%d: %s", m.head.order, strings.Join(all, " ")), err
}

func TestMatrixMarket(t *testing.T) {
	for text, want := range map[string]string{
		head + "2 2 2\n1 2 -1.5\n2 2 3e2\n":                                                 "2: (0,1)=-1.5 (1,1)=300",
		"%%matrixmarket MATRIX Coordinate Pattern Symmetric\n% c\n\n3 3 2\n3 1\n%\n2 2\n\n": "3: (2,0)=1 (0,2)=1 (1,1)=1",
		"%%MatrixMarket matrix coordinate integer general\r\n1\t1  1\r\n 1 1 7 \r\n":        "1: (0,0)=7",
		head + "5 5 0\n": "5: ",
	} {
		if got, err := parsed(text); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":        "m:1:1: the file ends; expected %%MatrixMarket",
		"1 1 1\n": `m:1:1: read "1"; expected %%MatrixMarket`,
		"%%MatrixMarket matrix array real general\n":             `m:1:23: read "array"; expected coordinate`,
		"%%MatrixMarket matrix coordinate complex general\n":     `m:1:34: read "complex"; expected real, integer, pattern`,
		"%%MatrixMarket matrix coordinate real skew-symmetric\n": `m:1:39: read "skew-symmetric"; expected general, symmetric`,
		"%%MatrixMarket matrix coordinate real\n":                "m:1:38: the line ends; expected general, symmetric",
		"%%MatrixMarket matrix coordinate real general x\n":      `m:1:47: read "x"; expected the end of the line`,
		head:                           "m:2:1: the file ends; expected a line with rows, columns and entries",
		head + "0 0 0\n":               `m:2:1: read "0"; expected a number of rows from 1 to 2147483647`,
		head + "3 4 1\n":               `m:2:3: read "4"; expected 3 columns, as many as rows`,
		head + "3 3\n":                 "m:2:4: the line ends; expected a number of entries from 0 to 9",
		head + "3 3 10\n":              `m:2:5: read "10"; expected a number of entries from 0 to 9`,
		head + "99999 99999 999999\n":  `m:2:13: read "999999"; expected at most 11 entries, for which a file of 65 bytes has room`,
		head + "3 3 2\n1 1 1\n":        "m:4:1: the file ends; expected 1 more entries",
		head + "3 3 1\n1 1 1\n2 2 2\n": `m:4:1: read "2"; expected the end of the file after 1 entries`,
		head + "3 3 1\n0 1 1\n":        `m:3:1: read "0"; expected a row from 1 to 3`,
		head + "3 3 1\n1 4 1\n":        `m:3:3: read "4"; expected a column from 1 to 3`,
		head + "3 3 1\n1 3\n":          "m:3:4: the line ends; expected a number",
		head + "3 3 1\n1 3 1,5\n":      `m:3:5: read "1,5"; expected a number`,
		head + "3 3 1\n1 3 1 1\n":      `m:3:7: read "1"; expected the end of the line`,
		"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 3 1\n": `m:3:5: read "1"; expected the end of the line`,
		"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 3\n": `m:3:3: read "3"; expected a column of the lower triangle, from 1 to 1`,
	} {
		if got, err := parsed(text); err == nil || err.Error() != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

func FuzzMatrixMarket(f *testing.F) {
	f.Add(head + "2 2 2\n1 2 -1.5\n2 2 3e2\n")
	f.Add("%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 2\n3 1\n2 2\n")
	f.Add(head + "3 3 1\n1 1 1\n2 2 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		most := 0
		m := market{bytes: int64(len(text)), each: func(i, j int, a float64) {
			if i < 0 || j < 0 || a != a {
				t.Errorf("element (%d, %d) is %g", i, j, a)
			}
			most = max(most, i+1, j+1)
		}}
		err := m.parse(text)
		if err == nil && (m.head.order < 1 || most > m.head.order) {
			t.Errorf("%d of %d rows", most, m.head.order)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "m:") || !strings.Contains(err.Error(), "expected")) {
			t.Errorf("%v", err)
		}
	})
}
