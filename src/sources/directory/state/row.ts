// One declared object as the state stores it, and the changes of such a row. Pure. A change without effect returns the
// same row, so that identity tells whether to write.
import { isDeepStrictEqual } from 'node:util';
import { expired, retentionHold, type Child } from '../../../core/effect.ts';
import { ConflictError, UsageError, type SpecError } from '../../../core/errors.ts';
import { isRecord } from '../../../core/json.ts';
import { hasUnansweredCreate, noStatus, type Status } from '../../../core/status/status.ts';
import type { DeclaredObject } from '../../../core/resource.ts';
import { requestTokenMax } from '../../../core/source/request.ts';
import type { Entry } from '../../../core/source/source.ts';
import { isSameChild, requestsOf as childRequests, taken } from '../../children.ts';
import type { Declared } from '../tree/scan.ts';

export interface Row extends Entry {
  /** Of the manifest's spec, requests and labels. */
  readonly hash: string;
  /** ID of the deletion that a person approved beyond the limits (core/planning/deletion-limits.ts); empty: none. */
  readonly approved: string;
  /** Requests and suspensions that were set by command, on top of the manifest's. */
  readonly overlay: Readonly<Record<string, string>>;
  /** Name in the overlay → the person who asked, and the time. For people. */
  readonly askers?: Readonly<Record<string, string>>;
  /** Requests at the time when a person approved a restored state. They may have been handled after the state was saved. */
  readonly answered: Readonly<Record<string, string>>;
}

export interface RecentDeletion {
  /** keyText of the connection. */
  readonly connection: string;
  /** Monotonic, see Clock.nowMs. */
  readonly atMs: number;
  /** Replaces an earlier record of the same object, so that it is counted once, from now on. */
  readonly again?: true;
}

export interface Slot {
  readonly row: Row | undefined;
}

/** The slot after a write. If the row is the same, nothing is written. */
export interface NextSlot extends Slot {
  readonly deletion?: RecentDeletion;
}

type Texts = Readonly<Record<string, string>>;

export const isCurrent = (row: Row, { hash, origin }: Declared): boolean =>
  row.hash === hash && row.object.origin === origin && !row.object.deleting;

/**
 * The row of an object in the tree: a new one, or the existing one brought up to date.
 * @param newUid draws the UID of a new object. UIDs are recorded, never derived: the same manifest declares another
 * object in another state, or after a deletion
 * @param createdAt of a new object
 */
export function declare(
  row: Row | undefined,
  declared: Declared,
  newUid: () => string,
  createdAt?: string,
): Row {
  const { key, requests, origin, hash, spec } = declared;
  const labels = declared.labels && { labels: declared.labels };
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
      ...labels,
      ...(createdAt !== undefined && { createdAt }),
    };
    return { object, status: noStatus, hash, approved: '', overlay: {}, answered: {} };
  }
  if (isCurrent(row, declared)) return row;
  const { refused: _refused, labels: _labels, ...object } = row.object;
  const edited = !isDeepStrictEqual(object.spec, spec);
  const generation = object.generation + (edited || object.deleting ? 1 : 0);
  return {
    ...row,
    object: { ...object, ...labels, ...(edited && { spec }), generation, deleting: false, requests, origin },
    hash,
    overlay: unanswered(row.overlay, object.requests, requests),
  };
}

/** Drops the commands' requests for which the manifest now makes another one of the same name. */
function unanswered(overlay: Texts, before: Texts, now: Texts): Texts {
  return Object.fromEntries(Object.entries(overlay).filter(([name]) => before[name] === now[name]));
}

/** Differs from the hash of every manifest. */
const noHash = '';

/** Records that the manifest exists but can't be used. If the object is deleted afterwards, a person must approve. */
export function refuse(row: Row | undefined): Row | undefined {
  if (!row || row.hash === noHash) return row;
  return { ...row, hash: noHash, object: { ...row.object, refused: true } };
}

