package profile

import "errors"

// Store is a directory of profiles. A nil Store has none and keeps none.
type Store struct{ Dir string }

// Load returns the profile of a key: that of the same parameters if there is one, else the nearest
// of the same program and number of processes, which is a hint only: its Key then differs from the
// given one. The result is nil if there is none. The hosts are the names of today's hosts, or nil if
// they are not known: of two profiles of one key the profile of the same hosts counts, else the newer one.
//
// The error has one line per file that was ignored because it is damaged or unreadable. It does not
// mean that the result is nil.
func (s *Store) Load(key Key, hosts []string) (*Profile, error) {
	return nil, errors.ErrUnsupported
}

// Save writes a profile, and removes the oldest ones while all of them are larger than the limit.
// On an error the Store is as before.
func (s *Store) Save(p *Profile) error { return errors.ErrUnsupported }
