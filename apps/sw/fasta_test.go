package main

import (
	"strings"
	"testing"
)

func TestFasta(t *testing.T) {
	s := proteinScoring()
	for _, c := range []struct{ text, want string }{
		{">a b\nARN\nd c\n\n>second\r\nQ\r\n", "a b:ARNDC second:Q"},
		{">no end\nW", "no end:W"},
		{"\n\n>\nA\n", ":A"},
		{"", "x.fa: there is no sequence in it; expected a line that begins with > and a name"},
		{" \n\n", "x.fa: there is no sequence in it; expected a line that begins with > and a name"},
		{"\nARN\n>a\nA\n", "x.fa:2: expected a line that begins with > and a name"},
		{">a\n>b\nA\n", `x.fa:1: sequence "a" has no letters`},
		{">a\nA\n\n>b\n", `x.fa:4: sequence "b" has no letters`},
		{">a\nAR\nA-R\n", "x.fa:3:2: '-' is not one of the letters ARNDCQEGHILKMFPSTWYVBZX*UOJ"},
		{">a\nARuOj\n", "a:ARXXX"},
		{">a\nAR\x00\n", `x.fa:2:3: '\x00' is not one of the letters`},
		{">a\nAR>b\n", "x.fa:2:3: '>' is not one of the letters"},
	} {
		all, err := parseFasta("x.fa", []byte(c.text), s)
		var got []string
		for _, x := range all {
			got = append(got, x.name+":"+s.text(x.codes))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, c.want) || err == nil && text != c.want {
			t.Errorf("%q: %s, want %s", c.text, text, c.want)
		}
	}
}

// What is read can be written and read again; what cannot be read is named with its file.
func FuzzFasta(f *testing.F) {
	f.Add(">a b\nARN\nd c\n\n>second\r\nQ\r\n")
	f.Add(">a\n>b\nA\n")
	f.Add("ARN")
	f.Add(">\n*")
	s := proteinScoring()
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseFasta("x.fa", []byte(text), s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.fa:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		var again strings.Builder
		for _, x := range all {
			again.WriteString(">" + x.name + "\n" + s.text(x.codes) + "\n")
		}
		same, err := parseFasta("y.fa", []byte(again.String()), s)
		if err != nil || len(same) != len(all) {
			t.Fatalf("%q: %v", again.String(), err)
		}
		for i, x := range all {
			if same[i].name != x.name || string(same[i].codes) != string(x.codes) || len(x.codes) == 0 {
				t.Errorf("%q has become %q", text, again.String())
			}
		}
	})
}

// text is a sequence in letters.
func (s *scoring) text(codes []byte) string {
	text := make([]byte, len(codes))
	for i, c := range codes {
		text[i] = s.letters[c]
	}
	return string(text)
}
