// An object of the API server as it is kept here, and what is written of it. PURE.
import { isDeepStrictEqual } from 'node:util';
import { SpecError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { DeclaredObject, Key } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { requestPrefix, requestTokenMax } from '../../core/source/request.ts';
import { noStatus, parseStatus, type Status } from '../../core/status/status.ts';
import type { KubernetesObject } from '../../api/kubernetes/resources.ts';

export const finalizer = 'holdfast.dev/finalizer';
/** Whose the finalizer is, and the status with the first intent (docs/decisions/0023-the-intent-is-an-annotation.md). */
export const intentAnnotation = 'holdfast.dev/intent';
/** On a connection: the digest of the deletions that a person approves. */
const approveAnnotation = 'holdfast.dev/approve';
const notRequests = new Set(['intent', 'approve']);

/** What was let go of or replaced without an approval, in the status of a connection. */
export interface DepartureRecord {
  readonly key: string;
  /** RFC 3339. */
  readonly at: string;
}

/** One object: as the engine sees it, and what its next write needs. */
export interface Stored {
  readonly object: DeclaredObject;
  readonly status: Status;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  /** The status as it is stored: of another writer, of an earlier version. */
  readonly wire: Json | undefined;
  /** ID of the intent annotation, if it is this object's. */
  readonly intent?: string;
  /** ID of the deletion or replacement that a person approved (core/planning/deletion-limits.ts). */
  readonly approved?: string;
  /** Of a connection: what a person approves. */
  readonly approves?: string;
}

/** @returns the problem of a spec; `undefined`: it is valid */
export type Validate = (kind: string, spec: unknown) => SpecError | undefined;

/** @param before what was kept of the object; its spec stays the same value for as long as UID and generation do */
export function decode(
  raw: KubernetesObject,
  kind: string,
  before: Stored | undefined,
  validate: Validate,
): Stored {
  const { metadata, spec, status: wire } = raw;
  const { uid, generation = 1, annotations = {}, finalizers = [], labels, creationTimestamp } = metadata;
  const key: Key = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
  const known = before?.object.uid === uid ? before : undefined;
  // Backups bring statuses along: that of another object says nothing of this one.
  const written = isRecord(wire) && wire['uid'] === uid ? wire : {};
  const intent = intentOf(annotations[intentAnnotation], uid);
  const own = statusOf(written);
  const includes = own !== noStatus && written['intent'] === intent?.id;
  const status = includes ? own : (statusOfIntent(intent) ?? own);
  const doubt = doubtOf(intent, status.pending, annotations, finalizers);
  const { approved } = written;
  const approves = annotations[approveAnnotation];
  const requests = requestsOf(annotations, known?.object.requests);
  const tooLong = longRequest(requests);
  return {
    object: {
      key,
      uid,
      generation,
      deleting: metadata.deletionTimestamp !== undefined,
      // A finalizer alone may be a copy's, or anybody's.
      held: finalizers.includes(finalizer) && intent !== undefined,
      ...(doubt && { doubt }),
      requests,
      ...(labels && { labels }),
      ...(creationTimestamp !== undefined && { createdAt: creationTimestamp }),
      ...(tooLong && { problem: tooLong }),
      ...specOf(kind, spec, generation, known?.object, validate),
    },
    status,
    resourceVersion: metadata.resourceVersion,
    finalizers,
    wire,
    ...(intent && { intent: intent.id }),
    ...(typeof approved === 'string' && { approved }),
    ...(approves !== undefined && { approves }),
  };
}

/** As long as its intent is still the first one, nobody knows what was done since: a status that was written may be stripped. */
function doubtOf(
  intent: IntentRecord | undefined,
  pending: Status['pending'],
  annotations: Readonly<Record<string, string>>,
  finalizers: readonly string[],
): DeclaredObject['doubt'] {
  if (!intent)
    return annotations[intentAnnotation] !== undefined || finalizers.includes(finalizer)
      ? 'copied'
      : undefined;
  const isFirst = pending !== undefined && isDeepStrictEqual(pending, statusOfIntent(intent)?.pending);
  return isFirst ? 'recalled' : undefined;
}

type SpecPart = Pick<DeclaredObject, 'spec' | 'problem' | 'refused'>;

/** An object that an older definition let in may not be valid: the last spec that was goes on, if one is known. */
function specOf(
  kind: string,
  spec: unknown,
  generation: number,
  known: DeclaredObject | undefined,
  validate: Validate,
): SpecPart {
  if (known?.generation === generation) {
    const { problem, refused } = known;
    return { spec: known.spec, ...(refused && problem && { problem, refused }) };
  }
  const problem = validate(kind, spec);
  return problem ? { spec: known?.spec, problem, refused: true } : { spec };
}

/** The same value for the same requests: most changes are of something else. */
function requestsOf(
  annotations: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const requests: Record<string, string> = {};
  for (const [name, token] of Object.entries(annotations)) {
    const request = name.startsWith(requestPrefix) ? name.slice(requestPrefix.length) : '';
    if (request !== '' && !notRequests.has(request)) requests[request] = token;
  }
  return sameTexts(requests, before) ? before : requests;
}

function longRequest(requests: Readonly<Record<string, string>>): SpecError | undefined {
  const long = Object.entries(requests).find(([, token]) => token.length > requestTokenMax);
  if (long === undefined) return undefined;
  const [name, { length }] = long;
  const path = `/metadata/annotations/${requestPrefix.replace('/', '~1')}${name}`;
  return new SpecError(path, `at most ${requestTokenMax} characters`, String(length));
}

export const sameTexts = (
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => a[name] === b[name]);

/** Fills up what other tools have stripped. */
const statusOf = (written: Readonly<Record<string, unknown>>): Status =>
  parseStatus({
    applied: {},
    handledRequests: {},
    tries: {},
    history: [],
    conditions: [],
    ...withoutOurs(written),
  });

/** What this source adds to a status is not the engine's. */
const withoutOurs = ({
  uid: _uid,
  intent: _intent,
  approved: _approved,
  departures: _departures,
  ...status
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => status;

export interface IntentRecord {
  readonly id: string;
  /** The object that it is about: annotations are copied with manifests and backups. */
  readonly uid: string;
  /** With the first intent: a Status. */
  readonly status?: unknown;
}

function intentOf(text: string | undefined, uid: string): IntentRecord | undefined {
  const record = text === undefined ? undefined : parseJson(text);
  if (!isRecord(record) || record['uid'] !== uid || typeof record['id'] !== 'string') return undefined;
  return { id: record['id'], uid, status: record['status'] };
}

/** @returns `undefined`: there is none, or it can't be read */
function statusOfIntent(intent: IntentRecord | undefined): Status | undefined {
  const status = intent?.status === undefined ? noStatus : parseStatus(intent.status);
  return status === noStatus ? undefined : status;
}

export const departuresOf = (wire: Json | undefined): readonly DepartureRecord[] => {
  const list = isRecord(wire) ? wire['departures'] : undefined;
  return Array.isArray(list) ? list.filter(isDeparture) : [];
};

const isDeparture = (value: unknown): value is DepartureRecord =>
  isRecord(value) && typeof value['key'] === 'string' && typeof value['at'] === 'string';

/** The status to store in place of the one that is: what the engine knows, and what this source adds. */
export function statusBody(status: Status, stored: Stored, approved: string | undefined): Json {
  const departures = departuresOf(stored.wire);
  return {
    ...status,
    observedGeneration: status.observedGeneration ?? -1, // as the definition has it for a new object
    uid: stored.object.uid,
    ...(stored.intent !== undefined && { intent: stored.intent }),
    ...(approved !== undefined && { approved }),
    ...(departures.length > 0 && { departures: departures.map(({ key, at }) => ({ key, at })) }),
  };
}

/** Whether `a` is later than `b`. Versions are numbers of any length (KEP-5504). */
export const isNewer = (a: string, b: string): boolean =>
  a.length === b.length ? a > b : a.length > b.length;
