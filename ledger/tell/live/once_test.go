package live

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// A snapshot is of what there is; what there is not is told.
func TestOnce(t *testing.T) {
	record := growing.Record()
	for _, c := range []struct {
		name string
		text []byte
		want string
		err  string
	}{
		{"whole", record, "ended with code 0", ""},
		{"still written", record[:strings.LastIndexByte(string(record[:len(record)-1]), '\n')+1], "running", ""},
		{"cut off", record[:len(record)-20], "its last line is not whole", "the record ends within a line"},
		{"cut off in the head", record[:30], "", "the record ends within its first line"},
		{"empty", nil, "", "the file is empty"},
		{"foreign", []byte("GIF89a"), "", "is not the head of a record"},
	} {
		name := filepath.Join(t.TempDir(), "x")
		write(t, name, c.text)
		lines, err := Once(context.Background(), Options{Path: name, Table: "sets", Unicode: true}, 100)
		all := strings.Join(lines, "\n")
		switch {
		case (err != nil) != (c.err != ""), err != nil && !strings.Contains(err.Error(), c.err), err != nil && !strings.HasPrefix(err.Error(), name):
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		case !strings.Contains(all, c.want), c.want == "" && all != "":
			t.Errorf("%s: %q is not in\n%s", c.name, c.want, all)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "no"), t.TempDir()} {
		if lines, err := Once(context.Background(), Options{Path: path}, 80); err == nil || lines != nil {
			t.Errorf("%s is not there, but shown as %q", path, lines)
		}
	}
}

func TestUnicode(t *testing.T) {
	for _, c := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", false}, {"", "", "en_US.UTF-8", true}, {"C", "", "en_US.UTF-8", false}, {"", "C.utf8", "C", true}, {"C.UTF-8", "C", "C", true}, {"", "POSIX", "C.UTF-8", false},
	} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_CTYPE", c.ctype)
		t.Setenv("LANG", c.lang)
		if got := Unicode(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