/** How urgent a change is; `undefined`: nothing to do. */
export function causeOf(before: Row | undefined, after: Row): 'edited' | 'requested' | undefined {
  const { object } = after;
  if (before?.object.generation !== object.generation) return 'edited';
  return isDeepStrictEqual(requestsOf(before), requestsOf(after)) ? undefined : 'requested';
}

/** Marks an object whose manifest is gone as being deleted. Its row is kept until the object is released. */
export const leave = (row: Row | undefined): Row | undefined => row && setDeleting(row, true);

/** Takes that mark back, because the manifest is there again, usable or not. */
export const comeBack = (row: Row | undefined): Row | undefined => row && setDeleting(row, false);

/**
 * Drops what was asked of a deletion by command once the object is declared again: it would count at a later deletion that
 * nobody asked about.
 * @param names of requests that only objects that are being deleted accept
 */
export function afterDeletion(
  before: Row | undefined,
  after: Row | undefined,
  names: ReadonlySet<string>,
): Row | undefined {
  if (!before?.object.deleting || !after || after.object.deleting) return after;
  return [...names].reduce((row, name) => layOver(row, name, undefined), after);
}

/** The generation rises both ways, as in Kubernetes, so that UID and generation together identify one deletion. */
function setDeleting(row: Row, deleting: boolean): Row {
  const { object } = row;
  if (object.deleting === deleting) return row;
  return { ...row, object: { ...object, deleting, generation: object.generation + 1 } };
}

export const setHeld = (row: Row, held: boolean): Row =>
  row.object.held === held ? row : { ...row, object: { ...row.object, held } };

/**
 * Declares a child. Its row has no origin, so a scan never finds its manifest missing. A manifest of the same key takes
 * the row over.
 * @throws ApiError when another object has the name
 */
export function generate(row: Row | undefined, child: Child, newUid: () => string, createdAt?: string): Row {
  const requests = childRequests(child);
  if (row) {
    if (isSameChild(child, row.object)) return row;
    throw taken(child);
  }
  const { key, spec } = child;
  const common = { key, uid: newUid(), generation: 1, deleting: false, held: false, requests, spec };
  const object = { ...common, ...(createdAt !== undefined && { createdAt }) };
  return { object, status: noStatus, hash: 'generated', approved: '', overlay: {}, answered: {} };
}

/**
 * Deletes a child on behalf of its parent, unless the child has a retention hold or a manifest declares it.
 * @param decision the parent's decision that deletes the data, too. Absent: the child's `deletionPolicy` decides
 */
export function expire(row: Row | undefined, uid: string, decision?: string): Row | undefined {
  if (row?.object.uid !== uid || row.object.origin !== undefined) return row;
  if (row.object.deleting || requestsOf(row)[retentionHold] !== undefined) return row;
  if (decision === undefined) return setDeleting(row, true);
  const { spec, requests } = row.object;
  const object = {
    ...row.object,
    spec: { ...(isRecord(spec) ? spec : {}), deletionPolicy: 'Delete' },
    requests: { ...requests, [expired]: decision },
  };
  return setDeleting({ ...row, object }, true);
}

export function approve(row: Row, digest: string): Row {
  const { awaits } = row.status;
  return awaits?.digest === digest ? grant(row, awaits.id) : row;
}

/** Approves the deletion or replacement with this ID, and no other. */
export const grant = (row: Row, id: string): Row => (id === row.approved ? row : { ...row, approved: id });

const requestName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

const askerMax = 128;

/**
 * Sets a request by command.
 * @param token `undefined` withdraws the request
 * @param asker the person, and the time
 * @throws UsageError if name or token can't be a request
 */
