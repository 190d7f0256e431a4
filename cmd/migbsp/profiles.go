package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

var profilesCommand = cli.Command{
	Name:    "profiles",
	Summary: "lists, shows and removes the profiles that runs have written",
	About: `A program writes a profile of its loads, traffic, hosts and links at the end of a run,
and reads it at the start of the next one. ID is the name of a profile in the list, or
its beginning if no other profile begins so.

  list     a line for each profile, the newest first
  show     the content of the profile ID
  remove   removes the profile ID, or all of them with the ID all`,
	Args: []cli.Arg{{Name: "ACTION", Values: cli.OneOf("list", "show", "remove"), Optional: true}, {Name: "ID", Optional: true}},
	Examples: []cli.Example{
		{Line: "migbsp profiles", Does: "lists all profiles"},
		{Line: "migbsp profiles show lu", Does: "shows the only profile that begins with lu"},
		{Line: "migbsp profiles remove all", Does: "lets each program start without a profile"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		p := new(profiles)
		p.dir = cli.Path(flags, "dir", "the `directory` of profiles (default: MIGBSP_PROFILES, or in the user's cache directory)", cli.Directory)
		p.format = formatFlag(flags)
		return p.run
	},
}

// profiles has the flags of migbsp profiles.
type profiles struct{ dir, format *string }

func (p *profiles) run(_ context.Context, streams cli.Streams, args []string) error {
	action, id := "list", ""
	if len(args) > 0 {
		action = args[0]
	}
	if len(args) > 1 {
		id = args[1]
	}
	store, err := p.store()
	if err != nil {
		return err
	}
	switch {
	case action == "list" && id == "":
		return p.list(streams, store)
	case action == "list":
		return cli.Usagef("list takes no ID; migbsp profiles show %s shows that profile", id)
	case action != "show" && action != "remove":
		return cli.Usagef("%q, expected list, show or remove", action)
	case id == "":
		return cli.Usagef("%s needs an ID; migbsp profiles lists all", action)
	case action == "show":
		return p.show(streams, store, id)
	}
	return remove(streams, store, id)
}

// store returns the directory of profiles.
func (p *profiles) store() (*profile.Store, error) {
	dir := cmp.Or(*p.dir, os.Getenv("MIGBSP_PROFILES"))
	if dir != "" && dir != "off" {
		return &profile.Store{Dir: dir}, nil
	}
	dir, err := profile.DefaultDir()
	if err != nil {
		return nil, fmt.Errorf("%w; -dir names the directory of profiles", err)
	}
	return &profile.Store{Dir: dir}, nil
}

// list prints a line for each profile. Files that cannot be read are lines on the standard error.
func (p *profiles) list(streams cli.Streams, store *profile.Store) error {
	all, err := store.List()
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(streams.Err, "migbsp profiles: left out: %s\n", ledger.Printable(line))
		}
	}
	t := table{heads: []string{"ID", "run", "written", "time", "hosts"}, words: []int{0, 1, 2}}
	lines := []profileLine{}
	for _, x := range all {
		lines = append(lines, profileLine{x.ID(), x.Key.String(), x.Written, x.Seconds, len(x.Hosts)})
		t.add(x.ID(), ledger.Printable(x.Key.String()), x.Written.Local().Format(time.DateTime), seconds(x.Seconds), fmt.Sprint(len(x.Hosts)))
	}
	return printAs(streams, *p.format, lines, func() string {
		if len(all) == 0 {
			return fmt.Sprintf("no profile in %s; a program writes one at the end of a run\n", store.Dir)
		}
		return text.Rows(t.heads, t.rows, t.words...) + fmt.Sprintf("\n %s in %s\n", ledger.Count(len(all), "profile"), store.Dir)
	})
}

// profileLine is a line of the list in JSON.
type profileLine struct {
	ID      string    `json:"id"`
	Run     string    `json:"run"`
	Written time.Time `json:"written"`
	Seconds float64   `json:"seconds"`
	Hosts   int       `json:"hosts"`
}

func (p *profiles) show(streams cli.Streams, store *profile.Store, id string) error {
	id, err := only(store, id)
	if err != nil {
		return err
	}
	x, err := store.Read(id)
	if err != nil {
		return err
	}
	return printAs(streams, *p.format, x, func() string { return profileText(x) })
}

