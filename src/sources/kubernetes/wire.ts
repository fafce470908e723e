// Converts objects of the API server to the engine's form and builds the bodies of writes. PURE.
import { isDeepStrictEqual } from 'node:util';
import { SpecError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { shareParts } from '../../core/shared-json.ts';
import type { DeclaredObject, Key } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { requestPrefix, requestsMax, requestTokenMax } from '../../core/source/request.ts';
import { noStatus, parseStatus, type Status } from '../../core/status/status.ts';
import type { KubernetesObject } from '../../api/kubernetes/resources.ts';

export const finalizer = 'holdfast.dev/finalizer';
/**
 * Keeps an object that is only observed until nobody uses it. It proves nothing of what is outside
 * (docs/decisions/0039-what-is-observed-is-protected.md).
 */
export const inUseProtection = 'holdfast.dev/in-use-protection';
/**
 * Says which object the finalizer belongs to, and holds the first intent
 * (docs/decisions/0023-the-intent-is-an-annotation.md).
 */
export const intentAnnotation = 'holdfast.dev/intent';
/** On a connection: digests of the deletions that a person approves. */
export const approveAnnotation = 'holdfast.dev/approve';
const notRequests = new Set(['intent', 'approve']);

/** An object that left the connection, or was replaced, without approval. Stored in the status of the connection. */
export interface DeletionRecord {
  readonly key: string;
  /** RFC 3339. */
  readonly at: string;
}

/** One object as the engine sees it, with what the next write of it needs. */
export interface Stored {
  readonly object: DeclaredObject;
  readonly status: Status;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  /** The status exactly as stored, by whatever writer or version. */
  readonly wire: Json | undefined;
  /** ID of the intent annotation, if the annotation names this object's UID. */
  readonly intent?: string;
  /** ID of the deletion or replacement that a person approved (core/planning/deletion-limits.ts). */
  readonly approved?: string;
  /** Of a connection: the digests that a person approves, separated by commas. */
  readonly approves?: string;
  /** Of an object that is being deleted: the first version with its deletion mark that is known. */
  readonly marked?: string;
}

export const digestsIn = (approves = ''): readonly string[] => approves.split(',').filter(Boolean);

/** @returns why a spec is invalid; `undefined`: it is valid */
export type Validate = (kind: string, spec: unknown) => SpecError | undefined;

/** @param raw is changed in place: what many objects have in common is kept once. @param before the stored object; while UID, generation and spec are unchanged, its spec stays the same value */
export function decode(
  raw: KubernetesObject,
  kind: string,
  before: Stored | undefined,
  validate: Validate,
): Stored {
  const { metadata, spec, status: wire } = raw;
  shareParts(spec);
  shareParts(wire);
  const { uid, generation = 1, annotations = {}, finalizers = [], labels, creationTimestamp } = metadata;
  const key: Key = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
  const known = before?.object.uid === uid ? before : undefined;
  // Restored backups include statuses: a status with another object's UID says nothing about this object.
  const isWritten = isRecord(wire) && wire['uid'] === uid;
  const written = isWritten ? wire : {};
  const intent = intentOf(annotations[intentAnnotation], uid);
  const own = statusOf(written);
  const includes = own !== noStatus && written['intent'] === intent?.id;
  const recalled = includes ? undefined : statusOfIntent(intent);
  const status = recalled ?? own;
  const doubt = doubtOf(intent, status.pending, annotations, finalizers);
  const { approved } = written;
  const approves = annotations[approveAnnotation];
  const requests = requestsOf(annotations, known?.object.requests);
  const wrong = wrongRequest(requests);
  return {
    object: {
      key,
      uid,
      generation,
      deleting: metadata.deletionTimestamp !== undefined,
      // A finalizer alone proves nothing: it may have been copied with a manifest.
      held: finalizers.includes(finalizer) && intent !== undefined,
      ...(doubt && { doubt }),
      ...(recalled && !isWritten && { unwritten: true }),
      requests,
      ...(labels && { labels }),
      ...(creationTimestamp !== undefined && { createdAt: creationTimestamp }),
      ...(wrong && { problem: wrong }),
      ...specOf(kind, spec, generation, known?.object, validate),
    },
    status,
    resourceVersion: metadata.resourceVersion,
    finalizers,
    wire,
    ...(intent && { intent: intent.id }),
    ...(typeof approved === 'string' && { approved }),
    ...(approves !== undefined && { approves }),
    ...(metadata.deletionTimestamp !== undefined && { marked: known?.marked ?? metadata.resourceVersion }),
  };
}

/**
 * Whether the status may lack something. While the intent is still the first one, it is unknown what was done since: a
 * later status may have been written, and stripped by another tool.
 */
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

/** An object that an older definition accepted may be invalid. It keeps its last valid spec, if one is known. */
function specOf(
  kind: string,
  spec: unknown,
  generation: number,
  known: DeclaredObject | undefined,
  validate: Validate,
): SpecPart {
  // An etcd that was put back counts on from an earlier generation: the same number may come again with another spec.
  const isKnown = known?.generation === generation && !known.refused && isDeepStrictEqual(spec, known.spec);
  if (isKnown) return { spec: known.spec };
  const problem = validate(kind, spec);
  return problem ? { spec: known?.spec, problem, refused: true } : { spec };
}

/** Returns `before` itself if the requests are equal, since most changes concern something else. */
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

function wrongRequest(requests: Readonly<Record<string, string>>): SpecError | undefined {
  const count = Object.keys(requests).length;
  if (count > requestsMax)
    return new SpecError(
      '/metadata/annotations',
      `at most ${requestsMax} of ${requestPrefix}*`,
      String(count),
    );
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

/** Fills in the fields that other tools have stripped. */
const statusOf = (written: Readonly<Record<string, unknown>>): Status =>
  parseStatus({
    applied: {},
    handledRequests: {},
    tries: {},
    history: [],
    conditions: [],
    ...withoutOurs(written),
  });

/** Removes the fields that this source adds to a status; the engine does not know them. */
const withoutOurs = ({
  uid: _uid,
  intent: _intent,
  approved: _approved,
  recentDeletions: _recentDeletions,
  ...status
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => status;

export interface IntentRecord {
  readonly id: string;
  /** UID of the object it belongs to: annotations are copied along with manifests and backups. */
  readonly uid: string;
  /** Only with the first intent: a Status. */
  readonly status?: unknown;
}

function intentOf(text: string | undefined, uid: string): IntentRecord | undefined {
  const record = text === undefined ? undefined : parseJson(text);
  if (!isRecord(record) || record['uid'] !== uid || typeof record['id'] !== 'string') return undefined;
  return { id: record['id'], uid, status: record['status'] };
}

/** @returns `undefined`: there is none, or it is unreadable */
function statusOfIntent(intent: IntentRecord | undefined): Status | undefined {
  const status = intent?.status === undefined ? noStatus : parseStatus(intent.status);
  return status === noStatus ? undefined : status;
}

export const recentDeletionsOf = (wire: Json | undefined): readonly DeletionRecord[] => {
  const list = isRecord(wire) ? wire['recentDeletions'] : undefined;
  return Array.isArray(list) ? list.filter(isDeletionRecord) : [];
};

const isDeletionRecord = (value: unknown): value is DeletionRecord =>
  isRecord(value) && typeof value['key'] === 'string' && typeof value['at'] === 'string';

/** The status to store: the engine's status with the fields that this source adds. */
export function statusBody(status: Status, stored: Stored, approved: string | undefined): Json {
  const recentDeletions = recentDeletionsOf(stored.wire);
  return {
    ...status,
    observedGeneration: status.observedGeneration ?? -1, // the definition's default for a new object
    uid: stored.object.uid,
    ...(stored.intent !== undefined && { intent: stored.intent }),
    ...(approved !== undefined && { approved }),
    ...(recentDeletions.length > 0 && {
      recentDeletions: recentDeletions.map(({ key, at }) => ({ key, at })),
    }),
  };
}

/** Whether version `a` is newer than `b`. Versions are decimal numbers of any length (KEP-5504). */
export const isNewer = (a: string, b: string): boolean =>
  a.length === b.length ? a > b : a.length > b.length;
