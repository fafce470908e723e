// The policies, once, as tables. They choose the verb (planner.ts); a kind only renders it.
import type { Field } from './diff.ts';
import { blocked, type Plan } from './plan.ts';

export interface Policy {
  readonly management: 'Full' | 'ObserveOnly';
  readonly adoption: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly deletion: 'Retain' | 'Deregister' | 'Delete';
  readonly replace: 'Never' | 'WhenUnused';
  readonly drift: {
    readonly mode: 'Correct' | 'Warn' | 'Ignore';
    /** How old the view of the live object may become. */
    readonly intervalMs: number;
    /** The object itself asks for it, so it is looked at by itself, not only with the rest. */
    readonly ownInterval?: boolean;
    /** JSON pointers into the spec. */
    readonly ignore: readonly string[];
  };
  readonly suspend: boolean;
}

/** Of kinds that manage something, where neither object nor connection says anything: what is there is left as found. */
export const managing: Policy = {
  management: 'Full',
  adoption: 'Fail',
  deletion: 'Retain',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
};

/** What an object or a connection says of the policy. */
export type PolicyChoice = { readonly [P in Exclude<keyof Policy, 'drift'>]?: Policy[P] } & {
  readonly drift?: Partial<Policy['drift']>;
};

/** object → connection → kind. */
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
 * Absent, and what is remembered → verb. removed: we did it, to replace or to delete it; without that intent, a crash
 * in the middle would look like a loss.
 */
export const absence = { foreign: 'create', removed: 'create', ours: 'revive' } as const;

/** adoptionPolicy × does everything that can be compared agree → may it be taken? */
export const adoption = {
  Fail: { same: false, differs: false },
  AdoptIfIdentical: { same: true, differs: false },
  Adopt: { same: true, differs: true },
} as const;

/** drift.mode × cause. An edit is always written: Warn must not swallow what the user asked for. */
export const correction = {
  Correct: { edit: 'write', drift: 'write' },
  Warn: { edit: 'write', drift: 'report' },
  Ignore: { edit: 'write', drift: 'hide' },
} as const;

/** deletionPolicy → what is removed when deleting, and when making room for a replacement. */
export const removal = {
  Retain: { deleting: 'nothing', replacing: 'Deregister' },
  Deregister: { deleting: 'Deregister', replacing: 'Deregister' },
  Delete: { deleting: 'Delete', replacing: 'Delete' },
} as const;

/** A field that differs × replacePolicy → how it can be brought in line. */
export const remedy = {
  'in-place': { Never: 'update', WhenUnused: 'update' },
  replace: { Never: 'refuse', WhenUnused: 'replace' },
  identity: { Never: 'refuse', WhenUnused: 'refuse' },
  creation: { Never: 'refuse', WhenUnused: 'refuse' },
} as const satisfies Record<Field['change'], Record<Policy['replace'], 'update' | 'replace' | 'refuse'>>;

/** Written this often and still different: left alone and named. */
export const triesMax = 3;

/** Whether deleting such an object leaves everything outside as it is: then nothing outside need be reachable. */
export const releases = (policy: Policy): boolean =>
  policy.management === 'ObserveOnly' || removal[policy.deletion].deleting === 'nothing';

/** On every plan of every kind. A suspended object is looked at and reported, never touched. */
export function suspended<E>(plan: Plan<E>, suspend: boolean, deleting: boolean): Plan<E> {
  if (plan.verdict !== 'change' || !suspend) return plan;
  const [first, ...later] = plan.steps;
  const changes = [first, ...later].flatMap((s) => s.changes);
  if (deleting) return blocked('DeletionBlocked', `suspended: ${first.summary}`, { on: 'edit' }, changes);
  return blocked('Suspended', `suspended: ${first.summary}`, { on: 'edit' }, changes);
}
