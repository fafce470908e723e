// A reflector against an API server that says what a test has it say, on a clock that the test turns.
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ListPage } from '../../../src/api/kubernetes/resources.ts';
import type { WatchEvent } from '../../../src/api/kubernetes/watch.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Reflector } from '../../../src/sources/kubernetes/reflector.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';

type Events = readonly (WatchEvent | 'end' | Error | Promise<WatchEvent>)[];
/**
 * What the API server answers: an error, a page, which may come later, or events, after which the watch goes on, ends or
 * breaks off.
 */
export type Answer = ApiError | ListPage | Promise<ListPage> | Events;

export const refused = (status: number, retryAfterMs?: number): ApiError =>
  new ApiError('unavailable', 'ClusterUnavailable', `disks.watch: ${status}`, { status, retryAfterMs });
export const expired = new ApiError('unavailable', 'PageTokenExpired', 'disks.watch: expired');
export const cut = new ApiError('unavailable', 'ClusterUnavailable', 'disks.watch: other side closed');
export const unreadable = new ApiError(
  'unreadable',
  'InvalidResponse',
  'disks.watch: the answer is not JSON',
);

const object = (name: string, version: number) => sent({ version, name, uid: `uid-${name}` });
export const changed = (name: string, version: number): WatchEvent => ({
  is: 'changed',
  object: object(name, version),
});
export const deleted = (name: string, version: number): WatchEvent => ({
  is: 'deleted',
  object: object(name, version),
});
export const bookmark = (version: number): WatchEvent => ({
  is: 'bookmark',
  resourceVersion: String(version),
  initial: false,
});
export const listed = (version: number): WatchEvent => ({
  is: 'bookmark',
  resourceVersion: String(version),
  initial: true,
});
export const page = (version: number, names: readonly string[], next?: string): ListPage => ({
  items: names.map((name) => object(name, 1)),
  resourceVersion: String(version),
  ...(next !== undefined && { next }),
});

export class Bench {
  readonly clock = new ManualClock();
  /** How each request began. */
  readonly asked: string[] = [];
  readonly told: string[] = [];
  readonly troubles: (string | undefined)[] = [];
  /** When it said that a watch is open, and that none is. */
  readonly watched: boolean[] = [];
  readonly reflector: Reflector;
  /** Whether its namespace is gone. */
  isGone = false;
  /** Watches that were begun and have not ended. */
  open = 0;
  /** Who is told of that fails, once. */
  readonly fails = new Set<string>();
  readonly #answers: Answer[];

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
    this.reflector = new Reflector({
      client: {
        list: async (_resource, _of, next, signal) => {
          const answer = await this.#next(`list ${next ?? 'first'}`, signal);
          if ('items' in answer) return answer;
          throw new Error('a list was not expected');
        },
        watch: async (_resource, _of, { resourceVersion }, signal) => {
          const answer = await this.#next(`watch ${resourceVersion ?? 'with list'}`, signal);
          if ('items' in answer) throw new Error('a watch was not expected');
          return this.#events(answer, signal);
        },
      },
      resource: { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true },
      of: { namespace: '' },
      into: {
        replace: (objects, version) =>
          this.#tell(`${version}: ${objects.map(({ metadata }) => metadata.name).join(' ')}`),
        changed: ({ metadata }) => this.#tell(`+${metadata.name}@${metadata.resourceVersion}`),
        deleted: ({ metadata }) => this.#tell(`-${metadata.name}`),
        emptied: () => this.#tell('emptied'),
      },
      clock: this.clock,
      random: () => 0.5,
      trouble: (message) => this.troubles.push(message),
      watched: (isOpen) => this.watched.push(isOpen),
      isGone: async () => this.isGone,
    });
    onTestFinished(() => this.reflector.stop());
  }

  /** Starts it, and lets it come as far as it gets. */
  async started(): Promise<this> {
    void this.reflector.start();
    return this.pass(0);
  }

  async pass(ms: number): Promise<this> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    return this;
  }

  #tell(what: string): void {
    if (this.fails.delete(what)) throw new Error('who is told has a bug');
    this.told.push(what);
  }

  /** Without an answer the API server hangs. */
  async #next(what: string, signal: AbortSignal): Promise<ListPage | Events> {
    this.asked.push(what);
    const answer = await (this.#answers.shift() ?? aborted(signal));
    if (answer instanceof ApiError) throw answer;
    return answer;
  }

  async *#events(events: Events, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    this.open += 1;
    try {
      for (const one of events) {
        const event = await one;
        if (event === 'end') return;
        if (event instanceof Error) throw event;
        yield event;
      }
      await aborted(signal);
    } finally {
      this.open -= 1;
    }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
