// `npm run simulate -- --seeds 10000 [--from 1] [--workers 2]`, or `--seed 17 [--only I4]` to play one again, made as small
// as it gets; with `--whole` as it is. `--until I4` ends as soon as that is broken. `--source kubernetes`: declared in clusters.
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { invariants } from './oracle/judge.ts';
import { shown } from './report.ts';
import type { Verdict } from './worker.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    whole: { type: 'boolean', default: false },
    only: { type: 'string' },
    until: { type: 'string' },
    source: { type: 'string', default: 'directory' },
  },
});
const source = values.source === 'kubernetes' ? 'kubernetes' : 'directory';

const historiesPerThread = 2_000;

/** One takes some 60 ms. One that goes round in a circle never gives its thread back: it is told, and the next are played. */
const endsWithinMs = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function replay(seed: string): Promise<number> {
  const { playSeed, smallest } = await import('./run.ts');
  const first = await playSeed(seed, source);
  const broken = values.only ?? first.violations[0]?.invariant;
  const isBroken = first.violations.some(({ invariant }) => invariant === broken);
  const played =
    values.whole || broken === undefined || !isBroken ? first : await smallest(first, source, broken);
  for (const line of shown(played)) say(line);
  return played.violations.length;
}

async function many(): Promise<number> {
  const from = Number(values.from ?? randomInt(2 ** 31));
  const count = Number(values.seeds);
  say(`seeds ${from} to ${from + count - 1}`);
  const started = performance.now();
  const failed = new Map<string, Verdict[]>();
  let next = 0;
  const happened = new Map<string, number>();
  const take = ({ seed, violations, events }: Verdict): void => {
    // At once: ten thousand take a while.
    for (const { invariant, message } of violations)
      process.stderr.write(`--seed ${seed} ${invariant} ${message}\n`);
    for (const event of events) happened.set(event, (happened.get(event) ?? 0) + 1);
    for (const invariant of new Set(violations.map((one) => one.invariant))) {
      failed.set(invariant, [...(failed.get(invariant) ?? []), { seed, violations, events }]);
    }
  };
  const isOver = (): boolean => next >= count || (values.until !== undefined && failed.has(values.until));
  /** Plays some histories in a thread of its own. What a process that is killed leaves open in them is never collected. */
  const some = (): Promise<void> =>
    new Promise((done, fail) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: source });
      let left = historiesPerThread;
      let waiting: NodeJS.Timeout | undefined;
      const give = (): void => {
        clearTimeout(waiting);
        if (isOver() || left-- === 0) {
          void worker.terminate();
          return done();
        }
        const seed = String(from + next++);
        waiting = setTimeout(() => {
          const message = `it did not end within ${endsWithinMs / 1000} s`;
          take({ seed, events: [], violations: [{ invariant: 'I11', at: 0, message }] });
          void worker.terminate();
          done();
        }, endsWithinMs);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(seed);
      };
      // The first is given once all is loaded: on a busy machine that takes longer than a history.
      worker.on('message', (said: Verdict | 'loaded') => {
        if (said !== 'loaded') take(said);
        give();
      });
      worker.on('error', fail);
    });
  const work = async (): Promise<void> => {
    while (!isOver()) await some();
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  const seconds = (performance.now() - started) / 1000;
  say(`${next} histories in ${seconds.toFixed(0)} s, ${((seconds * 1000) / next).toFixed(0)} ms each`);
  say(`what happened: ${[...happened].map(([what, n]) => `${what} ${n}`).join(', ')}`);
  for (const [invariant, meaning] of Object.entries(invariants)) {
    const broken = failed.get(invariant) ?? [];
    say(`${invariant.padEnd(4)} ${String(broken.length).padStart(6)}  ${meaning}`);
    for (const { seed, violations } of broken.slice(0, 5)) {
      const [first] = violations.filter((one) => one.invariant === invariant);
      say(`       --seed ${seed}: ${first?.message ?? ''}`);
    }
  }
  return failed.size;
}

process.exitCode = (await (values.seed === undefined ? many() : replay(values.seed))) === 0 ? 0 : 1;
