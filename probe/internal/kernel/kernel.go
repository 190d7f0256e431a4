// Package kernel reads the Linux kernel's files: lines, numbers and counters of /proc and
// /sys, lists of cores, and the control groups of this process.
//
// All functions take the root of a file system, so that tests describe machines as a few
// files. A file that is missing or malformed gives the zero value: on other systems, and in
// containers that hide a file, callers use Go's own figures.
package kernel

import (
	"bufio"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Root returns the files of this machine.
func Root() fs.FS { return os.DirFS("/") }

// FirstLine returns the first line of a file without blanks around it.
func FirstLine(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// Number returns the whole number in the first line of a file.
func Number(root fs.FS, name string) (n int64, ok bool) {
	n, err := strconv.ParseInt(FirstLine(root, name), 10, 64)
	return n, err == nil
}

// Field returns the value of the first line "key: value" of a file.
func Field(root fs.FS, name, key string) string {
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

// Counters returns the lines "key number" of a file whose number is not negative.
func Counters(root fs.FS, name string) map[string]int64 {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return nil
	}
	all := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		key, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			all[key] = n
		}
	}
	return all
}

// AllowedCores returns the kernel's list of the cores that this process may run
// on, such as 0-3,8; see Numbers.
func AllowedCores(root fs.FS) string { return Field(root, "proc/self/status", "Cpus_allowed_list") }

// maxCores bounds the numbers in a list of cores: it is far beyond any machine, and a list
// of that length still takes little memory.
const maxCores = 1 << 20

// Numbers returns the ascending numbers of a list such as 0-3,8, and none if it is
// no such list.
func Numbers(list string) []int {
	var all []int
	for span := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(span), "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		ascends := len(all) == 0 || from > all[len(all)-1]
		if err != nil || err2 != nil || from < 0 || !ascends || to < from || to >= maxCores {
			return nil
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all
}
