// Blocking queries (services.md#blocking-queries): a read waits until its index exceeds the one that the client sent. A
// waiting read costs a comparison per change of its table; the read itself runs once, at the end.
import { Refusal, type Incoming, type Reply } from '../../http/server.ts';
import { flag, parseDurationMs } from '../../http/query.ts';
import type { State } from '../state.ts';
import { firstIndex } from '../store/store.ts';
import { notBoolean } from './faults.ts';

const waitDefaultMs = 300_000;
/** The server adds a random share of the wait, up to 1/16. */
const jitterShare = 16;

interface Query {
  readonly table: { readonly index: number; watch(tell: () => void): () => void };
  readonly index?: () => number;
  readonly reply: () => Reply;
}

/** Replies, at once or after waiting, with the headers of every read. @throws Refusal 400 for bad options */
export function read(state: State, request: Incoming, query: Query): Reply | Promise<Reply> {
  const index = query.index ?? (() => query.table.index);
  const { after, waitMs, stale } = optionsIn(request.query, state.behaviour.waitMaxMs);
  const answer = (): Reply => {
    const reply = query.reply();
    return { ...reply, headers: { ...meta(state, index(), stale), ...reply.headers } };
  };
  if (index() > after) return answer();
  return new Promise((resolve, reject) => {
    const finish = () => {
      stop();
      try {
        resolve(answer());
      } catch (error) {
        reject(error);
      }
    };
    const unwatch = query.table.watch(() => {
      if (index() > after) finish();
    });
    const cancel = state.clock.after(waitMs + (waitMs / jitterShare) * state.random(), finish);
    const stop = () => {
      unwatch();
      cancel();
    };
    request.onGone(stop);
  });
}

/** Checks the options of a read that never blocks. @throws Refusal 400 */
export function checkOptions(state: State, query: URLSearchParams): void {
  optionsIn(query, state.behaviour.waitMaxMs);
}

/** `after` is -1 unless the query blocks. */
function optionsIn(
  query: URLSearchParams,
  waitMaxMs: number,
): { readonly after: number; readonly waitMs: number; readonly stale: boolean } {
  const stale = flag(query, 'stale', false, notBoolean);
  const wait = query.get('wait') ?? '';
  const askedMs = wait === '' ? 0 : parseDurationMs(wait);
  if (askedMs === undefined) throw new Refusal(400, 'Invalid wait time');
  const index = query.get('index') ?? '';
  if (!/^\d{0,20}$/.test(index)) throw new Refusal(400, 'Invalid index');
  const waitMs = askedMs > 0 ? Math.min(askedMs, waitMaxMs) : Math.min(waitDefaultMs, waitMaxMs);
  return { after: Number(index) > 0 ? Number(index) : -1, waitMs, stale };
}

/** The headers of the index and the leader. Only a stale read may lag, because any server may answer it. */
export function meta(state: State, index: number, stale = false): Readonly<Record<string, string>> {
  const { dialect, behaviour, faults } = state;
  const { headers } = dialect;
  return {
    [headers.index]: String(index === firstIndex ? behaviour.firstIndex : index),
    [headers.lastContact]: String(stale ? faults.lastContactMs : 0),
    [headers.knownLeader]: String(!stale || faults.leader === 'elected'),
  };
}
