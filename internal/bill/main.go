// Bill lists which modules of others are linked into programs, and under which licences:
//
//	go run ./internal/bill                      the programs that scripts/install builds
//	go run ./internal/bill -tags mpi            the same, built for MPI
//	go run ./internal/bill -installed DIR       the programs of Go below a directory
//
// It fails if a licence is not in licences.txt or not allowed. For distributed programs it
// writes the texts that have to go with them and a software bill of materials.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// shipped are the packages of all programs that scripts/install builds.
var shipped = []string{"./cmd/migbsp", "./cmd/stagevet", "./apps/..."}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		for line := range strings.Lines(err.Error()) {
			fmt.Fprint(os.Stderr, "bill: ", strings.TrimSuffix(line, "\n"), "\n")
		}
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bill", flag.ContinueOnError)
	root := flags.String("root", ".", "the `directory` of the module's sources")
	dir := flags.String("installed", "", "look at the programs below this `directory`, not at packages")
	tags := flags.String("tags", "", "build `tags` of packages")
	notices := flags.String("notices", "", "write the texts that go with the programs to this `file`")
	sbom := flags.String("sbom", "", "write a bill of materials in SPDX's form to this `file`; with -installed")
	name := flags.String("name", "migbsp", "of the bill of materials")
	version := flags.String("version", "", "of the programs, for the bill of materials")
	date := flags.Int64("date", time.Now().Unix(), "of the bill of materials, in `seconds` since 1970: the same date gives the same file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sbom != "" && (*dir == "" || *version == "") {
		return errors.New("-sbom needs -installed and -version")
	}
	if *dir != "" && flags.NArg() > 0 {
		return fmt.Errorf("-installed and packages (%s): give one of them", flags.Arg(0))
	}
	l, err := find(*root, *dir, *tags, flags.Args())
	if l != nil {
		err = errors.Join(err, l.table(out))
	}
	if err != nil {
		return err
	}
	if *notices != "" {
		if err := writeFile(*notices, l.notices); err != nil {
			return err
		}
	}
	if *sbom != "" {
		created := time.Unix(*date, 0).UTC()
		return writeFile(*sbom, func(w io.Writer) error { return l.sbom(w, *name, *version, created) })
	}
	return nil
}

// list is all that the tables and files are made from.
type list struct {
	programs []program
	modules  []module
}

// find reads programs and the licences of their modules. With an error it returns a list
// that has the wrong licences.
func find(root, dir, tags string, packages []string) (*list, error) {
	var l list
	var err error
	versions := make(map[string]string)
	if dir != "" {
		l.programs, err = installed(dir, versions)
	} else {
		if len(packages) == 0 {
			packages = shipped
		}
		l.programs, err = wouldLink(root, tags, packages, versions)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range l.programs {
		if p.version != l.programs[0].version {
			return nil, fmt.Errorf("%s was built by %s, %s by %s", p.name, p.version, l.programs[0].name, l.programs[0].version)
		}
	}
	std, err := standard(root, l.programs[0].version)
	if err != nil {
		return nil, err
	}
	l.modules, err = modules(root, versions)
	if l.modules == nil {
		return nil, err
	}
	l.modules = append(l.modules, std)
	for i := range l.programs {
		l.programs[i].modules = append(l.programs[i].modules, std.path)
	}
	return &l, err
}

// table prints a line for each module: its version, its licence, and the programs that have
// it.
func (l *list) table(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MODULE\tVERSION\tLICENCE\tLINKED INTO")
	for _, m := range l.modules {
		var in []string
		for _, p := range l.programs {
			if slices.Contains(p.modules, m.path) {
				in = append(in, filepath.Base(p.name))
			}
		}
		who := strings.Join(in, " ")
		if len(in) == len(l.programs) && len(in) > 1 {
			who = fmt.Sprintf("all %d programs", len(in))
		} else if len(in) > 3 {
			who = fmt.Sprintf("%d of %d programs", len(in), len(l.programs))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.path, m.version, cmp.Or(m.licence, "unknown"), who)
	}
	return t.Flush()
}

// notices writes the legal files of all modules, each whole.
func (l *list) notices(w io.Writer) error {
	fmt.Fprint(w, "The programs of migbsp contain what is listed here, under the licences that follow.\n")
	for _, m := range l.modules {
		title := m.path + " " + m.version
		if m.path == "std" {
			title = "The standard library and the runtime of " + strings.Replace(m.version, "go", "Go ", 1)
		}
		fmt.Fprintf(w, "\n%s\n%s (%s)\n", strings.Repeat("=", 80), title, m.licence)
		for _, name := range m.files {
			text, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\n%s\n\n%s\n", strings.Repeat("-", 80), name, strings.TrimRight(string(text), "\n"))
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
