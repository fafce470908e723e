// AllocationAction: whether an allocation is called at all, how, and what its answer or a later observation means for the
// result. PURE.
import { callsOf, exitFailure, taskOf, type Answer } from '../../schema/scheduler/allocation-actions.ts';
import { runningIn, type Seen } from '../../schema/scheduler/allocations.ts';
import { said, type Result } from './own.ts';
import type { Spec } from './schema.ts';

type Judgement = Pick<Result, 'phase'> & Partial<Result>;

const failed = (message: string): Judgement => ({ phase: 'Failed', message: said(message) });
const succeeded = (message: string): Judgement => ({ phase: 'Succeeded', message });

/** The result if a call is impossible or needless. `undefined`: it is made. @param seen `null`: no such allocation */
export function beforehand(action: Spec['action'], seen: Seen | null): Judgement | undefined {
  if (action.stop) {
    if (!seen || seen.life === 'ended') return succeeded('it had ended already');
    return seen.life === 'stopping' ? { phase: 'Started', answered: true } : undefined;
  }
  if (!seen) return failed('the scheduler does not know it any more');
  if (seen.life === 'ended' || seen.life === 'stopping') return failed('it runs no more');
  const task = taskOf(action);
  if (action.restart || task === undefined) return undefined;
  const state = seen.tasks[task];
  if (state === undefined) return failed(`it has no task ${task}`);
  return state === 'running' ? undefined : failed(`task ${task} does not run: ${state || 'no state'}`);
}

/**
 * The calls on one allocation, which have one answer. A signal to all tasks fails where one of them does not run
 * (services.md#signals-and-restarts), as one that waits for the end of the others: so each that runs is named.
 */
export function callsOn(
  action: Spec['action'],
  seen: Seen | null | undefined,
  params: Parameters<typeof callsOf>[2],
  time: Parameters<typeof callsOf>[3],
): ReturnType<typeof callsOf> {
  return callsOf(action, seen ? runningIn(seen) : [], params, time);
}

/** The result of an answered restart or stop. `undefined`: not known yet. */
export function afterwards(
  action: Spec['action'],
  { before }: Pick<Result, 'before'>,
  seen: Seen | null,
  next: Seen | null | undefined,
): Judgement | undefined {
  const hasEnded = !seen || seen.life === 'ended';
  if (action.stop) return hasEnded && (!next || next.life !== 'starts') ? { phase: 'Succeeded' } : undefined;
  if (hasEnded || seen.life === 'stopping') return failed('it ended after it was restarted');
  const running = Object.values(seen.tasks).includes('running') && seen.life === 'runs';
  return running && !seen.restarting && seen.restarts !== before ? { phase: 'Succeeded' } : undefined;
}

/** A stop without an answer stays Started until its allocation is observed. @param answer `undefined`: no answer */
export function answered(action: Spec['action'], started: Result, answer: Answer | undefined): Result {
  if (answer?.is === 'done') return { ...started, ...done(action, answer) };
  if (answer?.is === 'refused') return { ...started, ...failed(answer.message) };
  if (answer?.is === 'unreached') {
    const { startedAt: _, ...pending } = started;
    return { ...pending, phase: 'Pending' };
  }
  if (action.stop) return started;
  return { ...started, phase: 'Unknown', message: said(answer?.message ?? 'no answer tells of it') };
}

function done({ exec, signal }: Spec['action'], answer: Extract<Answer, { is: 'done' }>): Judgement {
  if (signal) return { phase: 'Succeeded' };
  if (!exec) return { phase: 'Started', answered: true };
  const { exitCode = 0, stdoutBytes = 0, stderrBytes = 0 } = answer;
  const failure = exitFailure({ exec }, answer);
  const numbers = { exitCode, stdoutBytes, stderrBytes };
  return { ...numbers, ...(failure === undefined ? { phase: 'Succeeded' } : failed(failure)) };
}
