package parser

import "strings"

// Help is HELP [words].
//
//	help         = "HELP" { word }                          e.g. HELP export graph;
type Help struct {
	Range
	Topic []string // the words as they were written
}

func (*Help) Heading() string { return "HELP" }

// help accepts any words, so that no topic needs quotes. It skips everything else
// behind the first word, so that the topic can be a statement as it was typed.
func (p *parser) help() Statement {
	s := &Help{}
	for p.err == nil && (p.tok.Kind == KindWord || len(s.Topic) > 0 && p.tok.Kind != KindEnd && p.tok.Kind != KindInvalid && p.tok.Text != ";") {
		if p.tok.Kind == KindWord {
			s.Topic = append(s.Topic, p.tok.Text)
		}
		p.next()
	}
	p.expect(topicText)
	return s
}

func (s *Help) String() string { return strings.Join(append([]string{"HELP"}, s.Topic...), " ") }
