package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is wrong with how a command is called, it ends with code 2 and one line that
// begins with its name.
func TestWrongUses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", []byte("x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	uses := []string{"bogus", "-bogus", "--", "-format json", "Doctor"}
	for _, c := range newTool().Commands {
		uses = append(uses, c.Name+" -bogus", c.Name+" --bogus=1")
		takes := len(c.Args)
		if takes > 0 && c.Args[takes-1].Rest {
			continue // what follows is another program's
		}
		uses = append(uses, c.Name+strings.Repeat(" file", takes+20))
		if takes > 0 && !c.Args[0].Optional {
			uses = append(uses, c.Name)
		}
	}
	uses = append(uses, "doctor -ranks x", "doctor -ranks -1", "doctor -need x", "doctor -format xml", "doctor -hosts", "doctor -hosts=",
		"probe -watch x", "bench -p x", "bench -p 0", "hosts -to x", "hosts -from x", "hosts -from env file", "completion csh", "help bogus",
		"sbatch", "sbatch -nodes 0 -- lu", "sbatch -ntasks x -- lu", "sbatch -- lu", "sbatch -time x -- lu", "sbatch -site none -print-config",
		"run -np x lu", "run -np", "run -np 2", "run -ssh '", "run -launcher= -np 2 lu", "run -np 2 "+filepath.Join(".", "none")+"/x", "run none/x", "run bogus-program")
	for _, use := range uses {
		args := strings.Fields(use)
		code, out, err := call(t, "", args...)
		name := "migbsp:"
		for _, c := range newTool().Commands {
			if args[0] == c.Name {
				name = "migbsp " + c.Name + ":"
			}
		}
		if code != 2 || out != "" || strings.Count(err, "\n") != 1 || !strings.HasPrefix(err, name+" ") {
			t.Errorf("%s: code %d\n%s%s", use, code, out, err)
		}
	}
}
