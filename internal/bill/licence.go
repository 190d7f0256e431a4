package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// allowed are the licences of what may be linked into programs, by the names that SPDX
// has for them. Each of them lets anybody pass programs on under terms of their own as
// long as its text goes with them.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// exceptions are licences that are allowed for one module only.
var exceptions = map[string]string{
	"LicenseRef-gompi": "github.com/sbromberger/gompi", // see NOTICE
}

// remarks are lines that stand in licence files between a title, a copyright and a
// licence. A person has read each and found that it takes and demands nothing.
var remarks = []string{
	"gopsutil is distributed under BSD license reproduced below.",
	"internal/common/binary.go in the gopsutil is copied and modified from golang/encoding/binary.go.",
	"go-toml v2",
}

// harmless are lines of which there is no need to ask what they mean.
var harmless = regexp.MustCompile(`(?i)^[-=*# ]*((portions )?copyright\b.*|all rights reserved\.?|(the )?((mit|isc|expat|bsd|apache)\b|[23]-clause|licen[cs]e|version 2\.0|january 2004|http://www\.apache\.org/licenses/|[(),"' -])*)$`)

//go:embed texts/*.txt
var texts embed.FS

// form is the text of a licence as words. A word "*" stands for one to ten words, and
// "a|b" for either.
type form struct {
	id    string // "" if it may stand in a file and grants nothing by itself
	words []string
}

// forms are all licences that can be recognised: those in texts and, as its text is in
// the root directory in any case, Apache's.
func forms(root string) (all []form, err error) {
	files, err := texts.ReadDir("texts")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := texts.ReadFile("texts/" + f.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, form{strings.TrimSuffix(f.Name(), ".txt"), wordsOf(string(text), pattern)})
	}
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	terms, appendix, ok1 := strings.Cut(string(text), "END OF TERMS AND CONDITIONS\n")
	_, terms, ok2 := strings.Cut(terms, "TERMS AND CONDITIONS FOR USE")
	how, notice, ok3 := strings.Cut(appendix, "Copyright [yyyy]")
	_, notice, ok4 := strings.Cut(notice, "\n")
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, errors.New("LICENSE is not the text of the Apache License 2.0")
	}
	return append(all, form{"Apache-2.0", wordsOf("TERMS AND CONDITIONS FOR USE"+terms+"END OF TERMS AND CONDITIONS", word)},
		form{"", wordsOf(how, word)}, form{"", wordsOf(notice, word)}), nil
}

var (
	word    = regexp.MustCompile(`[\pL\pN]+`)
	pattern = regexp.MustCompile(`[a-z0-9|]+|\*`)
)

// bullet is what stands before the items of a list.
var bullet = regexp.MustCompile(`^\s*([*-]|\(?[0-9a-z][.)])\s`)

// wordsOf are the words of a text in small letters, without the marks of lists.
func wordsOf(text string, kind *regexp.Regexp) (all []string) {
	for line := range strings.Lines(text) {
		all = append(all, kind.FindAllString(strings.ToLower(bullet.ReplaceAllString(line, " ")), -1)...)
	}
	return all
}

// recognise names the licences of a text, joined by AND. A text that says anything besides
// a title, copyrights, remarks and these licences is not recognised: it might take back
// what they give.
func recognise(text string, all []form) (id string, err error) {
	var words []string
	var lineOf []int
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, w := range wordsOf(line, word) {
			words, lineOf = append(words, w), append(lineOf, i)
		}
	}
	said, more := make(map[int]bool), make(map[int]bool) // lines with words of a licence, and with others
	var ids []string
	for at := 0; at < len(words); {
		n := 0
		for _, f := range all {
			if n = f.matches(words[at:]); n > 0 {
				if f.id != "" && !slices.Contains(ids, f.id) {
					ids = append(ids, f.id)
				}
				for _, i := range lineOf[at : at+n] {
					said[i] = true
				}
				break
			}
		}
		if n == 0 {
			more[lineOf[at]] = true
		}
		at += max(n, 1)
	}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if said[i] && !more[i] {
			continue
		}
		if said[i] || !harmless.MatchString(line) && !slices.Contains(remarks, line) {
			return "", fmt.Errorf("line %d is of no licence that is known: %q", i+1, line)
		}
	}
	if len(ids) == 0 {
		return "", errors.New("there is no licence in it")
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND "), nil
}

// matches is how many words a form takes from the beginning of a text, 0 if they differ.
func (f form) matches(words []string) int {
	var from func(pattern []string, at int) int
	from = func(pattern []string, at int) int {
		for i, p := range pattern {
			if p == "*" {
				for n := 1; n <= 10; n++ {
					if end := from(pattern[i+1:], at+n); end > 0 {
						return end
					}
				}
				return 0
			}
			if at >= len(words) || !slices.Contains(strings.Split(p, "|"), words[at]) {
				return 0
			}
			at++
		}
		return at
	}
	return from(f.words, 0)
}

// check says why a module under these licences may not be linked, nil if it may.
func check(module, licence string) error {
	for id := range strings.SplitSeq(licence, " AND ") {
		if !slices.Contains(allowed, id) && exceptions[id] != module {
			return fmt.Errorf("%s is under %s, which is not allowed (%s are)", module, id, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// legal are the files of a module that go with its programs, the licence first.
func legal(dir string) (licence string, more []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
		switch {
		case e.IsDir():
		case slices.Contains([]string{"LICENSE", "LICENCE", "COPYING"}, name) && licence == "":
			licence = e.Name()
		case strings.HasPrefix(name, "LICEN") || slices.Contains([]string{"COPYING", "COPYRIGHT", "NOTICE", "PATENTS", "AUTHORS"}, name):
			more = append(more, e.Name())
		}
	}
	if licence == "" {
		return "", nil, fmt.Errorf("there is no LICENSE in %s", dir)
	}
	return licence, more, nil
}
