package parser

// This file has the production of PREDICT.

func (p *parser) predict(begin Pos) Statement {
	s := &Predict{Count: p.value(anInt, countText)}
	p.needKeyword("LINKS")
	if p.keyword("FOR") {
		s.For = p.value(aKey, keyText)
	}
	s.Graph = p.in()
	if !p.keyword("WITH") {
		if s.For == nil {
			p.unexpected()
		}
		return p.predicted(begin, s.Count, s.For, s.Graph)
	}
	s.Scorer = p.scorer()
	s.Where = p.where()
	s.Options = p.withOptions("PREDICT")
	s.Range = p.since(begin)
	return s
}
