package settings

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Files returns the paths of configuration files: in the working directory, then the user's, then the
// site's. The environment has the form of os.Environ.
func Files(environ []string) []string {
	var user, home string
	for _, pair := range environ {
		switch name, text, _ := strings.Cut(pair, "="); name {
		case "XDG_CONFIG_HOME":
			user = text
		case "HOME":
			home = text
		}
	}
	if !filepath.IsAbs(user) && filepath.IsAbs(home) {
		user = filepath.Join(home, ".config")
	}
	files := []string{"migbsp.toml"}
	if filepath.IsAbs(user) {
		files = append(files, filepath.Join(user, "migbsp", "config.toml"))
	}
	return append(files, "/etc/migbsp/config.toml")
}

// readFiles reads the file that the command line or the environment names, else the usual
// ones that exist.
func (r *resolver) readFiles() error {
	named, err := r.namedFile()
	if err != nil {
		return err
	}
	names := r.sources.Files
	if named.Value != "" {
		names = []string{named.Value}
	}
	for _, name := range names {
		text, err := contents(name)
		switch {
		case err != nil && named.Value != "":
			return fmt.Errorf("%s: %w", named.written, OfFile(name, err))
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			continue
		case err != nil:
			return err
		}
		in, err := read(name, text)
		if err != nil {
			return err
		}
		r.files = append(r.files, in)
	}
	return nil
}

// largest is the maximum number of bytes in a file.
const largest = 1 << 20

func contents(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(text) > largest {
		err = fmt.Errorf("%s: more than 1 MiB, expected a configuration file", name)
	}
	return string(text), err
}

// namedFile returns the setting of the flag -config, if the program has such a flag.
func (r *resolver) namedFile() (Value, error) {
	f := r.flags.Lookup(ConfigFlag)
	if f == nil {
		return Value{}, nil
	}
	return r.settle(f)
}

// check returns a problem for each key that is no setting, but not in tables of other
// programs.
func (r *resolver) check() (problems []error) {
	for _, in := range r.files {
		problems = append(problems, r.checkFile(in)...)
	}
	return problems
}

func (r *resolver) checkFile(in *file) (problems []error) {
	for i := range in.entries {
		e := &in.entries[i]
		names := r.names(nil)
		switch {
		case e.table == "" && !r.sources.TableOnly:
			names = r.names(r.sources.Own)
		case e.table != r.sources.Program || e.table == "":
			continue
		}
		if !slices.Contains(names, e.key) || e.key == ConfigFlag {
			problems = append(problems, in.problem(e.keyAt, Quote(e.key), "expected "+r.setting(e, names)))
		}
	}
	return problems
}

// setting proposes a name for an unknown key.
func (r *resolver) setting(e *entry, names []string) string {
	switch {
	case slices.Contains(r.sources.Actions, e.key), e.key == ConfigFlag:
		return "it on the command line only"
	case slices.Contains(r.sources.Own, e.key):
		return fmt.Sprintf("it in table [%s], for it is not for all programs", r.sources.Program)
	}
	return "a setting" + cmp.Or(DidYouMean(e.key, "", names), ", a flag without its dash")
}

// names returns the names of the settings, except some.
func (r *resolver) names(without []string) []string {
	var names []string
	r.flags.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(r.sources.Actions, f.Name) && !slices.Contains(without, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// Plain is the text of an error without the system's call that has failed: "x: no such file",
// not "open x: no such file".
func Plain(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.Replace(text, of.Op+" "+of.Path+": ", of.Path+": ", 1)
		text = strings.Replace(text, of.Path+": "+of.Path+": ", of.Path+": ", 1)
	}
	return text
}

// OfFile is the reason alone of an error of the system about a file whose name the message
// has already.
func OfFile(name string, err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok && of.Path == name {
		return of.Err
	}
	return err
}
