package lines

import "sync"

// Counted counts lines of files, each once, however often it is asked.
type Counted struct {
	Count func(name string) (int, error)
	mutex sync.Mutex
	known map[string]counted
}

type counted struct {
	n   int
	err error
}

// Of is the count of a file.
func (c *Counted) Of(name string) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	k, known := c.known[name]
	if !known {
		if c.known == nil {
			c.known = make(map[string]counted)
		}
		k.n, k.err = c.Count(name)
		c.known[name] = k
	}
	return k.n, k.err
}
