// The real clocks. All other code gets its clock passed in.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock, WallClock } from '../core/time/clock.ts';
import type { Boot } from '../sources/directory/state/boot.ts';

export const systemClock: Clock & WallClock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

const bootIdFile = '/proc/sys/kernel/random/boot_id';

/** The current boot of the machine; `{}` on systems without a boot ID, which are all but Linux. */
export function systemBoot(): { readonly boot?: Boot } {
  try {
    const id = readFileSync(bootIdFile, 'utf8').trim();
    return /^[-0-9a-f]{36}$/.test(id) ? { boot: { id, sinceMs: () => uptime() * 1_000 } } : {};
  } catch {
    return {};
  }
}
