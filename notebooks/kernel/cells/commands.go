package cells

import (
	"fmt"
	"slices"
	"strings"
)

// special takes a cell's lines to the compiler and does what its others say. Of shell lines there is "go run" of a
// package of which names has "main".
func (p *Program) special(id int, lines []string, names map[string]string) (code string, from []Line,
	err error) {
	var b strings.Builder
	add := func(at int, text string) {
		b.WriteString(text + "\n")
		for range strings.Count(text, "\n") + 1 {
			from = append(from, Line{id, at})
		}
	}
	add(-1, "package main\n")
	open, reads, goes := false, false, false // func main is to be closed; the line before goes on
	for i, line := range lines {
		l := strings.TrimPrefix(line, "//gonb:")
		if goes {
			goes = strings.HasSuffix(l, `\`)
			continue
		}
		if i == 0 && slices.Contains([]string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"},
			strings.Split(l, " ")[0]) {
			p.Notes = append(p.Notes, fmt.Sprintf("%s needs a shell, and there is none here: run make lab",
				strings.Fields(l)[0]))
			p.Empty = true
			return "", nil, nil
		}
		if len(l) < 2 || l[0] != '%' && l[0] != '!' || strings.TrimSpace(l[1:]) == "" {
			if !strings.HasPrefix(line, "package") {
				add(i, line)
				reads = reads || strings.TrimSpace(line) != ""
			}
			continue
		}
		whole := l
		for j := i; strings.HasSuffix(whole, `\`) && j+1 < len(lines); j++ {
			whole = whole[:len(whole)-1] + " " + strings.TrimPrefix(lines[j+1], "//gonb:")
		}
		goes = strings.HasSuffix(l, `\`)
		words := split(strings.TrimPrefix(whole[1:], "*"))
		if l[0] == '!' && len(words) > 2 && words[0] == "go" && words[1] == "run" &&
			names[words[2]] == "main" {
			p.Commands = append(p.Commands, words[2:])
			continue
		}
		if l[0] == '!' {
			p.Notes = append(p.Notes, fmt.Sprintf("there is no shell here, so this line did nothing: %s", whole))
			continue
		}
		switch words[0] {
		case "%", "main":
			p.Args = words[1:]
			add(i, "func main() {\n\tflag.Parse()")
			open, reads = true, true
		case "exec":
			if len(words) == 1 {
				return "", nil, fmt.Errorf("%%exec requires the name of the function to execute")
			}
			p.Args = words[2:]
			add(i, fmt.Sprintf("func main() {\n\tflag.Parse()\n\t%s()\n}", words[1]))
			reads = true
		case "args":
			p.Args = words[1:]
		case "test":
			p.Args, p.Test = words[1:], true
		case "noautoget", "autoget", "goflags", "goworkfix", "track", "untrack": // of no use here
		default:
			p.Notes = append(p.Notes, fmt.Sprintf("%%%s does nothing here", words[0]))
		}
	}
	if open {
		add(-1, "\n}")
	}
	p.Empty = !reads
	return b.String(), from, nil
}

// split splits a line at spaces outside of quotes.
func split(s string) (words []string) {
	var word strings.Builder
	quoted, any := false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			if any {
				words = append(words, word.String())
			}
			word.Reset()
			any = false
		case quoted && c == '\\' && i+1 < len(s):
			i++
			word.WriteByte(map[byte]byte{'n': '\n', 't': '\t'}[s[i]])
			if s[i] != 'n' && s[i] != 't' {
				word.WriteByte(s[i])
			}
		default:
			word.WriteByte(c)
			any = true
		}
	}
	if any {
		words = append(words, word.String())
	}
	return words
}
