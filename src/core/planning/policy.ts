// The policies, as tables. They choose the verb, and a kind renders it. PURE.
import type { Field } from './diff.ts';
import { blocked, type Plan } from './plan.ts';

export interface Policy {
  readonly management: 'Full' | 'ObserveOnly';
  readonly adoption: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly deletion: 'Retain' | 'Deregister' | 'Delete';
  readonly replace: 'Never' | 'WhenUnused';
  readonly drift: {
    readonly mode: 'Correct' | 'Warn' | 'Ignore';
    /** Longest time between two reads. */
    readonly intervalMs: number;
    /** The object itself sets the interval, so it is read on its own, not only with the list. */
    readonly ownInterval?: boolean;
    /** JSON pointers into the spec. */
    readonly ignore: readonly string[];
  };
  readonly suspend: boolean;
}

/** For managed kinds, where neither the object nor its connection chooses: what exists is left as found. */
export const managing: Policy = {
  management: 'Full',
  adoption: 'Fail',
  deletion: 'Retain',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
};

/** What an object or a connection chooses. */
export type PolicyChoice = { readonly [P in Exclude<keyof Policy, 'drift'>]?: Policy[P] } & {
  readonly drift?: Partial<Policy['drift']>;
};

/** The object goes before its connection, which goes before the kind. */
export const mergePolicy = (object: PolicyChoice, connection: PolicyChoice, kind: Policy): Policy => ({
  ...kind,
  ...connection,
  ...object,
  drift: {
    ...kind.drift,
    ...connection.drift,
    ...object.drift,
    ...(object.drift?.intervalMs !== undefined && { ownInterval: true }),
  },
});

/**
 * Verb for an absent object. removed: Holdfast removed it, to replace or to delete it, or began to. Without that
 * intent, a crash halfway would look like a loss.
 */
export const absence = { foreign: 'create', removed: 'create', ours: 'revive' } as const;

/** adoptionPolicy × whether all that can be compared agrees. */
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

/** deletionPolicy → what is removed for a deletion, and for a replacement. */
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

/** Whether deleting such an object changes nothing outside, so that no service has to be reachable. */
export const releases = (policy: Policy): boolean =>
  policy.management === 'ObserveOnly' || removal[policy.deletion].deleting === 'nothing';

/** By the spec, or by a command. */
export const isSuspended = (requests: Readonly<Record<string, string>>, policy: Policy): boolean =>
  policy.suspend || requests['suspend'] === 'true';

/** A suspended object is read and reported. Only what is open is closed. */
export function suspended<E>(plan: Plan<E>, suspend: boolean, deleting: boolean): Plan<E> {
  if (plan.verdict !== 'change' || !suspend || plan.steps[0].closes) return plan;
  const [first, ...later] = plan.steps;
  const changes = [first, ...later].flatMap((s) => s.changes);
  if (deleting) return blocked('DeletionBlocked', `suspended: ${first.summary}`, { on: 'edit' }, changes);
  return blocked('Suspended', `suspended: ${first.summary}`, { on: 'edit' }, changes);
}
