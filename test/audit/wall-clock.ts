// Loaded into the program (`node --import`): its wall clock is wrong by as many milliseconds as a file says at the time.
// Timers and the monotonic clock go on, as they do when somebody sets the clock.
import { readFileSync } from 'node:fs';

const { WALL_CLOCK_FILE: file = '' } = process.env;
const realMs = Date.now;

function nowMs(): number {
  return realMs() + Number(readFileSync(file, 'utf8'));
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget): object =>
    Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget),
  get: (target, name, receiver): unknown => (name === 'now' ? nowMs : Reflect.get(target, name, receiver)),
});
