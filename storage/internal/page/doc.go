// Package page verifies the pages of a bbolt file before other code relies on
// them. It uses plain reads and never the map: a read beyond the end is an
// error here, and a fault in the map. It knows the layout of bbolt's format
// version 2, in the byte order of the machine, and not the content of the
// records.
//
// # What is checked of a page
//
// bbolt has a checksum over each of its two meta pages and none over the
// others. But the pages it writes have no gaps: the header is followed by the
// table of the elements, then by the key and the value of the first element,
// those of the second, and so on, on as many pages as needed. So every bit of
// a header and of a table is either compared with its required value (number
// of the page, type, number of elements, overflow, positions, sizes), or
// changes the position of the data after it. Keys must ascend within the
// bounds that the pages above give, every page must be reached once, and the
// depth of the tree is limited.
//
// # What a page cannot show
//
// If a disk loses the write of a page, the page has its earlier content, which
// is valid alone. That is detected by data stored elsewhere: a Tally, the
// number and the sum of the records of a bucket, is compared with a stored
// one.
package page
