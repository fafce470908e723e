// One declared object as the state holds it, and the ways in which it changes. Pure; a change that changes nothing
// gives the same row, so identity tells whether something has to be written.
import { isDeepStrictEqual } from 'node:util';
import { ConflictError, UsageError, type SpecError } from '../../../core/errors.ts';
import { noStatus, type Status } from '../../../core/status.ts';
import type { Entry } from '../../../core/source.ts';
import type { Declared } from '../tree/scan.ts';

export interface Row extends Entry {
  /** Of spec and requests as the manifest has them. */
  readonly hash: string;
  /** ID of the going that a person approved beyond the deletion limits (core/planning/deletion-limits.ts); empty: none. */
  readonly approved: string;
  /** Requests and suspensions given by command, laid over the manifest's. */
  readonly overlay: Readonly<Record<string, string>>;
  /** Requests that stood when a person went on from a restored state: they may have been answered after it was saved. */
  readonly answered: Readonly<Record<string, string>>;
}

/** An object left, or was replaced, without having been approved. */
export interface Departure {
  /** keyText */
  readonly connection: string;
  /** Monotonic, see Clock.nowMs. */
  readonly atMs: number;
}

/** What stands under one key. */
export interface Slot {
  readonly row: Row | undefined;
}

/** What a write leaves under a key. The same row: nothing is written. */
export interface NextSlot extends Slot {
  /** Counts against the deletion limits. */
  readonly departed?: Departure;
}

type Texts = Readonly<Record<string, string>>;

/** Whether the state already says what the manifest says. */
export const isCurrent = (row: Row, { hash, origin }: Declared): boolean =>
  row.hash === hash && row.object.origin === origin && !row.object.deleting;

/**
 * The row of an object that stands in the tree: a new one, or what was there brought up to date.
 * @param newUid draws the UID of a new one. It is recorded with the row, and nothing can tell it from outside: who
 *   declares the same elsewhere, or again after this one left, declares another object.
 */
export function declare(row: Row | undefined, declared: Declared, newUid: () => string): Row {
  const { key, requests, origin, hash, spec } = declared;
  if (row === undefined) {
    const object = {
      key,
      uid: newUid(),
      generation: 1,
      deleting: false,
      held: false,
      requests,
      spec,
      origin,
    };
    return { object, memory: noStatus, hash, approved: '', overlay: {}, answered: {} };
  }
  if (isCurrent(row, declared)) return row;
  const { refused: _refused, ...object } = row.object;
  const edited = !isDeepStrictEqual(object.spec, spec);
  const generation = object.generation + (edited || object.deleting ? 1 : 0);
  return {
    ...row,
    object: { ...object, ...(edited && { spec }), generation, deleting: false, requests, origin },
    hash,
    overlay: unanswered(row.overlay, object.requests, requests),
  };
}

/** What a command asked for stands until the manifest asks for something else under the same name. */
function unanswered(overlay: Texts, before: Texts, now: Texts): Texts {
  return Object.fromEntries(Object.entries(overlay).filter(([name]) => before[name] === now[name]));
}

/** The hash of no manifest: what is stored is not what the manifest says. */
const noHash = '';

/** Its manifest stands there and can't be used. That is kept for the day when it leaves. */
export function refuse(row: Row | undefined): Row | undefined {
  if (!row || row.hash === noHash) return row;
  return { ...row, hash: noHash, object: { ...row.object, refused: true } };
}

/** How urgently a change has to be looked at; `undefined`: it changes nothing to act on. */
export function causeOf(before: Row | undefined, after: Row): 'edited' | 'requested' | undefined {
  const { object } = after;
  if (before?.object.generation !== object.generation) return 'edited';
  return isDeepStrictEqual(requestsOf(before), requestsOf(after)) ? undefined : 'requested';
}

/** The row of an object whose manifest is gone: nothing of it is forgotten before it is released. */
export const leave = (row: Row | undefined): Row | undefined => row && setLeaving(row, true);

/** Its manifest is back, even if it can't be used as it stands. */
export const comeBack = (row: Row | undefined): Row | undefined => row && setLeaving(row, false);

