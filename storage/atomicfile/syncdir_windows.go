package atomicfile

import "os"

// syncDir does nothing: Windows cannot sync a directory, and NTFS journals the
// rename itself.
func syncDir(*os.Root) error { return nil }
