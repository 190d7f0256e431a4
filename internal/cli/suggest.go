package cli

import (
	"strings"

	"github.com/migbsp/migbsp/internal/settings"
)

// unknown is the error of a command that there is not.
func (t *Tool) unknown(name string) error {
	if strings.HasPrefix(name, "-") {
		return Usagef("%s before a command; flags stand behind it", name)
	}
	return Usagef("there is no command %q%s", name, didYouMean(name, "", t.names(true)))
}

// didYouMean proposes the most similar name, if any is similar.
func didYouMean(read, prefix string, names []string) string {
	if name := settings.Nearest(read, names); name != "" {
		return "; did you mean " + prefix + name + "?"
	}
	return ""
}
