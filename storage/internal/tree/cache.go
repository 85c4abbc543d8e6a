package tree

import (
	"bytes"
	"reflect"
	"sync"

	"heavytail/storage/internal/block"
)

// Cache has what read transactions of a handle decoded last: the header and records of
// the catalogue, each with the bytes from which it was decoded. A transaction that finds the
// same bytes uses the decoded record, so no record is ever out of date. Without this, small
// statements would spend most of their time on decoding.
//
// What it returns is shared: nobody may change the elements of a slice of it. Write
// transactions change records in place, and do not use it.
type Cache struct {
	mu      sync.Mutex
	bytes   []byte // of the header
	header  block.Header
	Records map[string]decodedRecord // by bucket and key
}

type decodedRecord struct {
	bytes []byte
	value reflect.Value // of the struct
}

// MaxKeptRecords is the number of records that are kept. If there are more, all are
// forgotten; a record takes some 500 bytes.
const MaxKeptRecords = 256

// headerOf returns the header of a store that was verified when it had these bytes.
func (m *Cache) headerOf(raw []byte) (block.Header, bool) {
	if m == nil {
		return block.Header{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.header, len(raw) > 0 && bytes.Equal(raw, m.bytes)
}

// putHeader remembers the header of a store that was verified.
func (m *Cache) putHeader(raw []byte, h block.Header) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes, m.header = bytes.Clone(raw), h
}

// record decodes a record of the catalogue into the struct that v points to.
func (m *Cache) record(bucket, key, raw []byte, v any) error {
	if m == nil {
		return block.DecodeStruct(bucket, key, raw, v)
	}
	name := append(append(make([]byte, 0, 64), bucket...), key...)
	to := reflect.ValueOf(v).Elem()
	m.mu.Lock()
	known, found := m.Records[string(name)]
	m.mu.Unlock()
	if found && known.value.Type() == to.Type() && bytes.Equal(known.bytes, raw) {
		to.Set(known.value)
		return nil
	}
	if err := block.DecodeStruct(bucket, key, raw, v); err != nil {
		return err
	}
	value := reflect.New(to.Type()).Elem()
	value.Set(to)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Records == nil || len(m.Records) >= MaxKeptRecords {
		m.Records = make(map[string]decodedRecord)
	}
	m.Records[string(name)] = decodedRecord{bytes.Clone(raw), value}
	return nil
}
