package inflate

import (
	"encoding/binary"
	"errors"
)

var errLZ4 = errors.New("the data of LZ4 are damaged")

// maxLength is more than the bytes of one sequence in any block that is of use.
const maxLength = 1 << 30

// LZ4Block decompresses a block of LZ4 into dst, and returns the number of bytes. The decoder of github.com/pierrec/lz4/v4
// reads memory outside its buffers if a block is damaged.
//
// Source: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
func LZ4Block(dst, raw []byte) (int, error) { return lz4Block(dst, 0, raw) }

// lz4Block decompresses a block behind the first bytes of dst, to which it may refer, and returns the
// number of all bytes.
func lz4Block(dst []byte, done int, raw []byte) (int, error) {
	at := 0
	for at < len(raw) {
		token := raw[at]
		at++
		literals, err := lz4Length(raw, &at, int(token>>4))
		switch {
		case err != nil:
			return 0, err
		case literals > len(raw)-at || literals > len(dst)-done:
			return 0, errLZ4
		}
		copy(dst[done:], raw[at:at+literals])
		done, at = done+literals, at+literals
		if at == len(raw) {
			break // the last sequence has only literals
		}
		if len(raw)-at < 2 {
			return 0, errLZ4
		}
		back := int(raw[at]) | int(raw[at+1])<<8
		at += 2
		const shortest = 4
		match, err := lz4Length(raw, &at, int(token&15))
		match += shortest
		switch {
		case err != nil:
			return 0, err
		case back == 0 || back > done || match > len(dst)-done:
			return 0, errLZ4
		}
		for match > 0 { // the copied bytes may include some that were just written
			n := copy(dst[done:done+match], dst[done-back:done])
			done, match = done+n, match-n
		}
	}
	return done, nil
}

// lz4Length reads the rest of a length, whose first four bits are in a token.
func lz4Length(raw []byte, at *int, length int) (int, error) {
	if length < 15 {
		return length, nil
	}
	for *at < len(raw) {
		b := raw[*at]
		*at++
		if length += int(b); length > maxLength {
			break
		}
		if b < 255 {
			return length, nil
		}
	}
	return 0, errLZ4
}

// LZ4Frame decompresses frames of LZ4 into dst, and returns the number of bytes. Checksums are not
// compared. The blocks of a frame may refer to the ones before them.
//
// Source: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
func LZ4Frame(dst, raw []byte) (n int, err error) {
	const magic, skippable = 0x184D2204, 0x184D2A50
	for len(raw) > 0 {
		if len(raw) < 8 {
			return 0, errLZ4
		}
		start := binary.LittleEndian.Uint32(raw)
		if start&^15 == skippable {
			size := binary.LittleEndian.Uint32(raw[4:])
			if uint64(size) > uint64(len(raw)-8) {
				return 0, errLZ4
			}
			raw = raw[8+size:]
			continue
		}
		if start != magic {
			return 0, errLZ4
		}
		if n, raw, err = lz4Blocks(dst, n, raw[4:]); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// lz4Blocks decompresses the blocks of a frame behind the first n bytes of dst. It returns what follows
// the frame.
func lz4Blocks(dst []byte, n int, raw []byte) (int, []byte, error) {
	const version, blockSums, hasSize, contentSum, hasDictionary = 1 << 6, 1 << 4, 1 << 3, 1 << 2, 1
	flags := raw[0]
	head := 3 // flags, sizes of blocks, and a checksum of the header
	if flags&hasSize != 0 {
		head += 8
	}
	if flags>>6<<6 != version || flags&hasDictionary != 0 || len(raw) < head {
		return 0, nil, errLZ4
	}
	for raw = raw[head:]; ; {
		if len(raw) < 4 {
			return 0, nil, errLZ4
		}
		size := binary.LittleEndian.Uint32(raw)
		raw = raw[4:]
		if size == 0 {
			break
		}
		plain := size>>31 == 1
		size &= 1<<31 - 1
		if uint64(size) > uint64(len(raw)) {
			return 0, nil, errLZ4
		}
		block := raw[:size]
		raw = raw[size:]
		var err error
		if !plain {
			n, err = lz4Block(dst, n, block)
		} else if len(block) > len(dst)-n {
			err = errLZ4
		} else {
			n += copy(dst[n:], block)
		}
		if err != nil {
			return 0, nil, err
		}
		if flags&blockSums != 0 {
			if len(raw) < 4 {
				return 0, nil, errLZ4
			}
			raw = raw[4:]
		}
	}
	if flags&contentSum != 0 {
		if len(raw) < 4 {
			return 0, nil, errLZ4
		}
		raw = raw[4:]
	}
	return n, raw, nil
}
