package checkpoint

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Commit makes the checkpoint at path complete: all its parts are on disk.
// After an error it is not complete. It is one when a part is not to be seen
// from here: somebody else may then not find it either.
func Commit(path string, m *Manifest) error {
	m.Schema = Schema
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := m.check(); err != nil {
		return err
	}
	for i := range m.Parts {
		if err := m.Parts[i].visible(path); err != nil {
			return err
		}
	}
	name := filepath.Join(path, ManifestName)
	if err := writeFile(name+".new", append(text, '\n')); err != nil {
		return err
	}
	if err := syncDirectory(path); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	if err := syncDirectory(path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// visible looks for a part that its rank has written.
func (p *Part) visible(path string) error {
	info, err := os.Stat(filepath.Join(path, p.File))
	if err == nil && info.Size() != p.Bytes {
		err = fmt.Errorf("%s has %d bytes, not %d", filepath.Join(path, p.File), info.Size(), p.Bytes)
	}
	if err != nil {
		return fmt.Errorf("what rank %d on %s has written is not here, expected a directory that all hosts share: %w", p.Rank, p.Host, err)
	}
	return nil
}

// writeFile writes a file to disk.
func writeFile(name string, text []byte) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
