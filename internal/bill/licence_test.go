package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

func textOf(t *testing.T, name string) string {
	t.Helper()
	text, err := texts.ReadFile("texts/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// filled is a licence as somebody has it in a file: with a holder, and other spelling.
func filled(t *testing.T, name string) string {
	t.Helper()
	text := strings.ReplaceAll(textOf(t, name), "*", "the Makers, Ltd.")
	return "Copyright (c) 2020-2026, Some One\nAll rights reserved.\n\n" + strings.ReplaceAll(text, "HOLDER|OWNER", "OWNER")
}

func TestLicencesAreRecognised(t *testing.T) {
	known, err := forms(testrun.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	apache, err := os.ReadFile(filepath.Join(testrun.Root(t), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	terms, _, _ := strings.Cut(string(apache), "   APPENDIX")
	for _, c := range []struct{ text, want string }{
		{filled(t, "MIT"), "MIT"},
		{"# The MIT License (MIT)\n\n" + strings.ReplaceAll(filled(t, "MIT"), `"`, "``"), "MIT"},
		{strings.ReplaceAll(filled(t, "ISC"), "\n", "\r\n"), "ISC"},
		{filled(t, "BSD-2-Clause"), "BSD-2-Clause"},
		{"BSD 3-Clause License\n" + strings.ReplaceAll(filled(t, "BSD-3-Clause"), "\nRedist", "\n  * Redist"), "BSD-3-Clause"},
		{strings.Join(strings.Fields(textOf(t, "BSD-2-Clause")), "\n"), ""}, // "holder|owner" is nobody's text
		{string(apache), "Apache-2.0"},
		{terms, "Apache-2.0"},
		{filled(t, "MIT") + "\n-----\n\n" + filled(t, "BSD-2-Clause"), "BSD-2-Clause AND MIT"},
		{filled(t, "LicenseRef-gompi"), "LicenseRef-gompi"},

		{"", ""},
		{"Copyright 2020 Some One. All rights reserved.\n", ""},
		{"MIT License\n", ""},
		{"GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n", ""},
		{filled(t, "MIT") + "\nIt may not be used for weather forecasts.\n", ""},
		{strings.TrimSpace(filled(t, "MIT")) + " Nor for weather forecasts.\n", ""},
		{"For students only.\n" + filled(t, "BSD-3-Clause"), ""},
		{strings.Replace(filled(t, "MIT"), "free of charge", "for a fee", 1), ""},
		{strings.Replace(filled(t, "BSD-3-Clause"), "with or without\nmodification", "without modification", 1), ""},
		{strings.Replace(string(apache), "perpetual,", "", 1), ""},
		{filled(t, "MIT") + "только для студентов\n", ""},
	} {
		got, err := recognise(c.text, known)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q, %v, want %q of:\n%s", got, err, c.want, c.text)
		}
	}
}

func TestWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		module, licence string
		ok              bool
	}{
		{"example.org/m", "MIT", true},
		{"example.org/m", "Apache-2.0 AND MIT", true},
		{"example.org/m", "GPL-3.0-only", false},
		{"example.org/m", "GPL-3.0-only AND MIT", false},
		{"example.org/m", "LicenseRef-gompi", false},
		{"example.org/m", "", false},
		{"github.com/sbromberger/gompi", "LicenseRef-gompi", true},
	} {
		if err := check(c.module, c.licence); (err == nil) != c.ok {
			t.Errorf("%s under %q: %v", c.module, c.licence, err)
		}
	}
}
