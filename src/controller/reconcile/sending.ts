// Performs one step: through the source, or through the connection of its effect. A long step is shown in the status while
// it runs.
import type { Clock } from '../../core/time/clock.ts';
import { mergeConditions } from '../../core/status/condition.ts';
import { isSourceEffect } from '../../core/effect.ts';
import { ApiError, type Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { Status } from '../../core/status/status.ts';
import type { Handle, Release } from '../../core/source/source.ts';
import type { Preconditions } from './preconditions.ts';

export async function send<E, Reader>(
  { effect, via }: Step<E>,
  { used, others }: Pick<Preconditions<E, Reader>, 'used' | 'others'>,
  handle: Pick<Handle, 'perform'>,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  if (effect === undefined) return { is: 'done' };
  if (isSourceEffect(effect)) return await handle.perform(effect);
  const through = via === undefined ? used : others.get(via);
  if (!through) throw new Error(`${via}: no connection to go through`);
  return await through.service.perform(effect, key, signal);
}

const slowMs = 2_000;

/** Runs `act`, and calls `show` if that takes longer than 2 s. A failure to show does not fail the step. */
export async function shownWhile<T>(
  act: () => Promise<T>,
  show: () => Promise<void>,
  { setTimer }: Pick<Clock, 'setTimer'>,
): Promise<T> {
  let shown: Promise<void> | undefined;
  const cancel = setTimer(slowMs, () => {
    shown = show().catch(() => {});
  });
  try {
    return await act();
  } finally {
    cancel();
    await shown; // the status written next must not be overtaken by this one
  }
}

export function inProgress(
  { summary }: Step<unknown>,
  status: Status,
  generation: number,
  now: string,
): Status {
  const { conditions } = status;
  const stated = { type: 'Reconciling', status: 'True', reason: 'InProgress', message: summary } as const;
  const others = conditions.filter((c) => c.type !== 'Reconciling' && c.type !== 'Stalled');
  return { ...status, conditions: mergeConditions(conditions, [...others, stated], generation, now) };
}

/** Tests whether the output can be written now. @throws ApiError if not */
export async function tryOutput(name: string | undefined, handle: Pick<Handle, 'perform'>): Promise<void> {
  if (name === undefined) return;
  const outcome = await handle.perform({ port: 'source', op: 'output.try', name });
  if (outcome.is !== 'done') throw outcome.error;
}

/**
 * Deletes the output, and then releases the object that knows of it.
 * @returns the finalizers of other controllers, which keep it nevertheless; or why it can't be released now
 * @throws what may pass by itself: nothing could be written about it either
 */
export async function letGo(
  output: string | undefined,
  how: Release,
  handle: Pick<Handle, 'perform' | 'release'>,
): Promise<readonly string[] | ApiError> {
  if (output !== undefined) {
    const outcome = await handle.perform({ port: 'source', op: 'output.delete', name: output });
    if (outcome.is !== 'done') return outcome.error;
  }
  try {
    return await handle.release(how);
  } catch (error) {
    if (error instanceof ApiError && error.class === 'refused') return error;
    throw error;
  }
}