export function layOver(row: Row, name: string, token: string | undefined, asker = ''): Row {
  if (!requestName.test(name))
    throw new UsageError(`expected the name of a request, got "${name.slice(0, 80)}"`);
  if (token !== undefined && token.length > requestTokenMax) {
    throw new UsageError(`${name}: expected at most ${requestTokenMax} characters, got ${token.length}`);
  }
  const { [name]: before, ...others } = row.overlay;
  if (before === token) return row;
  const { askers: { [name]: _asker, ...rest } = {}, ...known } = row;
  const overlay = token === undefined ? others : { ...others, [name]: token };
  const asked = token === undefined || asker === '' ? rest : { ...rest, [name]: asker.slice(0, askerMax) };
  return { ...known, overlay, ...(Object.keys(asked).length > 0 && { askers: asked }) };
}

/** @throws ConflictError unless this is the row of the object with that UID */
export function owned(row: Row | undefined, key: string, uid: string): Row {
  if (row?.object.uid === uid) return row;
  throw new ConflictError(row ? 'replaced' : 'gone', `${key} with UID ${uid} no longer exists`);
}

const requestsOf = ({ object, overlay }: Row): Texts => ({ ...object.requests, ...overlay });

/** Cleans the status of an object of a kind so that no destruction that had begun is continued. */
export type Keep = (kind: string, status: Status) => Status;

/**
 * Counts current requests as handled: after an earlier state was restored, it is unknown whether they were.
 * @param onceRequests names of the requests whose every value asks for one thing to be done once
 */
export function countAnswered(row: Row, onceRequests: ReadonlySet<string>, keep: Keep): Row {
  const standing = Object.entries(requestsOf(row)).filter(([name]) => onceRequests.has(name));
  const answered: Texts = Object.fromEntries(standing);
  const status = keep(row.object.key.kind, withoutOpenCreate(row.status));
  const isSame = isDeepStrictEqual(status, row.status) && isDeepStrictEqual(answered, row.answered);
  return isSame ? row : { ...row, answered, status };
}

/**
 * Drops an unanswered create. Repeated under its recorded name, it could find an object that was made after the state was
 * saved, or by the machine that the state was copied from.
 */
function withoutOpenCreate(status: Status): Status {
  const { pending: _pending, ...rest } = status;
  return hasUnansweredCreate(status) ? rest : status;
}

/** What decides, besides the row, how the engine sees an object. */
export interface Circumstances {
  /** Names of the requests whose every value asks for one thing to be done once. */
  readonly onceRequests: ReadonlySet<string>;
  readonly problem?: SpecError | undefined;
  /** Why the object is not deleted although its manifest is gone. */
  readonly heldBack?: string | undefined;
  /** Whether the state is distrusted: then it is unknown whether requests were handled. */
  readonly distrusted?: boolean;
}

/** The object as the engine sees it. `spec` and `status` keep their identity while they don't change. */
export function entryOf(row: Row, circumstances: Circumstances): Entry {
  const { problem, heldBack } = circumstances;
  const hides = [...circumstances.onceRequests].some((name) => hidden(row, name, circumstances));
  if (problem === undefined && heldBack === undefined && !hides && Object.keys(row.overlay).length === 0)
    return row;
  const seen = Object.entries(requestsOf(row)).filter(([name]) => !hidden(row, name, circumstances));
  return {
    object: {
      ...row.object,
      requests: Object.fromEntries(seen),
      ...byCommand(row),
      ...(problem && { problem }),
      ...(heldBack !== undefined && { heldBack }),
    },
    status: row.status,
  };
}

function byCommand({ overlay, askers = {} }: Row): Pick<DeclaredObject, 'byCommand'> {
  const asked = Object.keys(overlay).map((name) => [name, askers[name] ?? ''] as const);
  return asked.length > 0 ? { byCommand: Object.fromEntries(asked) } : {};
}

function hidden(
  { object, overlay, answered }: Row,
  name: string,
  { distrusted = false, onceRequests }: Circumstances,
): boolean {
  const token = overlay[name] ?? object.requests[name];
  if (token === undefined) return false;
  return distrusted ? onceRequests.has(name) : answered[name] === token;
}
