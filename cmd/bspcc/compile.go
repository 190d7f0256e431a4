package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/cbsp"
	"github.com/migbsp/migbsp/internal/shell"
)

const compileFlags = `  -show
    	print the commands that would be run, and run none
  -with-launcher
    	put what runs the program into it, 14 MB, so that it runs where migbsp is not installed
  -static-rank
    	make an ordinary executable with one process on each rank, which does not move
  -dialect name
    	prototypes of bsp.h: bsplib (sizes are int; default) or multicore (MulticoreBSP's: size_t)
  -o file
    	write the program there (default a.out)
  -help
    	print this text; --help is the compiler's
`

// request is a parsed command line.
type request struct {
	show     bool
	whole    bool // with the launcher in it
	plain    bool // one process on each rank
	dialect  string
	out      string
	linked   bool     // the result is a program
	inputs   bool     // files to compile or to link are given
	words    []string // for the compiler, without -o for programs
	files    []string // to compile or to link
	language string   // the compiler that an option has chosen, "" if none has
	profile  string   // the option that asks for a profile
}

// Options of compilers: options that end before linking or link something else than a program,
// options whose value is the next word, and options for the linking of the program, which the user
// cannot choose.
var (
	unlinked = []string{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r"}
	valued   = []string{
		"-I", "-D", "-U", "-L", "-l", "-J", "-x", "-T", "-u", "-z", "-e", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot",
		"-MF", "-MT", "-MQ", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "--param", "-aux-info", "-target",
	}
	dropped = []string{"-pie", "-no-pie", "-static-pie", "-rdynamic"}
)

// Options of the compilers of the Oxford BSP Toolset that say how its library communicates, which is
// decided here when the program runs. Some have a value, a number or several.
var (
	oxford       = []string{"-flibrary-level", "-fcombine-puts", "-fcombine-puts-buffer", "-fcontention-resolve", "-fcontention-level", "-bsp"} // -bsp: all that begin so
	oxfordValued = []string{"-flibrary-level", "-fcombine-puts-buffer", "-fcontention-resolve", "-fcontention-level", "-bsp"}
	profiles     = []string{"-prof", "-cgprof"}
)

// isOxford reports whether a word is such an option, and whether its value is the next word.
func isOxford(word string) (is, valued bool) {
	name, _, has := strings.Cut(word, "=")
	if strings.HasPrefix(name, "-bsp") {
		name = "-bsp"
	}
	return slices.Contains(oxford, name), !has && slices.Contains(oxfordValued, name)
}

// languages are the options of that toolset that choose another compiler.
var languages = map[string]string{"-c++": "bspcxx", "-f77": "bspfc"}

// languageOf has the compiler for files of other languages than C, by how their names end.
var languageOf = map[string]string{
	".c":  "bspcc",
	".cc": "bspcxx", ".cpp": "bspcxx", ".cxx": "bspcxx", ".c++": "bspcxx", ".C": "bspcxx", ".cp": "bspcxx", ".CPP": "bspcxx",
	".f": "bspfc", ".F": "bspfc", ".for": "bspfc", ".FOR": "bspfc", ".ftn": "bspfc", ".fpp": "bspfc", ".FPP": "bspfc",
	".f90": "bspfc", ".F90": "bspfc", ".f95": "bspfc", ".F95": "bspfc", ".f03": "bspfc", ".F03": "bspfc", ".f08": "bspfc", ".F08": "bspfc",
}

// driver returns the compiler for the files of a command line of bspcc. Every compiler but the C++
// compiler selects the language by the file name's extension. Programs with C++ and another
// language also need the C++ library.
func (r *request) driver() *compiler {
	used := map[string]bool{r.language: true}
	for _, file := range r.files {
		used[languageOf[filepath.Ext(file)]] = true
	}
	name := "bspcc"
	switch {
	case used["bspfc"]:
		name = "bspfc"
	case used["bspcxx"] && !used["bspcc"]:
		name = "bspcxx"
	}
	if used["bspcxx"] && name != "bspcxx" && r.linked {
		r.words = append(r.words, "-lstdc++")
	}
	i := slices.IndexFunc(compilers, func(c compiler) bool { return c.command == name })
	return &compilers[i]
}

// read reads a command line.
func read(arguments []string) (*request, error) {
	r := &request{dialect: "bsplib", out: "a.out", linked: true}
	for _, word := range arguments {
		if slices.Contains(unlinked, word) {
			r.linked = false
		}
	}
	for i := 0; i < len(arguments); i++ {
		word := arguments[i]
		takes := func(name string) (value string, ok bool) {
			if value, ok := strings.CutPrefix(word, name+"="); ok {
				return value, true
			}
			if word != name || i+1 == len(arguments) {
				return "", false
			}
			i++
			return arguments[i], true
		}
		if value, ok := takes("-dialect"); ok {
			r.dialect = value
			continue
		}
		if r.linked && strings.HasPrefix(word, "-o") {
			if r.out = word[2:]; r.out == "" && i+1 < len(arguments) {
				i++
				r.out = arguments[i]
			}
			continue
		}
		if is, hasValue := isOxford(word); is {
			if hasValue && i+1 < len(arguments) && arguments[i+1] != "" && arguments[i+1][0] >= '0' && arguments[i+1][0] <= '9' {
				i++
			}
			continue
		}
		switch {
		case languages[word] != "":
			r.language = languages[word]
			continue
		case slices.Contains(profiles, word):
			r.profile = word
			continue
		case word == "-show":
			r.show = true
			continue
		case word == "-with-launcher":
			r.whole = true
			continue
		case word == "-static-rank":
			r.plain = true
			continue
		case word == "-dialect":
			return nil, usagef("-dialect needs a name: bsplib or multicore")
		case strings.HasPrefix(word, "-fsanitize=") && r.linked && !slices.Contains(arguments, "-static-rank"):
			return nil, usagef("%s needs -static-rank: the program is then an executable of its own", word)
		case word == "-static" && r.linked:
			return nil, usagef("-static: the program's code is loaded for each process, with the libraries of this machine")
		case slices.Contains(dropped, word) && r.linked && !slices.Contains(arguments, "-static-rank"):
			continue
		case (slices.Contains(valued, word) || word == "-o") && i+1 < len(arguments):
			i++
			r.words = append(r.words, word)
			word = arguments[i]
			r.inputs = r.inputs || arguments[i-1] == "-l"
		case word == "-" || !strings.HasPrefix(word, "-"):
			r.inputs = true
			r.files = append(r.files, word)
		}
		r.words = append(r.words, word)
	}
	if r.dialect != "bsplib" && r.dialect != "multicore" {
		return nil, usagef("-dialect %s: there are bsplib and multicore", r.dialect)
	}
	return r, nil
}

// linkOptions are the linker options for a program's object.
var linkOptions = []string{"-shared", "-Wl,-z,now", "-Wl,-z,nodelete", "-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-u,main", "-Wl,-e," + cbsp.StartName, "-Wl,-u," + cbsp.StartName}

// compile executes a command line.
func compile(c *compiler, arguments []string) error {
	if len(arguments) == 1 && (arguments[0] == "-help" || arguments[0] == "-h") {
		return help(about(), c.command+" [compiler options] FILE...", compileFlags)
	}
	if len(arguments) == 3 && arguments[0] == "-install" { // for scripts/install
		return install(arguments[1], arguments[2])
	}
	r, err := read(arguments)
	if err != nil {
		return err
	}
	if len(arguments) == 0 {
		return usagef("no files; %s -help says how it is called", c.command)
	}
	if c == &compilers[0] {
		c = r.driver()
	}
	words, err := c.find()
	if err != nil {
		return err
	}
	if r.profile != "" {
		fmt.Fprintf(os.Stderr, "%s: %s: each run can print a profile of its supersteps: start the program with -table sites, or -run-dir and migbsp report\n", c.command, r.profile)
	}
	if !r.inputs {
		return run(r.show, append(words, r.words...))
	}
	if err := c.checkLibC(words); err != nil {
		return err
	}
	lib, err := openLibrary(c, words, r.show)
	if err != nil {
		return err
	}
	defer lib.close()
	words = append(words, "-g", "-I"+lib.include())
	if r.dialect == "multicore" {
		words = append(words, "-DBSP_MULTICORE")
	}
	words = append(append(words, r.words...), codeOptions(words)...)
	if c.fortran {
		words = append(words, "-fno-backtrace") // its signal handlers would replace migbsp's
	}
	if !r.linked {
		return run(r.show, words)
	}
	if r.plain {
		return linkPlain(r, lib, words)
	}
	return link(r, lib, words)
}

// link makes a program: an object that becomes its launcher, this executable, or one behind the
// end of a copy of it.
func link(r *request, lib *library, words []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out := r.out
	// go run removes the executable that it has built before the program is run.
	whole := r.whole || filepath.Base(self) != compilers[0].command || strings.Contains(self, "/go-build")
	if whole {
		out = "OBJECT"
		if !r.show {
			dir, err := os.MkdirTemp("", "bspcc-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			out = filepath.Join(dir, "object.so")
		}
	}
	words = append(append(words, linkOptions...), "-Wl,-rpath,"+filepath.Dir(self), "-o", out)
	if err := run(r.show, append(words, lib.linked()...)); err != nil || !whole {
		return err
	}
	if r.show {
		fmt.Println("#", shell.Quote(r.out), "is", shell.Quote(self), "with", out, "behind its end")
		return nil
	}
	return cbsp.Embed(self, out, r.out)
}
