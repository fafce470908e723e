// How the difference of a field is resolved, and the plan where it can't be. PURE.
import type { FieldChange } from '../status/status.ts';
import { changeOf } from './absent.ts';
import type { FieldTable } from './diff.ts';
import { stalled, type Plan } from './plan.ts';
import { remedy, type Policy } from './policy.ts';

export const remedyOf = (fields: FieldTable, policy: Policy, { path }: FieldChange) =>
  remedy[changeOf(fields, path)][policy.replace];

export const immutable = (path: string, why: string, changes: readonly FieldChange[]): Plan<never> =>
  stalled('ImmutableFieldChanged', `${path}: ${why}`, { on: 'edit' }, changes);