/** The generation rises either way, as in Kubernetes: UID and generation name one leaving, never an earlier one. */
function setLeaving(row: Row, deleting: boolean): Row {
  const { object } = row;
  if (object.deleting === deleting) return row;
  return { ...row, object: { ...object, deleting, generation: object.generation + 1 } };
}

export const setHeld = (row: Row, held: boolean): Row =>
  row.object.held === held ? row : { ...row, object: { ...row.object, held } };

/** What waits under that digest is approved; nothing else is, nor anything that waits under it another day. */
export function approve(row: Row, digest: string): Row {
  const { awaits } = row.memory;
  return awaits?.digest === digest && awaits.id !== row.approved ? { ...row, approved: awaits.id } : row;
}

const requestName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const tokenMax = 1_024;

/**
 * @param token `undefined` takes back what was given by command.
 * @throws UsageError when name or token can't be a request.
 */
export function layOver(row: Row, name: string, token: string | undefined): Row {
  if (!requestName.test(name))
    throw new UsageError(`expected the name of a request, got "${name.slice(0, 80)}"`);
  if (token !== undefined && token.length > tokenMax) {
    throw new UsageError(`${name}: expected at most ${tokenMax} characters, got ${token.length}`);
  }
  const { [name]: before, ...others } = row.overlay;
  if (before === token) return row;
  return { ...row, overlay: token === undefined ? others : { ...others, [name]: token } };
}

/** @throws ConflictError unless this is the row of the object with that UID. */
export function owned(row: Row | undefined, key: string, uid: string): Row {
  if (row?.object.uid === uid) return row;
  throw new ConflictError(`${key} with UID ${uid} is no longer there`);
}

const requestsOf = ({ object, overlay }: Row): Texts => ({ ...object.requests, ...overlay });

/** Each value asks for one thing to be done once. */
const onceEach = ['rotate', 'rotate-root', 'reseed-root'] as const;

/** Of the object of a kind: nothing that was half way to being destroyed is destroyed. */
export type Keep = (kind: string, memory: Status) => Status;

/** Counts what is asked for now as answered: that is not known after an earlier state was restored. */
export function countAnswered(row: Row, keep: Keep): Row {
  const requests = requestsOf(row);
  const standing = onceEach.flatMap((name) => (requests[name] === undefined ? [] : [[name, requests[name]]]));
  const answered: Texts = Object.fromEntries(standing);
  const memory = keep(row.object.key.kind, withoutOpenCreate(row.memory));
  const isSame = isDeepStrictEqual(memory, row.memory) && isDeepStrictEqual(answered, row.answered);
  return isSame ? row : { ...row, answered, memory };
}

/** Repeated by its recorded name, it would find what another day, or the machine that this was copied from, made of it. */
function withoutOpenCreate(memory: Status): Status {
  const { pending, ...rest } = memory;
  return pending?.op === 'create' && pending.done !== true ? rest : memory;
}

/** What the engine is to see beside the row. */
export interface Circumstances {
  readonly problem?: SpecError | undefined;
  readonly undecided?: boolean;
  /** Whether a request was answered can't be told. */
  readonly distrusted?: boolean;
}

/** The object as the engine sees it. `spec` and `memory` keep their identity for as long as they don't change. */
export function entryOf(row: Row, { problem, undecided = false, distrusted = false }: Circumstances): Entry {
  const hides = onceEach.some((name) => hidden(row, name, distrusted));
  if (problem === undefined && !undecided && !hides && Object.keys(row.overlay).length === 0) return row;
  const seen = Object.entries(requestsOf(row)).filter(([name]) => !hidden(row, name, distrusted));
  const more = { ...(problem && { problem }), ...(undecided && { undecided: true as const }) };
  return { object: { ...row.object, requests: Object.fromEntries(seen), ...more }, memory: row.memory };
}

function hidden({ object, overlay, answered }: Row, name: string, distrusted: boolean): boolean {
  const token = overlay[name] ?? object.requests[name];
  if (token === undefined) return false;
  return distrusted ? onceEach.some((one) => one === name) : answered[name] === token;
}
