package frame

import (
	"context"
	"fmt"
	"strings"
)

// Parts are what a program with settings S can do, one after the other or alone.
type Parts[S any] []Part[S]

// Part is one of them, by the name that -only takes.
type Part[S any] struct {
	Name, About string
	Run         func(context.Context, S, *Session) error
}

// List has a line for each part, as -help shows them.
func (ps Parts[S]) List() string {
	widest := 0
	for _, p := range ps {
		widest = max(widest, len(p.Name))
	}
	var text strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&text, "  %-*s  %s\n", widest, p.Name, p.About)
	}
	return text.String()
}

// Only is the part of that name, and all if the name is empty.
func (ps Parts[S]) Only(name string) (Parts[S], error) {
	return Only(ps, name, func(p Part[S]) string { return p.Name })
}

// Run runs them in their order, until one fails.
func (ps Parts[S]) Run(ctx context.Context, settings S, session *Session) error {
	for _, p := range ps {
		session.Progress("%s", p.Name)
		if err := p.Run(ctx, settings, session); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// Only is what -only chooses of all: the one of that name, and all if the name is empty.
func Only[T any](all []T, name string, nameOf func(T) string) ([]T, error) {
	if name == "" {
		return all, nil
	}
	var names []string
	for i, t := range all {
		if nameOf(t) == name {
			return all[i : i+1], nil
		}
		names = append(names, nameOf(t))
	}
	return nil, fmt.Errorf("-only %s: expected %s", name, strings.Join(names, ", "))
}
