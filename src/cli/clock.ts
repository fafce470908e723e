// The real clock: the only one that is not passed in.
import type { Clock } from '../core/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
