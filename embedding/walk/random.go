package walk

import "math/bits"

// stream is a generator of random numbers: a mixed Weyl sequence with its own
// step (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014). Making one takes as long as drawing two numbers,
// which matters if a walk draws forty.
type stream struct{ state, step uint64 }

// newStream returns the generator of one walk, which is identified by its vertex and round.
func newStream(seed, vertex, round uint64) stream {
	a := mix(seed + 0x9e3779b97f4a7c15)
	a = mix(a ^ vertex*0xd1342543de82ef95)
	a = mix(a ^ round*0xaf251af3b0f025b5)
	return stream{state: a, step: mix(a^0x632be59bd9b4e019) | 1}
}

// mix is the finaliser of MurmurHash3 with the constants of its variant 13 by
// Stafford.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *stream) next() uint64 {
	s.state += s.step
	return mix(s.state)
}

// below returns a number below n > 0. Its bias is below n / 2⁶⁴.
func (s *stream) below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.next(), n)
	return hi
}

// float returns a number in [0, 1) with 53 random bits.
func (s *stream) float() float64 { return float64(s.next()>>11) / (1 << 53) }
