package main

import (
	"fmt"
	"os"
	"regexp"
	"syscall"
)

var peak = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// reportUsage says on descriptor 3 what the process used, as test/bench/usage.ts does for Node.
func reportUsage() {
	var used syscall.Rusage
	text, err := os.ReadFile("/proc/self/status")
	found := peak.FindSubmatch(text)
	if err != nil || found == nil || syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return
	}
	var kib int64
	_, _ = fmt.Sscan(string(found[1]), &kib)
	ms := func(of syscall.Timeval) float64 { return float64(of.Sec)*1e3 + float64(of.Usec)/1e3 }
	_, _ = fmt.Fprintf(os.NewFile(3, "usage"), `{"userMs":%f,"systemMs":%f,"peakBytes":%d}`, ms(used.Utime), ms(used.Stime), kib*1024)
}
