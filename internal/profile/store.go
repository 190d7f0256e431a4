package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// Store is a directory of profiles. A nil Store has none and keeps none.
type Store struct {
	Dir  string
	most int64 // bytes of all files, mostStored if it is 0
}

const (
	mostStored = 100 << 20 // bytes of all profiles
	mostHeads  = 64        // profiles of the same program that Load compares
	extension  = ".json"
	unfinished = ".new-" // begins the name of a file that is being written
	// abandoned is the age from which on an unfinished file belongs to no run.
	abandoned = time.Hour
)

// DefaultDir returns the directory of profiles below the user's cache directory.
//
// Errors: the user has no such directory.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "migbsp", "profiles"), nil
}

// short is six hexadecimal digits for texts. Equal digits of different texts do no harm: a reader
// compares the texts.
func short(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:3])
}

// family begins the names of all profiles of a program and number of processes.
func (k Key) family() string {
	program := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", r) {
			return r
		}
		return '_'
	}, k.Program)
	return program[:min(len(program), 32)] + "-" + short(k.Program, k.Build, fmt.Sprint(k.Procs)) + "-"
}

// parameters is the part of a name for the parameters.
func (k Key) parameters() string {
	var all []string
	for _, p := range k.Parameters {
		all = append(all, p.Name, p.Value)
	}
	return short(all...)
}

// site is the part of a name for a set of hosts, whose order and number of ranks do not matter.
func site(hosts []string) string {
	return short(slices.Compact(slices.Sorted(slices.Values(hosts)))...)
}

// ID returns the name of the profile in a Store, without directory and extension.
func (p *Profile) ID() string {
	return p.Key.family() + p.Key.parameters() + "-" + site(p.hostNames())
}

func (p *Profile) hostNames() []string {
	names := make([]string, len(p.Hosts))
	for i, h := range p.Hosts {
		names[i] = h.Name
	}
	return names
}

// stored is a file of the directory.
type stored struct {
	id       string
	bytes    int64
	modified time.Time
	distance float64 // of its parameters from a key's, once known
}

// files returns the files of profiles, the newest first; none if the directory does not exist.
func (s *Store) files() ([]stored, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []stored
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), extension)
		info, failed := e.Info()
		if ok && failed == nil && !e.IsDir() { // else another run has removed it
			all = append(all, stored{id: id, bytes: info.Size(), modified: info.ModTime()})
		}
	}
	slices.SortStableFunc(all, func(a, b stored) int { return b.modified.Compare(a.modified) })
	return all, err
}

// path returns the file of a profile.
func (s *Store) path(id string) string { return filepath.Join(s.Dir, id+extension) }

