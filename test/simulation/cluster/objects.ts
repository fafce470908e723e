// What a write makes of an object: what the API server fills in, keeps, drops and refuses.
import { isRecord, parseJson } from '../../../src/core/json.ts';
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Metadata, Resource } from '../../../src/api/kubernetes/resources.ts';
import { badRequest, invalid, type Flaw } from './answers.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface StoredMetadata extends Metadata {
  readonly deletionGracePeriodSeconds?: number;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Frozen, so that it can be given to anybody. */
export type Stored = KubernetesObject & { readonly metadata: StoredMetadata };

export interface Traits {
  /** Its status is written at `/status` alone. */
  readonly hasStatus: boolean;
  /** What is not metadata and not status is counted. */
  readonly hasGeneration: boolean;
  /** Who writes need not say which version. */
  readonly takesAnyVersion: boolean;
  /** A PUT creates what is absent. */
  readonly putCreates: boolean;
  /** The API server knows its fields itself: a body need not say what it is. */
  readonly isBuiltIn: boolean;
}

/** Of a custom resource, unless the API server has it itself. */
export function traitsOf({ apiVersion, kind }: Resource): Traits {
  const group = apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '';
  const isWorkload = group === 'apps';
  const isBuiltIn = group === '' || isWorkload || group.endsWith('.k8s.io');
  return {
    hasStatus: !isBuiltIn || isWorkload || kind === 'Namespace',
    hasGeneration: !isBuiltIn || isWorkload,
    takesAnyVersion: isBuiltIn && kind !== 'Lease',
    putCreates: kind === 'Lease' || (isBuiltIn && kind === 'Event'),
    isBuiltIn,
  };
}

export function frozen<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const held of Object.values(value)) frozen(held);
  return Object.freeze(value);
}

/** @throws Refused unless the text is an object of that resource */
export function bodyOf(of: Resource, text: string): Fields {
  const body = parseJson(text);
  if (!isRecord(body)) throw badRequest(`the object provided is unrecognized (must be of type ${of.kind})`);
  const { isBuiltIn } = traitsOf(of);
  const { apiVersion = isBuiltIn ? of.apiVersion : '', kind = isBuiltIn ? of.kind : '' } = body;
  if (kind === '') throw badRequest("Object 'Kind' is missing");
  if (apiVersion === '') throw badRequest("Object 'apiVersion' is missing");
  if (apiVersion !== of.apiVersion || kind !== of.kind)
    throw badRequest(`the object provided is ${String(apiVersion)} ${String(kind)}, not ${of.kind}`);
  return body;
}

