// Edits that ask for another disk than there is, and those that can't be made.
import type { DiskLife } from './disks.ts';
import type { Declared } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

/** Whether such a disk is not what is declared. */
export function differs(
  { plugin, source }: Declared,
  { shape, madeAt }: DiskLife,
  operator: string,
  key: string,
  time: Timeline,
): boolean {
  if (!('create' in source) || !shape) return true;
  const { parameters, required } = source.create;
  if (shape.plugin !== plugin || JSON.stringify(shape.parameters) !== JSON.stringify(parameters)) return true;
  const then = time
    .known(operator, key, madeAt)
    .map((one) => ('create' in one.source ? one.source.create.required : ''));
  return !then.includes(required);
}

/**
 * What it had asked for before edits that can't be made, where a person let it go after it had left, and was told that the
 * last of them may have asked to keep it.
 */
export function beforeRefused(
  operator: string,
  key: string,
  life: DiskLife,
  sentAt: number,
  time: Timeline,
): readonly Declared[] {
  const stood = time
    .stretches(operator, key)
    .filter(({ from, declared }) => from <= sentAt && declared !== undefined);
  const goneAt = stood.at(-1)?.to ?? Number.POSITIVE_INFINITY;
  const isConfirmed = time
    .facts(operator, 'approved')
    .some(({ at, keys, unread }) => unread === true && keys.includes(key) && at >= goneAt && at < sentAt);
  if (!isConfirmed) return [];
  const isRefused = (one: Declared): boolean =>
    one.replace === 'Never' && differs(one, life, operator, key, time);
  const valid: Declared[] = [];
  for (const { from, to, declared } of stood.toReversed()) {
    if (!isDeclared(declared) || isRefused(declared)) continue;
    valid.push(declared);
    if (time.surelySeen(operator, from, to)) break;
  }
  return valid;
}
