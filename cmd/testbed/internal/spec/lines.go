package spec

import (
	"fmt"
	"strings"
)

// attributes reads the words key=value of a line, each key at most once.
func (p *parser) attributes(words []word, keys string, take func(key string, value word)) {
	seen := map[string]bool{}
	for _, w := range words {
		key, value, ok := w.attribute()
		switch {
		case !strings.Contains(" "+keys+" ", " "+key+" "):
			p.fail(w, quote(w.text), "one of "+strings.ReplaceAll(keys, " ", "=, ")+"=")
		case !ok:
			p.fail(w, quote(w.text), "a value behind "+key+"=")
		case seen[key]:
			p.fail(w, key+"= again", "it once")
		default:
			take(key, value)
		}
		seen[key] = true
	}
}

// clusterLine reads "cluster NAME hosts=N speed=PARTS [slots=N] [rate=RATE]".
func (p *parser) clusterLine(words []word) {
	if len(words) < 2 || !p.newName(words[1]) {
		if len(words) < 2 {
			p.fail(words[0], "cluster without a name", "cluster NAME hosts=N speed=PART")
		}
		return
	}
	var (
		before = len(p.problems)
		c      = Cluster{Name: words[1].text}
		slots  = 1
		hosts  int
		speeds []Speed
		where  = words[0] // speeds
	)
	p.attributes(words[2:], "hosts speed slots rate", func(key string, value word) {
		switch key {
		case "hosts":
			hosts = p.count(value, "hosts", maxHosts)
		case "slots":
			slots = p.count(value, "slots", maxSlots)
		case "speed":
			speeds, where = p.speeds(value), value
		case "rate":
			rate, err := ParseRate(value.text)
			p.figure(value, err)
			c.Rate = rate
		}
	})
	if len(p.problems) > before {
		return
	}
	if hosts == 0 {
		p.fail(words[1], "cluster "+c.Name+" without hosts", "hosts=N")
		return
	}
	if len(speeds) != 1 && len(speeds) != hosts {
		p.fail(where, fmt.Sprintf("%d speeds for %d hosts", len(speeds), hosts), "speed= with one, or one for each host")
		return
	}
	if p.hosts += hosts; p.hosts > maxHosts {
		p.fail(words[0], fmt.Sprintf("%d hosts", p.hosts), fmt.Sprintf("at most %d", maxHosts))
		return
	}
	for i := range hosts {
		c.Hosts = append(c.Hosts, Host{Name: fmt.Sprint(c.Name, i+1), Slots: slots, Speed: speeds[min(i, len(speeds)-1)]})
	}
	p.spec.Clusters = append(p.spec.Clusters, c)
}

// newName reports whether a word can name a cluster. The name is taken also if the rest of
// the line is wrong, so that links to it are right.
func (p *parser) newName(w word) bool {
	name := w.text
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || len(name) > 20 ||
		!letter(name[0]) || !letter(name[len(name)-1]) || name == "all" || name == "default" {
		p.fail(w, "cluster name "+quote(name), "up to 20 small letters and digits, with letters at both ends, not all and not default")
		return false
	}
	if _, known := p.clusters[name]; known {
		p.fail(w, "cluster "+name+" again", "another name")
		return false
	}
	if len(p.clusters) == maxClusters {
		p.fail(w, "one more cluster", fmt.Sprintf("at most %d", maxClusters))
		return false
	}
	p.clusters[name] = len(p.clusters)
	return true
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

func (p *parser) speeds(value word) []Speed {
	var speeds []Speed
	for _, part := range value.list() {
		speed, err := ParseSpeed(part.text)
		if !p.figure(part, err) {
			return nil
		}
		speeds = append(speeds, speed)
	}
	return speeds
}

// links reads the lines "link CLUSTER CLUSTER [rate=RATE] [latency=DURATION]".
func (p *parser) links() {
	seen := map[[2]int]int{} // lines
	for _, words := range p.waiting {
		if len(words) < 3 {
			p.fail(words[0], "link without two clusters", "link CLUSTER CLUSTER rate=RATE latency=DURATION")
			continue
		}
		a, knowsA := p.known(words[1])
		b, knowsB := p.known(words[2])
		if !knowsA || !knowsB {
			continue
		}
		if a == b {
			p.fail(words[2], "link from "+words[1].text+" to itself", "another cluster")
			continue
		}
		l := Link{A: min(a, b), B: max(a, b)}
		if before := seen[[2]int{l.A, l.B}]; before > 0 {
			p.fail(words[0], "link between "+words[1].text+" and "+words[2].text+" again", fmt.Sprintf("it once, and line %d has it", before))
			continue
		}
		seen[[2]int{l.A, l.B}] = words[0].line
		p.attributes(words[3:], "rate latency", func(key string, value word) {
			var err error
			if key == "rate" {
				l.Rate, err = ParseRate(value.text)
			} else {
				l.Latency, err = parseLatency(value.text)
			}
			p.figure(value, err)
		})
		p.spec.Links = append(p.spec.Links, l)
	}
}

func (p *parser) known(w word) (int, bool) {
	number, known := p.clusters[w.text]
	if !known {
		p.fail(w, "cluster "+quote(w.text), "one that a line of this file describes")
	}
	return number, known
}
