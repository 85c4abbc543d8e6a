package index

// Answer is the result of a search of an [HNSW], and how it was found.
type Answer struct {
	Hits []Hit // nearest first, ties by vertex

	// Exact is the reason why the answer comes from a scan of all vectors and
	// is exact; it is empty if the graph was searched.
	Exact string

	Ef     int // candidates that the search kept
	Scored int // vectors that it measured, without those of a scan
}

// Reasons of an exact answer.
const (
	exactFew    = "k or ef is not far below the number of vertices"
	exactFilter = "too few vertices pass the filter"
	exactMany   = "too many vertices are within the radius"
	exactPlace  = "a search of the index in the file would read too many vectors"
)

// A search that has scored 1/scanShare of all vectors, in random order, has
// cost about as much as a scan. Of 200,000 random vectors one takes 6 times as long as in a scan
// with 64 dimensions, and 14 times with 32; of 30,000 with 200 dimensions 2 to 4 times.
const scanShare = 6

// viewShare is scanShare of a View, which reads each vector by a call of the system of 3 µs and
// the lists of links besides: together 6 to 7 µs, and a scan in the file takes .05 to .07 µs for
// a vector of 64 values (a million of them, with the file in the page cache).
const viewShare = 100

// ViewBudget returns how many of n vectors a search of a [View] should compare before it gives
// up and leaves them to a scan, so that both take least: 0 if it should not begin. compared is
// [Recall.Compared] of the index; if it is empty, the search takes at most twice the time of a scan.
func ViewBudget(n int, compared []uint32) int { return budget(n, viewShare, compared) }

// ScanIsFaster reports whether searches of an index in memory that compare so many of n vectors
// take longer than scans, which find all: compared is [Recall.Compared] of the index. Such an index
// is of no use, as one by the dot product of vectors whose lengths differ very much.
func ScanIsFaster(n int, compared []uint32) bool {
	return len(compared) > 0 && budget(n, scanShare, compared) == 0
}

// batchShare is scanShare of a batch of many queries: of 51,264 vectors one query takes as long as a
// search that compares 480 of them with 64 dimensions, and 350 with 128, where products of bytes pay.
const batchShare = 100

// BatchIsFaster is ScanIsFaster for many queries, whose scans share their work (see [Batches]).
func BatchIsFaster(n int, compared []uint32) bool {
	sum := 0
	for _, c := range compared {
		sum += int(c)
	}
	return batchShare*sum > n*len(compared)
}

// budget is ViewBudget where a scan takes as long as a search that compares n/share vectors.
func budget(n, share int, compared []uint32) int {
	scan := max(1000, n/share)
	if len(compared) == 0 {
		return scan
	}
	best, least := 0, scan*len(compared)
	for i, budget := range compared {
		spent := 0
		for j, c := range compared {
			if spent += int(min(c, budget)); j > i && c > budget {
				spent += scan
			}
		}
		if spent < least {
			best, least = int(budget), spent
		}
	}
	if best == int(compared[len(compared)-1]) {
		return max(best, scan) // other searches may compare more than any of the sample
	}
	return best
}
