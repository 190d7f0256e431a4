// Package sealed writes and reads JSON files that begin with their schema and a digest of their
// text, so that a reader detects any change, and files of another version.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// A Format is a kind of files.
type Format struct {
	Schema string // name/version
	Kind   string // of the files, for errors: "the manifest of a checkpoint"
	Older  string // remedy for files of an older version
}

// digestDigits is the length of the SHA-256 of a text with zeros in the digest's position.
const digestDigits = 2 * sha256.Size

// head returns the text in front of the digest.
func (f Format) head() string { return "{\n \"schema\": \"" + f.Schema + "\",\n \"digest\": \"" }

// Seal returns the text of a file with the fields of a JSON object that has at least one.
func (f Format) Seal(object []byte) []byte {
	text := []byte(f.head() + strings.Repeat("0", digestDigits) + "\",")
	text = append(append(text, object[1:]...), '\n')
	return f.Stamp(text)
}

// Stamp replaces the digest of a text by the correct one. It changes the text in place.
func (f Format) Stamp(text []byte) []byte {
	if head := f.head(); bytes.HasPrefix(text, []byte(head)) && len(text) >= len(head)+digestDigits {
		copy(text[len(head):], f.digestOf(text))
	}
	return text
}

// digestOf returns the digest of a text that is long enough to have one.
func (f Format) digestOf(text []byte) string {
	h, head := sha256.New(), len(f.head())
	h.Write(text[:head])
	h.Write(bytes.Repeat([]byte{'0'}, digestDigits))
	h.Write(text[head+digestDigits:])
	return hex.EncodeToString(h.Sum(nil))
}

// Intact returns an error unless the text is exactly as it was written.
func (f Format) Intact(text []byte) error {
	rest, ok := bytes.CutPrefix(text, []byte(f.head()))
	if !ok || len(rest) < digestDigits {
		return errors.New("damaged: it does not begin with its schema and digest")
	}
	if is, want := f.digestOf(text), string(rest[:digestDigits]); is != want {
		return fmt.Errorf("damaged: its digest is %.16s..., expected %.16q...", is, want)
	}
	return nil
}

// Open reads the text of a file into x and calls check, which returns an error if a value of x
// would mislead or crash a reader. name stands for the file in errors.
//
// Errors: name:line:column, the input and the expected input. Another schema has an error of its
// own. Every byte of an accepted text is as it was written, or the text was forged with a correct
// digest.
func (f Format) Open(name string, text []byte, x any, check func() error) error {
	var head struct {
		Schema string `json:"schema"`
	}
	for _, next := range []func() error{
		func() error { return untrusted.CheckJSON(text) },
		func() error { return json.Unmarshal(text, &head) },
		func() error { return f.matches(head.Schema) },
		func() error { return f.Intact(text) },
		func() error { return json.Unmarshal(text, x) },
		check,
	} {
		if err := next(); err != nil {
			return f.placed(name, text, err)
		}
	}
	return nil
}

// matches returns an error for a schema of another version.
func (f Format) matches(found string) error {
	if found == f.Schema {
		return nil
	}
	name, version, _ := strings.Cut(found, "/")
	known, own, _ := strings.Cut(f.Schema, "/")
	got, err := strconv.Atoi(version)
	switch want, _ := strconv.Atoi(own); {
	case name != known || err != nil:
	case got > want:
		return fmt.Errorf("schema %s of a newer migbsp, expected %s", found, f.Schema)
	case got > 0:
		return fmt.Errorf("schema %s of an older migbsp, expected %s%s", found, f.Schema, f.Older)
	}
	return fmt.Errorf("schema %q, expected %q", found, f.Schema)
}

// longest bounds an error: a value of a forged file may have any length.
const longest = 400

// placed puts the position of an error in the text in front of it.
func (f Format) placed(name string, text []byte, err error) error {
	at := int64(0)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, err = syntax.Offset, fmt.Errorf("%w, expected %s", err, f.Kind)
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at, err = kind.Offset, fmt.Errorf("%s is a %s, expected a %s", kind.Field, kind.Value, kind.Type)
	}
	if message := err.Error(); len(message) > longest {
		err = errors.New(message[:longest] + "...")
	}
	before := text[:max(0, min(int64(len(text)), at-1))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
}
