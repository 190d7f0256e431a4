package settings

import (
	"maps"
	"slices"
	"strings"
)

const (
	prefix = "MIGBSP_"
	tests  = prefix + "TEST_" // begins variables of tests, which are no settings
)

// Variable is the environment variable for a setting: MIGBSP_RUN_DIR for run-dir.
func Variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// environment returns the variables that could be settings: they have the program's prefix
// and are not empty.
func environment(environ []string) map[string]string {
	ours := make(map[string]string)
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, tests) && text != "" {
			ours[name] = text
		}
	}
	return ours
}

// warnUnknown warns of variables that are not read.
func (r *resolver) warnUnknown() {
	if r.sources.Warn == nil {
		return
	}
	known := slices.Clone(r.sources.Variables)
	for _, name := range r.names(r.sources.Own) {
		known = append(known, Variable(name))
	}
	for _, name := range slices.Sorted(maps.Keys(r.environ)) {
		if !slices.Contains(known, name) {
			r.sources.Warn(name + " in the environment means nothing" + DidYouMean(strings.TrimPrefix(name, prefix), prefix, trimmed(known)))
		}
	}
}

// trimmed returns the variables without the prefix.
func trimmed(variables []string) []string {
	short := make([]string, len(variables))
	for i, name := range variables {
		short[i] = strings.TrimPrefix(name, prefix)
	}
	return short
}
