// Performs one step outside: through the source, or through the connection that its effect goes through.
import type { Clock } from '../../core/clock.ts';
import { mergeConditions } from '../../core/status/condition.ts';
import { isSourceEffect } from '../../core/effect.ts';
import type { ApiError, Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { Status } from '../../core/status/status.ts';
import type { Handle } from '../../core/source/source.ts';
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

/** A call that takes long is shown while it does. Shown or not, it goes on. */
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
    await shown; // what is written next must not come before it
  }
}

/** What is remembered, and shown, while a step takes long. */
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

/** Asks whether the output could be written now. @throws ApiError where it could not */
export async function tryOutput(name: string | undefined, handle: Pick<Handle, 'perform'>): Promise<void> {
  if (name === undefined) return;
  const outcome = await handle.perform({ port: 'source', op: 'output.try', name });
  if (outcome.is !== 'done') throw outcome.error;
}

/** Takes the output away, before nobody knows of it any more. @returns why that can't be done now */
export async function withdraw(
  name: string | undefined,
  handle: Pick<Handle, 'perform'>,
): Promise<ApiError | undefined> {
  if (name === undefined) return undefined;
  const outcome = await handle.perform({ port: 'source', op: 'output.delete', name });
  return outcome.is === 'done' ? undefined : outcome.error;
}
