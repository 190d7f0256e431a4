package ledger_test

import (
	"runtime/debug"
	"testing"

	. "github.com/migbsp/migbsp/ledger"
)

func TestBuildOf(t *testing.T) {
	settings := func(pairs ...string) (all []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		want          Build
		text          string
	}{
		{"nothing known", "", nil, Build{Version: "(devel)"}, ""},
		{"released", "v1.2.3", settings("-tags", "mpi"), Build{Version: "v1.2.3"}, ""},
		{
			"clean", "v0.1.0", settings("vcs.revision", "0123456789abcdef", "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "false"),
			Build{Version: "v0.1.0", Commit: "0123456789abcdef", Time: "2026-01-02T03:04:05Z"}, "commit 0123456789ab",
		},
		{
			"changed", "", settings("vcs.modified", "true", "vcs.revision", "abc"),
			Build{Version: "(devel)", Commit: "abc", Modified: true}, "commit abc and changes",
		},
	} {
		info := &debug.BuildInfo{Settings: c.settings}
		info.Main.Version = c.version
		got := BuildOf(info)
		if got != c.want || got.String() != c.text {
			t.Errorf("%s: got %+v (%s), want %+v (%s)", c.name, got, got, c.want, c.text)
		}
	}
}

func TestThisBuildHasAVersion(t *testing.T) {
	if b := ThisBuild(); b.Version == "" {
		t.Errorf("got %+v", b)
	}
}
