package console

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Page is a Markdown file with its blocks of commands.
type Page struct {
	Name   string // from the module's directory
	lines  []string
	Blocks []*Block
	files  map[string]string // files that commands read, by name
}

// Block is one of commands.
type Block struct {
	Line     int // of the opening fence, from 1
	Measured bool
	Excerpt  bool
	Code     int      // of the last command
	Needs    []string // lanes and programs
	Shown    string   // why it is not run; "" if it is
	Commands []*Shown
	claims   []claim // that the output of a measured block meets
}

// Shown is a command with its output in a page.
type Shown struct {
	Line   int    // of the page, from 1
	Text   string // for a shell
	Output []string
	at     int // index of the output's first line in the page
}

var fence = regexp.MustCompile("^( *)(```+)(.*)$")

// Parse reads a page.
//
// Errors: a block begins with "$ " and is not marked console, or is marked and does not begin so;
// unknown words follow a fence; or a measured block has no claim.
func Parse(name, text string) (*Page, error) {
	p := &Page{Name: name, lines: strings.Split(text, "\n"), files: make(map[string]string)}
	for i := 0; i < len(p.lines); i++ {
		found := fence.FindStringSubmatch(p.lines[i])
		if found == nil {
			if strings.HasPrefix(p.lines[i], "    $ ") {
				return nil, p.errorf(i, "a command in an indented block: put it between fences, ```console")
			}
			continue
		}
		end := i + 1
		for end < len(p.lines) && strings.TrimSpace(p.lines[end]) != found[2] {
			end++
		}
		if end == len(p.lines) {
			return nil, p.errorf(i, "a fence that nothing closes")
		}
		if err := p.block(i, end, found[1], strings.Fields(found[3])); err != nil {
			return nil, err
		}
		i = end
	}
	return p, nil
}

func (p *Page) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.Name, line+1, fmt.Sprintf(format, args...))
}

// block reads the text between two lines with fences.
func (p *Page) block(begin, end int, indent string, words []string) error {
	content := p.lines[begin+1 : end]
	commands := len(content) > 0 && strings.HasPrefix(content[0], "$ ")
	switch marked := len(words) > 0 && words[0] == "console"; {
	case commands && !marked:
		return p.errorf(begin, "a block of commands is not marked: expected ```console")
	case marked && indent != "":
		return p.errorf(begin, "a block of commands is indented")
	case marked && !commands:
		return p.errorf(begin, "a block is marked console: expected a first line that begins with \"$ \"")
	case !marked:
		return p.file(begin, words, content)
	}
	b := &Block{Line: begin + 1}
	if err := b.read(words[1:]); err != nil {
		return p.errorf(begin, "%v", err)
	}
	for i := begin + 1; i < end; i++ {
		text, is := strings.CutPrefix(p.lines[i], "$ ")
		if !is {
			last := b.Commands[len(b.Commands)-1]
			last.Output = append(last.Output, p.lines[i])
			continue
		}
		c := &Shown{Line: i + 1, Text: text}
		for strings.HasSuffix(c.Text, `\`) && i+1 < end {
			i++
			c.Text += "\n" + p.lines[i]
		}
		c.at = i + 1
		b.Commands = append(b.Commands, c)
	}
	p.Blocks = append(p.Blocks, b)
	return nil
}

// read parses the words after console.
func (b *Block) read(words []string) (err error) {
	for i, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case word == "measured":
			b.Measured = true
		case word == "excerpt":
			b.Excerpt = true
		case key == "code":
			if b.Code, err = strconv.Atoi(value); err != nil || b.Code < 1 {
				return fmt.Errorf("%s: expected code= and a number from 1 on", word)
			}
		case key == "needs" && value != "":
			b.Needs = strings.Split(value, ",")
		case word == "shown":
			if b.Shown = strings.Join(words[i+1:], " "); b.Shown == "" {
				return fmt.Errorf("shown: expected the reason why the block is not run")
			}
			return nil
		case isClaim(word):
			c, err := readClaim(word)
			if err != nil {
				return err
			}
			b.claims = append(b.claims, c)
		default:
			return fmt.Errorf("%q behind console: expected measured, excerpt, code=, needs=, shown or a claim such as moves>=1", word)
		}
	}
	switch {
	case b.Measured && len(b.claims) == 0:
		return fmt.Errorf("measured: expected a claim that the output must meet, such as moves>=1 or saved>=25%%; the quantities are %s", quantityNames())
	case !b.Measured && len(b.claims) > 0:
		return fmt.Errorf("%s: expected only in a block that is measured; all others are compared to the letter", b.claims[0].text)
	}
	return nil
}

// file keeps a block that is a file.
func (p *Page) file(begin int, words, content []string) error {
	for _, word := range words {
		name, is := strings.CutPrefix(word, "file=")
		if !is {
			continue
		}
		if _, twice := p.files[name]; twice {
			return p.errorf(begin, "file %s is there twice", name)
		}
		p.files[name] = strings.Join(content, "\n") + "\n"
	}
	return nil
}

// Lane returns the lane of tests that runs the block: "mpi", "testbed", or "" for any.
func (b *Block) Lane() string {
	for _, lane := range []string{"testbed", "mpi"} {
		if slices.Contains(b.Needs, lane) {
			return lane
		}
	}
	return ""
}

// replace replaces the outputs of commands, in the order of the page.
func (p *Page) replace(outputs map[*Shown][]string) {
	for _, b := range slices.Backward(p.Blocks) {
		for _, c := range slices.Backward(b.Commands) {
			if lines, ok := outputs[c]; ok {
				p.lines = slices.Replace(p.lines, c.at, c.at+len(c.Output), lines...)
			}
		}
	}
}

// String is the page's text.
func (p *Page) String() string { return strings.Join(p.lines, "\n") }
