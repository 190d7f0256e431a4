package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a manifest; name stands for it in errors.
//
// Errors: name:line:column, what was read and what was expected. A manifest of
// a newer schema is told as such. What Parse accepts names every process once,
// in files within the checkpoint.
func Parse(name string, text []byte) (*Manifest, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(text, &head)
	if err == nil {
		err = knows(head.Schema)
	}
	m := new(Manifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, placed(name, text, err)
	}
	return m, nil
}

// knows refuses what was written by another version.
func knows(schema string) error {
	if schema == Schema {
		return nil
	}
	name, version, _ := strings.Cut(schema, "/")
	known, own, _ := strings.Cut(Schema, "/")
	got, err := strconv.Atoi(version)
	if want, _ := strconv.Atoi(own); name == known && err == nil && got > want {
		return fmt.Errorf("schema %s of a newer migbsp, expected %s", schema, Schema)
	}
	return fmt.Errorf("schema %q, expected %q", schema, Schema)
}

// placed puts before an error the place in the text that it speaks of.
func placed(name string, text []byte, err error) error {
	at := int64(0)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, err = syntax.Offset, fmt.Errorf("%w, expected the manifest of a checkpoint", err)
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at, err = kind.Offset, fmt.Errorf("%s is a %s, expected a %s", kind.Field, kind.Value, kind.Type)
	}
	before := text[:max(0, min(int64(len(text)), at-1))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
}
