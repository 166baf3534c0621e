package main

import "fmt"

// How many of one kind are told: a store that lost one thing mostly lost many.
const sameKindMax = 4

// Problems is what is wrong, in sentences.
type Problems struct {
	said  []string
	kinds map[string]int
	order []string
}

func (p *Problems) say(format string, values ...any) {
	if p.kinds == nil {
		p.kinds = map[string]int{}
	}
	if p.kinds[format]++; p.kinds[format] == 1 {
		p.order = append(p.order, format)
	}
	if p.kinds[format] <= sameKindMax {
		p.said = append(p.said, fmt.Sprintf(format, values...))
	}
}

func (p *Problems) sentences() []string {
	all := append([]string{}, p.said...)
	for _, format := range p.order {
		if more := p.kinds[format] - sameKindMax; more > 0 {
			all = append(all, fmt.Sprintf("and %d more of the kind: %s", more, plain(format)))
		}
	}
	return all
}

// A format with its places left open.
func plain(format string) string {
	text := []byte{}
	for i := 0; i < len(format); i++ {
		if format[i] == '%' && i+1 < len(format) {
			text = append(text, "..."...)
			i++
			continue
		}
		text = append(text, format[i])
	}
	return string(text)
}