// only returns the ID that begins with a text.
func only(store *profile.Store, prefix string) (string, error) {
	ids, err := store.IDs(prefix)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", fmt.Errorf("no profile in %s begins with %q; migbsp profiles lists all", store.Dir, prefix)
	case len(ids) > 1 && !slices.Contains(ids, prefix):
		return "", fmt.Errorf("%d profiles in %s begin with %q, expected one: %s", len(ids), store.Dir, prefix, strings.Join(ids[:min(len(ids), 3)], ", "))
	case len(ids) > 1:
		return prefix, nil
	}
	return ids[0], nil
}

// remove removes one profile or all.
func remove(streams cli.Streams, store *profile.Store, id string) error {
	ids, err := store.IDs("")
	if id != "all" {
		id, err = only(store, id)
		ids = []string{id}
	}
	if err != nil {
		return err
	}
	for _, id := range ids {
		err = errors.Join(err, store.Remove(id))
	}
	if err != nil {
		return err
	}
	return streams.Print(ledger.Count(len(ids), "profile") + " removed\n")
}

// profileText returns a profile as readable text.
func profileText(p *profile.Profile) string {
	ended := "at its end"
	if !p.Ended {
		ended = "at a checkpoint"
	}
	facts := [][2]string{
		{"run", ledger.Printable(p.Key.String())},
		{"written", p.Written.Local().Format(time.DateTime) + ", " + ended},
		{"time", fmt.Sprintf("%s, %s; %s each with the final mapping", seconds(p.Seconds), ledger.Count(p.Supersteps, "superstep"), seconds(p.Step))},
		{"mapping", p.Where()},
	}
	if p.Key.Build != "" {
		facts = append(facts, [2]string{"build", p.Key.Build})
	}
	if len(p.States) > 0 {
		facts = append(facts, [2]string{"states", fmt.Sprintf("%s, the largest %s", ledger.Bytes(sum(p.States)), ledger.Bytes(slices.Max(p.States)))})
	}
	return factsText(facts) + "\n" + classesText(p) + "\n" + profileHosts(p)
}

func sum(all []int64) (n int64) {
	for _, x := range all {
		n += x
	}
	return n
}

func classesText(p *profile.Profile) string {
	t := table{heads: []string{"supersteps end at", "number", "work", "most", "bytes", "pairs"}, words: []int{0}}
	for _, c := range p.Classes {
		work, bytes := 0.0, 0.0
		for _, x := range c.Work {
			work += x
		}
		for _, f := range c.Traffic {
			bytes += f.Bytes
		}
		traffic := []string{"?", "?"}
		if c.Recorded > 0 {
			traffic = []string{ledger.Bytes(int64(bytes)), fmt.Sprint(len(c.Traffic))}
		}
		t.add(append([]string{ledger.Printable(c.Site), fmt.Sprint(c.Supersteps), seconds(work), seconds(slices.Max(c.Work))}, traffic...)...)
	}
	return text.Rows(t.heads, t.rows, t.words...)
}

func profileHosts(p *profile.Profile) string {
	t := table{heads: []string{"host", "Set", "speed", "share", "line"}, words: []int{0, 1}}
	for _, h := range p.Hosts {
		t.add(ledger.Printable(h.Name), ledger.Printable(h.Set), fmt.Sprintf("%.3g", h.Speed), fmt.Sprintf("%.3g", h.Share), rateOf(h.Line))
	}
	all := text.Rows(t.heads, t.rows, t.words...)
	if len(p.Links) == 0 {
		return all
	}
	t = table{heads: []string{"from", "to", "latency", "rate", "measured"}, words: []int{0, 1}}
	for _, l := range p.Links {
		t.add(ledger.Printable(p.Hosts[l.From].Name), ledger.Printable(p.Hosts[l.To].Name), seconds(l.Latency), rateOf(l.PerByte), l.Measured.Local().Format(time.DateTime))
	}
	return all + "\n" + text.Rows(t.heads, t.rows, t.words...)
}

// rateOf returns the rate of a link with a time per byte, "?" if that is unknown.
func rateOf(perByte float64) string {
	if perByte == 0 {
		return "?"
	}
	return bitRate(1 / perByte)
}
