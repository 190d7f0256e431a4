package ledger

import (
	"cmp"
	"runtime/debug"
)

// Build names the sources that a program was built from.
type Build struct {
	Version  string // of the module, "(devel)" where it has none
	Commit   string // "" if not known
	Modified bool   // files had been changed since Commit
	Time     string // of Commit, RFC 3339; "" if not known
}

// ThisBuild returns the Build of the program that calls it. Go writes it into programs
// when they are built in a working copy by a go build that may ask git.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

// version is set by the linker where Go cannot know it: in an archive that was packed for
// a release.
var version string

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: cmp.Or(version, info.Main.Version, "(devel)")}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Time = s.Value
		}
	}
	return b
}

// String returns the commit in short, "" if it is not known.
func (b Build) String() string {
	const short = 12
	if b.Commit == "" {
		return ""
	}
	text := "commit " + b.Commit[:min(short, len(b.Commit))]
	if b.Modified {
		text += " and changes"
	}
	return text
}
