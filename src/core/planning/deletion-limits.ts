// The deletion limits: how many objects of a connection may be deleted or replaced before a person must approve. They
// protect against mistakes in bulk, such as a moved folder. PURE.
import type { DeletionLimits } from '../connection.ts';
import { expired, generatedBy } from '../effect.ts';
import { shortHash } from '../hash.ts';
import { keyText, parseKey, type DeclaredObject } from '../resource.ts';
import { counted } from '../text/count.ts';

export interface PendingDeletion {
  readonly key: string;
  /** Unique to this deletion or replacement, so that an approval does not carry over to a later one. */
  readonly id: string;
  readonly how: 'is deleted' | 'is replaced' | 'expires';
  readonly approved: boolean;
}

export interface DeletionSet {
  /** Keys of all objects of the connection, including those being deleted. */
  readonly declared: ReadonlySet<string>;
  readonly going: readonly PendingDeletion[];
  /** Keys of objects that were deleted or replaced within the last hour without an approval. */
  readonly gone: readonly string[];
}

export type DeletionVerdict =
  | { readonly is: 'within' }
  | {
      readonly is: 'beyond';
      /** Identifies exactly this set, for the approval. */
      readonly digest: string;
      /** Which limit would be exceeded. */
      readonly rule: string;
      readonly message: string;
    };

const percentAppliesFrom = 6;

/** ID of a deletion. An object that is declared and deleted again has another generation or UID, so another ID. */
export const deletionID = ({
  uid,
  generation,
}: {
  readonly uid: string;
  readonly generation: number;
}): string => `${uid} ${generation} is deleted`;

/**
 * ID of a deletion whose last manifest could not be read. Distinct, because an approval of many deletions at once does not
 * say that this object may have asked to be kept.
 */
export const unreadID = (id: string): string => `${id} unread`;

const expiry = ' expires to ';

/** ID of the expiry of an object's children up to the instant `at`, under its current declaration. */
export const expiryID = (
  { uid, generation }: { readonly uid: string; readonly generation: number },
  at: string,
): string => `${uid} ${generation}${expiry}${at}`;

/** Whether what goes are children of the object, and not the object. */
export const isExpiry = (id: string): boolean => id.includes(expiry);

/** Approves everything, to plan as if a person had approved. A symbol, so that no stored or received text can equal it. */
export const whatever: unique symbol = Symbol('whatever goes');

export type Approval = string | typeof whatever;

/** Whether the approval covers this ID. The approval of an expiry also covers older expiries: instants compare as texts. */
export function isApproved(approved: Approval | undefined, id: string): boolean {
  if (approved === whatever) return true;
  if (approved === undefined || approved === id || approved === unreadID(id)) return approved !== undefined;
  const [of] = id.split(expiry, 1);
  return approved.startsWith(`${of}${expiry}`) && id < approved;
}

/**
 * Whether a saved plan holds the deletion of an object: the deletion itself, or the parent's decision that lets it expire.
 * The limits ask more of the latter (controller/index/expiry.ts).
 */
export function isDeletionApproved(
  { key, uid, generation, requests }: Pick<DeclaredObject, 'key' | 'uid' | 'generation' | 'requests'>,
  approvedOf: (key: string) => Approval | undefined,
): boolean {
  if (isApproved(approvedOf(keyText(key)), deletionID({ uid, generation }))) return true;
  const { [generatedBy]: parent, [expired]: decision } = requests;
  if (parent === undefined || decision === undefined || parseKey(parent)?.namespace !== key.namespace)
    return false;
  return isApproved(approvedOf(parent), decision);
}

export const digestOf = (going: readonly Pick<PendingDeletion, 'key' | 'id'>[]): string =>
  shortHash(going.map(({ key, id }) => `${key} ${id}`).toSorted());

/**
 * Whether the objects may go without an approval. All of them wait or none: stopping at the limit would leave a mistake
 * half carried out.
 */
export function withinLimits(set: DeletionSet, limits: DeletionLimits): DeletionVerdict {
  const waiting = set.going.filter((one) => !one.approved);
  const rule = brokenRule(set, waiting, limits);
  if (rule === undefined) return { is: 'within' };
  const digest = digestOf(waiting);
  const of = `${waiting.length} of ${counted(set.declared.size, 'object')} ${said(waiting)}`;
  return { is: 'beyond', digest, rule, message: `${of}: ${rule}; to allow it: holdfast approve ${digest}` };
}

const ways = [
  ['is deleted', 'would be deleted'],
  ['is replaced', 'would be replaced'],
  ['expires', 'would expire'],
] as const;

function said(waiting: readonly PendingDeletion[]): string {
  const parts = ways.flatMap(([way, text]) => {
    const count = waiting.filter(({ how }) => how === way).length;
    return count === 0 ? [] : [{ text, count }];
  });
  const isPlain = (text: string): boolean => parts.length === 1 || text === ways[0][1];
  return parts.map(({ text, count }) => (isPlain(text) ? text : `${text} (${count})`)).join(' or ');
}

/**
 * The limit that would be exceeded. Deletions of the last hour count, so that deleting one by one does not evade the
 * limits.
 */
function brokenRule(
  { declared, going, gone }: DeletionSet,
  waiting: readonly PendingDeletion[],
  limits: DeletionLimits,
): string | undefined {
  if (waiting.length === 0) return undefined;
  const total = new Set([...declared, ...gone]).size;
  const count = waiting.length + gone.length;
  if (total >= 2 && going.length === declared.size) return 'the connection would lose all its objects';
  const { percent, perHour } = limits;
  const before = gone.length > 0 ? `, counting ${gone.length} that went before` : '';
  if (total >= percentAppliesFrom && count * 100 > percent * total)
    return `more than ${percent} % within an hour${before}`;
  if (count > perHour) return `more than ${perHour} an hour${before}`;
  return undefined;
}

export const stricter = (a: DeletionLimits, b: DeletionLimits): DeletionLimits => ({
  perHour: Math.min(a.perHour, b.perHour),
  percent: Math.min(a.percent, b.percent),
});