const known = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Without what metav1.ObjectMeta does not have, and without what is empty. */
export function metadataOf({ metadata }: Fields): Fields {
  if (!isRecord(metadata)) return {};
  return Object.fromEntries(
    known.filter((field) => !isEmpty(metadata[field])).map((field) => [field, metadata[field]]),
  );
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = (wallMs: number): string => new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');

/** With the metadata given, and what the API server makes of the rest. */
export function composed(of: Resource, body: Fields, metadata: object): Stored {
  const { apiVersion, kind } = of;
  const made = { ...body, apiVersion, kind, metadata };
  // oxlint-disable-next-line no-unsafe-type-assertion -- parsed from JSON, and its metadata are whole
  return frozen((kind === 'Secret' ? secretOf(made) : made) as unknown as Stored);
}

/** `stringData` is for writing alone. */
function secretOf({ stringData, data, ...rest }: Fields): Fields {
  const texts = isRecord(stringData) ? Object.entries(stringData) : [];
  const encoded = texts.map(([name, text]) => [name, Buffer.from(textOf(text)).toString('base64')] as const);
  const all = { ...(isRecord(data) && data), ...Object.fromEntries(encoded) };
  return { type: 'Opaque', ...rest, ...(Object.keys(all).length > 0 && { data: all }) };
}

interface Birth {
  readonly uid: string;
  readonly wallMs: number;
  /** By a PUT, which keeps what a POST drops. */
  readonly byPut?: boolean;
}

/** What is created: as declared, but for what only the API server says. */
export function created(of: Resource, body: Fields, at: Birth): Stored {
  const { hasStatus, hasGeneration } = traitsOf(of);
  const all = metadataOf(body);
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _s, ...alive } = all;
  const given = at.byPut ? all : alive;
  const metadata = {
    ...given,
    uid: at.uid,
    creationTimestamp: timeOf(at.wallMs),
    ...(hasGeneration && { generation: 1 }),
  };
  const { status: _, ...withoutStatus } = body;
  if (of.kind !== 'Namespace') return composed(of, hasStatus ? withoutStatus : body, metadata);
  const { labels, name } = given;
  const named = { ...(isRecord(labels) && labels), 'kubernetes.io/metadata.name': name };
  return composed(
    of,
    { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    { ...metadata, labels: named },
  );
}

/**
 * What becomes of an object that is written.
 * @param isStatus nothing but its status is
 * @throws Refused for what can't be changed
 */
export function updated(of: Resource, existing: Stored, wanted: Fields, isStatus: boolean): Stored {
  const { status } = wanted;
  if (isStatus) {
    const { status: _, ...rest } = existing;
    return composed(of, { ...rest, ...(status !== undefined && { status }) }, existing.metadata);
  }
  const { hasStatus, hasGeneration } = traitsOf(of);
  const { status: _, ...declared } = wanted;
  const kept = existing['status'];
  const body = {
    ...(hasStatus ? { ...declared, ...(kept !== undefined && { status: kept }) } : wanted),
    ...(of.kind === 'Namespace' && { spec: existing['spec'] }),
  };
  const old = existing.metadata;
  const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = old;
  const metadata = {
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    uid,
    ...metadataOf(wanted),
    resourceVersion: old.resourceVersion,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
  const made = composed(of, body, { ...metadata, generation });
  const isOther = hasGeneration && !isDeepStrictEqual(specOf(made), specOf(existing));
  const counted = generation === undefined ? {} : { generation: isOther ? generation + 1 : generation };
  const { generation: _g, ...uncounted } = metadata as Fields;
  const result = composed(of, made, { ...uncounted, ...counted });
  refuse(of, existing, result);
  return result;
}

const specOf = ({ metadata: _m, status: _s, ...spec }: Stored): Fields => spec;

function refuse(of: Resource, existing: Stored, wanted: Stored): void {
  const [old, now] = [existing.metadata, wanted.metadata];
  const flaws: Flaw[] = [];
  const flaw = (field: string, reason: Flaw['reason'], message: string) =>
    flaws.push({ field, reason, message });
  const added = (now.finalizers ?? []).filter((name) => !old.finalizers?.includes(name));
  if (old.deletionTimestamp !== undefined && added.length > 0)
    flaw(
      'metadata.finalizers',
      'FieldValueForbidden',
      `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
    );
  for (const field of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (old[field] !== now[field])
      flaw(
        `metadata.${field}`,
        'FieldValueInvalid',
        `Invalid value: ${JSON.stringify(now[field] ?? null)}: field is immutable`,
      );
  }
  flaws.push(...flawsOfOwners(now.ownerReferences));
  if (of.kind === 'Secret') {
    const immutable = 'field is immutable when `immutable` is set';
    if (existing['type'] !== wanted['type'])
      flaw(
        'type',
        'FieldValueInvalid',
        `Invalid value: ${JSON.stringify(wanted['type'])}: field is immutable`,
      );
    if (existing['immutable'] === true && wanted['immutable'] !== true)
      flaw('immutable', 'FieldValueForbidden', `Forbidden: ${immutable}`);
    if (existing['immutable'] === true && !isDeepStrictEqual(existing['data'], wanted['data']))
      flaw('data', 'FieldValueForbidden', `Forbidden: ${immutable}`);
  }
  if (flaws.length > 0) throw invalid(of, old.name, flaws);
}

/** @throws Refused for what no new object may have */
export function refuseNew(of: Resource, { metadata }: Stored): void {
  const flaws = flawsOfOwners(metadata.ownerReferences);
  if (flaws.length > 0) throw invalid(of, metadata.name, flaws);
}

function flawsOfOwners(owners: readonly Partial<OwnerReference>[] = []): readonly Flaw[] {
  const wanted = { apiVersion: 'version must', kind: 'must', name: 'must', uid: 'must' } as const;
  return owners.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field) => ({
        field: `metadata.ownerReferences.${field}`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: "": ${wanted[field]} not be empty`,
      })),
  );
}

/** Marked as being deleted. */
export function marked(of: Resource, existing: Stored, wallMs: number): Stored {
  const { generation } = existing.metadata;
  const metadata = {
    ...existing.metadata,
    deletionTimestamp: timeOf(wallMs),
    ...(of.kind !== 'Namespace' && { deletionGracePeriodSeconds: 0 }),
    ...(generation !== undefined && { generation: generation + 1 }),
  };
  const ends = of.kind === 'Namespace' && { status: { phase: 'Terminating' } };
  return composed(of, { ...existing, ...ends }, metadata);
}

/** RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, merged(result.get(field), value));
  }
  return Object.fromEntries(result);
}
