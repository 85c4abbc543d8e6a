package vec

// Mix spreads a number over 64 bits, so that numbers that follow each other give what looks random
// (the finaliser of SplitMix64; Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
