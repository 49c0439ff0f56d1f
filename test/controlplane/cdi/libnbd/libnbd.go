// Package libnbd stands in for libguestfs.org/libnbd, bindings that need cgo
// and a C library. Only CDI's source for VMware disks calls them, which no test
// uses: with this package the importer compiles, and every call fails.
package libnbd

import "errors"

// Constants of the protocol that CDI names; the values are those of nbd.h.
const (
	CMD_FLAG_REQ_ONE = 1 << 3
	STATE_HOLE       = 1 << 0
	STATE_ZERO       = 1 << 1
)

// CmdFlag is a set of command flags.
type CmdFlag uint32

// LibnbdError is an error of the C library.
type LibnbdError struct{ Op, Errmsg string }

// Error names the operation and what went wrong.
func (e *LibnbdError) Error() string { return e.Op + ": " + e.Errmsg }

// PreadOptargs are the options of Pread.
type PreadOptargs struct{}

// BlockStatusOptargs are the options of BlockStatus.
type BlockStatusOptargs struct {
	FlagsSet bool
	Flags    CmdFlag
}

// ExtentCallback is called by BlockStatus for each group of extents.
type ExtentCallback func(metacontext string, offset uint64, entries []uint32, err *int) int

// Libnbd is a connection.
type Libnbd struct{}

var errAbsent = errors.New("libnbd: this build has no libnbd")

// Create fails.
func Create() (*Libnbd, error) { return nil, errAbsent }

// AddMetaContext fails.
func (*Libnbd) AddMetaContext(string) error { return errAbsent }

// ConnectUri fails.
func (*Libnbd) ConnectUri(string) error { return errAbsent }

// GetSize fails.
func (*Libnbd) GetSize() (uint64, error) { return 0, errAbsent }

// Pread fails.
func (*Libnbd) Pread([]byte, uint64, *PreadOptargs) error { return errAbsent }

// Close has nothing to close.
func (*Libnbd) Close() *LibnbdError { return nil }

// BlockStatus fails.
func (*Libnbd) BlockStatus(uint64, uint64, ExtentCallback, *BlockStatusOptargs) error {
	return errAbsent
}
