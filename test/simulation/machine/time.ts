// Time that passes only when the simulation says so, for the whole process: timers, dates and `performance` follow it,
// each as the simulated process in whose course it is asked for sees it. Randomness is drawn from the seed in the same way.
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { Queue } from './queue.ts';
import { randomOf, type Random } from './random.ts';

/** A simulated process: what it began stops when it is killed. */
export interface Life {
  readonly name: string;
  readonly random: Random;
  alive: boolean;
  /** Nothing of it runs before that: it is stopped, as by SIGSTOP, and goes on with whatever was due. Absent: it runs. */
  frozenUntilMs?: number;
  /** How far its machine's wall clock is ahead of the true one, in milliseconds. */
  readonly clock: { aheadMs: number };
  /** What its files meet. */
  readonly files: { trouble: 'ENOSPC' | 'EROFS' | undefined };
}

/** The true wall clock when a history begins. */
const epochMs = Date.UTC(2026, 0, 1);
const lives = new AsyncLocalStorage<Life | undefined>();
const { setImmediate: realImmediate } = globalThis;

class Timer {
  readonly life = lives.getStore();
  readonly run: () => void;
  cancelled = false;
  constructor(run: () => void) {
    this.run = run;
  }
  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
}

let queue = new Queue<Timer>();
let now = 0;
const immediates = { waiting: 0 };
let world: Random = randomOf('');

const wallMs = (): number => epochMs + now + (lives.getStore()?.clock.aheadMs ?? 0);
const random = (): Random => lives.getStore()?.random ?? world;

function after(ms: number, run: () => void): Timer {
  const timer = new Timer(run);
  queue.add(now + Math.max(0, Number.isFinite(ms) ? ms : 0), timer);
  return timer;
}

function cancel(timer: unknown): void {
  if (timer instanceof Timer) timer.cancelled = true;
}

function soon(run: () => void): unknown {
  const life = lives.getStore();
  immediates.waiting += 1;
  return realImmediate(() => {
    immediates.waiting -= 1;
    if (life?.alive !== false) run();
  });
}

const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random().below(256)));

/** Puts virtual time in the place of real time, for as long as the process runs. */
export function install(): void {
  const own = {
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      after(ms, () => run(...args)),
    clearTimeout: cancel,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => soon(() => run(...args)),
    clearImmediate: () => {},
  };
  Object.assign(globalThis, own);
  Object.assign(timers, own);
  Object.assign(timersPromises, {
    setTimeout: (ms: number, value: unknown) => new Promise((done) => after(ms, () => done(value))),
    setImmediate: (value: unknown) => new Promise((done) => soon(() => done(value))),
  });
  Object.assign(crypto, { randomBytes: bytes, randomUUID: () => bytes(16).toString('hex') });
  syncBuiltinESMExports();
  Math.random = () => random().next();
  Date.now = wallMs;
  globalThis.Date = new Proxy(Date, {
    construct(target, args, made): object {
      const given: unknown[] = args.length === 0 ? [wallMs()] : args;
      const date: object = Reflect.construct(target, given, made);
      return date;
    },
  });
  performance.now = () => now;
  AbortSignal.timeout = (ms) => {
    const abort = new AbortController();
    after(ms, () => abort.abort(new DOMException('no answer in time', 'TimeoutError')));
    return abort.signal;
  };
}

/** Time begins anew; whatever was still to come never does. */
export function begin(seed: string): void {
  queue = new Queue();
  now = 0;
  world = randomOf(`${seed} world`);
}

/** Milliseconds since the history began: what nobody's clock shows, and every timer goes by. */
export const nowMs = (): number => now;

/** What the embedded services see: the true time. */
export const trueClock = {
  nowMs: () => epochMs + now,
  after(delayMs: number, run: () => void) {
    const timer = inWorld(() => after(delayMs, run));
    return () => cancel(timer);
  },
};

/** Runs in the course of a process: what it begins ends with it. */
export const within = <T>(life: Life, run: () => T): T => lives.run(life, run);

/** In whose course it is; `undefined`: nobody's. */
export const current = (): Life | undefined => lives.getStore();

/** Runs in nobody's course. */
export const inWorld = <T>(run: () => T): T => lives.run(undefined, run);

/** In nobody's course, after so many milliseconds. */
export const later = (ms: number, run: () => void): void => void inWorld(() => after(ms, run));

/** Lets everything happen that happens by then. @param untilMs as `nowMs` @param isEnough ends it early */
export async function advance(untilMs: number, isEnough: () => boolean = () => false): Promise<void> {
  for (;;) {
    await drained();
    if (isEnough()) return;
    const next = queue.take(untilMs);
    if (!next) break;
    const { at, item } = next;
    if (item.cancelled || item.life?.alive === false) continue;
    const thawsMs = item.life?.frozenUntilMs ?? 0;
    if (thawsMs > Math.max(now, at)) {
      queue.add(thawsMs, item);
      continue;
    }
    now = Math.max(now, at);
    lives.run(item.life, item.run);
  }
  now = Math.max(now, untilMs);
}

/** Lets everything happen that needs no time. */
async function drained(): Promise<void> {
  do {
    await new Promise<void>((done) => realImmediate(done));
  } while (immediates.waiting > 0);
}
