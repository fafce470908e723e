// Makes one step outside: an effect through the connection that it goes through, or an output through the source.
import { mergeConditions } from '../../core/condition.ts';
import { ApiError, type Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { Status } from '../../core/status.ts';
import type { Source } from '../../core/source.ts';
import type { Preconditions } from './preconditions.ts';

/** Whose step it is. */
interface Sender {
  readonly key: string;
  readonly uid: string;
}

export async function send<E, Reader>(
  step: Step<E>,
  { used, others }: Pick<Preconditions<E, Reader>, 'used' | 'others'>,
  { key, uid }: Sender,
  { source }: { readonly source: Pick<Source, 'publish'> },
  signal: AbortSignal,
): Promise<Outcome> {
  if (step.publish) {
    try {
      await source.publish(key, uid, step.publish);
      return { is: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    }
  }
  if (step.effect === undefined) return { is: 'done' };
  const through = step.via === undefined ? used : others.get(step.via);
  if (!through) throw new Error(`${step.via}: no connection to go through`);
  return await through.service.perform(step.effect, key, signal);
}

/** What is remembered, and shown, while a step takes long. */
export function inProgress(
  { summary }: Step<unknown>,
  memory: Status,
  generation: number,
  now: string,
): Status {
  const { conditions } = memory;
  const stated = { type: 'Reconciling', status: 'True', reason: 'InProgress', message: summary } as const;
  const others = conditions.filter((c) => c.type !== 'Reconciling' && c.type !== 'Stalled');
  return { ...memory, conditions: mergeConditions(conditions, [...others, stated], generation, now) };
}

/** Takes away what was published, before nobody knows of it any more. @returns why that can't be done now */
export async function withdraw(
  output: string | undefined,
  { key, uid }: Sender,
  source: Pick<Source, 'withdraw'>,
): Promise<ApiError | undefined> {
  if (output === undefined) return undefined;
  try {
    await source.withdraw(key, uid, output);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
