// Preloaded into a measured process (node --import): when it ends, it says on descriptor 3 what it used.
import { readFileSync, writeSync } from 'node:fs';
import type { Usage } from './measured.ts';

process.on('exit', () => {
  // Not maxRSS: Linux lets that begin with the peak of the process that spawned this one.
  const [, peakKiB] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage: Usage = {
    userMs: userCPUTime / 1000,
    systemMs: systemCPUTime / 1000,
    peakBytes: Number(peakKiB) * 1024,
  };
  writeSync(3, JSON.stringify(usage));
});
