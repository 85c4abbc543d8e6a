// Package session is one call's view of a database. A Call resolves names to
// catalogue entries, loads graphs, attributes and vectors through the cache that
// all calls share, and pins what it has loaded until it ends, so that it sees one
// version of everything even if other calls write meanwhile. A statement about few
// vertices may read a part of a graph in place of the whole; see Call.ReadPart. It also opens the
// files that statements name, counts progress and collects notices.
//
// The package does not depend on statements and their text: errors have the
// piece of the request that is wrong, and package query adds its position.
package session
