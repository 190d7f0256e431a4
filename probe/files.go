package probe

import (
	"bufio"
	"io/fs"
	"strconv"
	"strings"
)

// firstLine is that of a file without blanks around it, "" if there is none.
func firstLine(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// field is the value of the first line "key: value" of a file, "" if there is
// none.
func field(root fs.FS, name, key string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// whole is the whole number in a file.
func whole(root fs.FS, name string) (int64, bool) {
	n, err := strconv.ParseInt(firstLine(root, name), 10, 64)
	return n, err == nil
}
