package vec

// ListDots sets dst[i] to Dot(x, row idx[i]) of a strided row-major block,
// whose row v is block[v·stride:][:len(x)], with the same bits. Rows may be
// anywhere: the kernels prefetch rows, which hides most of the memory latency.
// It panics if stride is below the length of x, dst is shorter than idx, or a
// row is not inside the block.
func ListDots(dst, x, block []float32, stride int, idx []uint32) {
	checkList(dst, x, block, stride, idx)
	listDots(active, dst, x, block, stride, idx)
}

// ListL2Squared sets dst[i] to L2Squared(x, row idx[i]) of a strided row-major
// block; otherwise it is as ListDots.
func ListL2Squared(dst, x, block []float32, stride int, idx []uint32) {
	checkList(dst, x, block, stride, idx)
	listL2Squared(active, dst, x, block, stride, idx)
}

func checkList(dst, x, block []float32, stride int, idx []uint32) {
	if stride < len(x) || len(dst) < len(idx) {
		panic("vec: list of rows: wrong lengths")
	}
	last := uint32(0)
	for _, v := range idx {
		last = max(last, v)
	}
	if len(idx) > 0 && len(x) > 0 && uint64(last)*uint64(stride)+uint64(len(x)) > uint64(len(block)) {
		panic("vec: list of rows: row outside the block")
	}
}
