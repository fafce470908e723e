// One declared object as the state holds it, and the ways in which it changes. Pure; a change that changes nothing
// gives the same row, so identity tells whether something has to be written.
import { isDeepStrictEqual } from 'node:util';
import { ConflictError, type SpecError } from '../../core/errors.ts';
import { noMemory } from '../../core/resource.ts';
import type { Entry } from '../../core/source.ts';
import type { Declared } from './pass.ts';

export interface Row extends Entry {
  /** Of spec and requests as the manifest has them. */
  readonly hash: string;
  /** A person let it leave beyond the deletion limits. */
  readonly approved: boolean;
  /** Requests and suspensions given by command, laid over the manifest's. */
  readonly overlay: Readonly<Record<string, string>>;
}

/** An object left without having been approved. */
export interface Departure {
  /** keyText */
  readonly connection: string;
  /** Whole milliseconds since 1970. */
  readonly atMs: number;
}

/** What stands under one key. */
export interface Slot {
  readonly row: Row | undefined;
  /** How often Holdfast removed the external object of this name. */
  readonly incarnation: number;
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

/** The row of an object that stands in the tree: a new one, or what was there brought up to date. */
export function declare(row: Row | undefined, declared: Declared, uid: string): Row {
  const { key, requests, origin, hash, spec } = declared;
  if (row === undefined) {
    const object = { key, uid, generation: 1, deleting: false, held: false, requests, spec, origin };
    return { object, memory: noMemory, hash, approved: false, overlay: {} };
  }
  if (isCurrent(row, declared)) return row;
  const { object } = row;
  const edited = !isDeepStrictEqual(object.spec, spec);
  const next = edited ? { spec, generation: object.generation + 1 } : {};
  return {
    ...row,
    object: { ...object, ...next, deleting: false, requests, origin },
    hash,
    approved: false,
    overlay: unanswered(row.overlay, object.requests, requests),
  };
}

/** What a command asked for stands until the manifest asks for something else under the same name. */
function unanswered(overlay: Texts, before: Texts, now: Texts): Texts {
  return Object.fromEntries(Object.entries(overlay).filter(([name]) => before[name] === now[name]));
}

/** How urgently a change has to be looked at; `undefined`: it changes nothing to act on. */
export function causeOf(before: Row | undefined, after: Row): 'edited' | 'requested' | undefined {
  const { object } = after;
  if (before?.object.generation !== object.generation || before.object.deleting !== object.deleting)
    return 'edited';
  return isDeepStrictEqual(requestsOf(before), requestsOf(after)) ? undefined : 'requested';
}

/** The row of an object whose manifest is gone: nothing of it is forgotten before it is released. */
export const leave = (row: Row | undefined): Row | undefined => row && setLeaving(row, true);

/** Its manifest is back, even if it can't be used as it stands. */
export const comeBack = (row: Row | undefined): Row | undefined => row && setLeaving(row, false);

const setLeaving = (row: Row, deleting: boolean): Row =>
  row.object.deleting === deleting ? row : { ...row, object: { ...row.object, deleting }, approved: false };

export const setHeld = (row: Row, held: boolean): Row =>
  row.object.held === held ? row : { ...row, object: { ...row.object, held } };

export const approve = (row: Row): Row =>
  row.object.deleting && !row.approved ? { ...row, approved: true } : row;

/** @param token `undefined` takes back what was given by command. */
export function layOver(row: Row, name: string, token: string | undefined): Row {
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

/** The object as the engine sees it. `spec` and `memory` keep their identity for as long as they don't change. */
export function entryOf(row: Row, problem: SpecError | undefined, isUndecided = false): Entry {
  if (problem === undefined && !isUndecided && Object.keys(row.overlay).length === 0) return row;
  const undecided = isUndecided && { undecided: true as const };
  const object = { ...row.object, requests: requestsOf(row), ...(problem && { problem }), ...undecided };
  return { object, memory: row.memory };
}
