// The policies, as tables: they choose the verb for a situation, and the kind supplies the step. PURE.
import type { Field } from './diff.ts';
import { blocked, type Plan } from './plan.ts';

export interface Policy {
  readonly management: 'Full' | 'ObserveOnly';
  readonly adoption: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly deletion: 'Retain' | 'Deregister' | 'Delete';
  readonly replace: 'Never' | 'WhenUnused';
  readonly drift: {
    readonly mode: 'Correct' | 'Warn' | 'Ignore';
    /** Longest time (ms) between two reads. */
    readonly intervalMs: number;
    /** The object itself sets the interval, so it is read individually, not only with the list. */
    readonly ownInterval?: boolean;
    /** JSON pointers into the spec. */
    readonly ignore: readonly string[];
  };
  readonly suspend: boolean;
}

/** The default of managed kinds: existing external objects are neither adopted nor deleted. */
export const managing: Policy = {
  management: 'Full',
  adoption: 'Fail',
  deletion: 'Retain',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
};

export type PolicyChoice = { readonly [P in Exclude<keyof Policy, 'drift'>]?: Policy[P] } & {
  readonly drift?: Partial<Policy['drift']>;
};

/**
 * The object's choice goes before the connection's, which goes before the kind's. Only a suspended connection suspends all
 * its objects, whatever they choose.
 */
export const mergePolicy = (object: PolicyChoice, connection: PolicyChoice, kind: Policy): Policy => ({
  ...kind,
  ...connection,
  ...object,
  ...(connection.suspend === true && { suspend: true }),
  drift: {
    ...kind.drift,
    ...connection.drift,
    ...object.drift,
    ...(object.drift?.intervalMs !== undefined && { ownInterval: true }),
  },
});

/**
 * The verb for an absent object. removed: Holdfast removed it to replace or delete it, or began to. After a crash, only the
 * intent tells that from a loss.
 */
export const absence = { foreign: 'create', removed: 'create', ours: 'revive' } as const;

/** adoptionPolicy × whether all comparable fields agree. */
export const adoption = {
  Fail: { same: false, differs: false },
  AdoptIfIdentical: { same: true, differs: false },
  Adopt: { same: true, differs: true },
} as const;

/** drift.mode × cause. An edit is always written. */
export const correction = {
  Correct: { edit: 'write', drift: 'write' },
  Warn: { edit: 'write', drift: 'report' },
  Ignore: { edit: 'write', drift: 'hide' },
} as const;

/** deletionPolicy → what is removed by a deletion, and by a replacement. */
export const removal = {
  Retain: { deleting: 'nothing', replacing: 'Deregister' },
  Deregister: { deleting: 'Deregister', replacing: 'Deregister' },
  Delete: { deleting: 'Delete', replacing: 'Delete' },
} as const;

/** How a field behaves × replacePolicy → how a difference is resolved. */
export const remedy = {
  'in-place': { Never: 'update', WhenUnused: 'update' },
  replace: { Never: 'refuse', WhenUnused: 'replace' },
  identity: { Never: 'refuse', WhenUnused: 'refuse' },
  creation: { Never: 'refuse', WhenUnused: 'refuse' },
} as const satisfies Record<Field['change'], Record<Policy['replace'], 'update' | 'replace' | 'refuse'>>;

/** Writes after which a field that still differs is left alone. */
export const triesMax = 3;

/**
 * Name under which attempts to create are counted in `tries`. An object that leaves counts its own: what was refused before may be
 * answered by now, and tells what is to go.
 */
export const creating = ({ deleting }: { readonly deleting: boolean }): string =>
  deleting ? 'create to delete' : 'create';

/** Whether deleting the object changes nothing outside, so that no service has to be reachable. */
export const releases = (policy: Policy): boolean =>
  policy.management === 'ObserveOnly' || removal[policy.deletion].deleting === 'nothing';

export const isSuspended = (requests: Readonly<Record<string, string>>, policy: Policy): boolean =>
  policy.suspend || requests['suspend'] === 'true';

/**
 * Blocks the changes of a suspended object; it is still observed as often as before, and reported. Only steps that close
 * something are made.
 * @param connection keyText of a suspended connection that the first step would go through. Absent: none of them is suspended
 */
export function suspended<E>(
  plan: Plan<E>,
  { suspend, drift }: Pick<Policy, 'suspend' | 'drift'>,
  deleting: boolean,
  connection?: string,
): Plan<E> {
  const isHeldBack = suspend || connection !== undefined;
  if (plan.verdict !== 'change' || !isHeldBack || plan.steps[0].closes) return plan;
  const [first, ...later] = plan.steps;
  const changes = [first, ...later].flatMap((s) => s.changes);
  const when = connection === undefined ? 'suspended' : `${connection} is suspended`;
  const reason = deleting ? 'DeletionBlocked' : 'Suspended';
  const dueMs = Math.min(first.dueMs ?? Infinity, drift.intervalMs);
  return { ...blocked(reason, `not done while ${when}: ${first.summary}`, { on: 'edit' }, changes), dueMs };
}
