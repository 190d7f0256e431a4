package programs

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// reference is a program that does the same on one core.
type reference struct {
	name   string
	source string         // a program of bench/c's Makefile, or a package of this module
	args   string         // command line; @ is the directory with the input
	needs  string         // Debian's package of the library it needs, if any
	with   string         // the library as the reference names it, once it has run
	same   *regexp.Regexp // finds in the output of both the result that must be equal; nil if it checks itself
}

var (
	scoreOf      = regexp.MustCompile(`(?m)^(?:score|check +score of the alignment's pieces =) +([0-9.e+]+)`)
	speedOfSound = regexp.MustCompile(`(?m)^(?:speed|check +largest speed, of that of sound =) +([0-9.e+-]+)`)
	checksumOf   = regexp.MustCompile(`(?m)^checksum +([0-9a-f]+)`)
)

// inC reports whether the reference is of bench/c.
func (r *reference) inC() bool { return !strings.HasPrefix(r.source, "./") }

// path returns the path of the built reference.
func (r *reference) path(dir string) string {
	if r.inC() {
		return filepath.Join(dir, r.source)
	}
	return filepath.Join(dir, filepath.Base(r.source))
}

// errMissing is the reason for which a reference cannot be built here, with the missing part.
type errMissing string

func (e errMissing) Error() string { return string(e) }

// build makes the reference in a directory.
//
// Errors: errMissing if it needs a compiler or a library that this machine has not.
func (r *reference) build(ctx context.Context, root, dir string) error {
	if !r.inC() {
		_, err := frame.Output(ctx, root, "go", "build", "-o", dir+"/", r.source)
		return err
	}
	for _, tool := range []string{"make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return errMissing("no " + tool)
		}
	}
	_, err := frame.Output(ctx, root, "make", "-s", "-C", "bench/c", "OUT="+dir, r.path(dir))
	if err != nil && r.needs != "" && ctx.Err() == nil {
		return errMissing("no " + r.needs)
	}
	return err
}

// withLine matches a reference's line that names the library it runs with.
var withLine = regexp.MustCompile(`(?m)^with (.+)$`)

// run runs the reference once. Its result must agree with our program's.
func (r *reference) run(ctx context.Context, dir, ours string) (speed, error) {
	out, err := frame.Output(ctx, dir, r.path(dir), inputIn(dir, r.args)...)
	if err != nil {
		return speed{}, err
	}
	if r.same != nil {
		got, want := r.same.FindStringSubmatch(out), r.same.FindStringSubmatch(ours)
		if got == nil || want == nil || got[1] != want[1] && fourDigits(got[1]) != want[1] {
			return speed{}, fmt.Errorf("the results differ; ours:\n%s\nits:\n%s", ours, out)
		}
	}
	if found := withLine.FindStringSubmatch(out); found != nil {
		r.with = found[1]
	}
	return speedOf(out)
}

// fourDigits returns a number with the precision of our programs' checks; other text is unchanged.
func fourDigits(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%.4g", x)
}