// Read returns a profile of the directory. The name of its file must be that of its content.
func (s *Store) Read(id string) (*Profile, error) {
	text, err := untrusted.ReadFile(s.path(id), mostFile)
	if err != nil {
		return nil, err
	}
	p, err := parse(s.path(id), text)
	if err == nil && p.ID() != id {
		err = fmt.Errorf("%s has the profile %s, expected %s", s.path(id), p.ID(), id)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Load returns the profile of a key: of the same parameters if there is one, else the nearest of
// the same program and number of processes, which is a hint: its Key then differs from the given
// key. The result is nil without any. hosts are the names of today's hosts, or nil if they are
// unknown: of profiles of one key the profile of these hosts counts, else the newest.
//
// The error has one line per file that was ignored because it is damaged or unreadable; the
// result may be valid all the same.
func (s *Store) Load(key Key, hosts []string) (*Profile, error) {
	if s == nil {
		return nil, nil
	}
	all, _ := s.files() // Save reports a directory that is not usable
	p, ignored := s.firstOf(key, key.exact(all, hosts))
	if p == nil {
		var more error
		p, more = s.firstOf(key, s.nearest(all, key))
		ignored = errors.Join(ignored, more)
	}
	return p, ignored
}

// firstOf returns the first readable profile of a key's program.
func (s *Store) firstOf(key Key, files []stored) (*Profile, error) {
	var ignored []error
	for _, f := range files {
		p, err := s.Read(f.id)
		if err == nil && p.Key.related(key) {
			return p, errors.Join(ignored...)
		}
		ignored = append(ignored, err)
	}
	return nil, errors.Join(ignored...)
}

// exact returns the files of a key, the files of the given hosts first.
func (k Key) exact(all []stored, hosts []string) []stored {
	prefix := k.family() + k.parameters() + "-"
	here := prefix + site(hosts)
	var list []stored
	for _, f := range all {
		if f.id == here {
			list = slices.Insert(list, 0, f)
		} else if strings.HasPrefix(f.id, prefix) {
			list = append(list, f)
		}
	}
	return list
}

// nearest returns the files of a key's program with other parameters, the nearest first. Of many
// files it looks at the newest.
func (s *Store) nearest(all []stored, key Key) []stored {
	var list []stored
	for _, f := range all {
		if strings.HasPrefix(f.id, key.family()) && !strings.HasPrefix(f.id, key.family()+key.parameters()+"-") && len(list) < mostHeads {
			f.distance = key.distance(readKey(s.path(f.id)))
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b stored) int { return cmp.Compare(a.distance, b.distance) })
	return list
}

// mostSites bounds the profiles that LastOn reads.
const mostSites = 4

// LastOn returns the newest profile of any program on exactly these hosts that has links, nil
// without any.
func (s *Store) LastOn(hosts []string) *Profile {
	if s == nil {
		return nil
	}
	all, _ := s.files()
	for tried := 0; len(all) > 0 && tried < mostSites; all = all[1:] {
		if !strings.HasSuffix(all[0].id, "-"+site(hosts)) {
			continue
		}
		tried++
		if found, err := s.Read(all[0].id); err == nil && len(found.Links) > 0 {
			return found
		}
	}
	return nil
}

// IDs returns the names of the files that begin with a text, the newest first, also of damaged ones.
func (s *Store) IDs(prefix string) (ids []string, err error) {
	all, err := s.files()
	for _, f := range all {
		if strings.HasPrefix(f.id, prefix) {
			ids = append(ids, f.id)
		}
	}
	return ids, err
}

// List returns all readable profiles, the newest first, and an error with a line per other file.
func (s *Store) List() (all []*Profile, err error) {
	files, err := s.files()
	for _, f := range files {
		p, failed := s.Read(f.id)
		if failed == nil {
			all = append(all, p)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// Save writes a profile in the place of an earlier one of the same key and hosts, and removes the
// oldest profiles while all of them are larger than the limit. After an error the earlier one is
// still there.
func (s *Store) Save(p *Profile) error {
	if s == nil {
		return nil
	}
	text, err := p.encode()
	if err == nil {
		err = os.MkdirAll(s.Dir, 0o700)
	}
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(s.Dir, unfinished+"*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), s.path(p.ID()))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return s.prune(p.ID())
}

// prune removes unfinished files of runs that have ended, and the oldest profiles but for one that
// is kept while all together are larger than the limit.
func (s *Store) prune(kept string) error {
	entries, err := os.ReadDir(s.Dir)
	for _, e := range entries {
		if info, failed := e.Info(); failed == nil && strings.HasPrefix(e.Name(), unfinished) && time.Since(info.ModTime()) > abandoned {
			os.Remove(filepath.Join(s.Dir, e.Name()))
		}
	}
	all, failed := s.files()
	left, most := int64(0), cmp.Or(s.most, mostStored)
	for _, f := range all {
		if left += f.bytes; left > most && f.id != kept {
			err = cmp.Or(err, s.Remove(f.id))
		}
	}
	return cmp.Or(err, failed)
}

// Remove removes a profile. One that another run has just removed is no error.
func (s *Store) Remove(id string) error {
	if err := os.Remove(s.path(id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
