// Calls on several allocations at once, as one step of a plan. Each call is an effect, and each allocation has one entry in
// the reply.
import { ApiError, type Outcome } from '../../core/errors.ts';
import type { AllocationCall, AllocationsEffect, CallAnswer, ExecCall, Urgent } from '../routes.ts';
import { within } from '../effect.ts';
import type { SchedulerClient } from './client.ts';
import type { ExecClient } from './exec.ts';

interface Clients {
  readonly client: Pick<SchedulerClient, 'perform'>;
  readonly exec: Pick<ExecClient, 'session'>;
}

/** Rejected if all calls are `unreached`: then the whole step is tried again. */
export async function performCalls(
  { calls, urgent, withinMs }: Pick<AllocationsEffect, 'calls' | 'urgent' | 'withinMs'>,
  clients: Clients,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const callAll = (ending: AbortSignal) =>
    Promise.allSettled(calls.map((call) => perform(call, { ...clients, urgent }, key, ending)));
  const settled = await (withinMs === undefined ? callAll(signal) : within(withinMs, signal, callAll));
  const performed = new Map<string, Performed[]>(); // by the allocation's ID
  const errors: ApiError[] = [];
  for (const [at, one] of settled.entries()) {
    if (one.status === 'rejected') throw one.reason;
    const { answer, error } = one.value;
    if (answer.is === 'unreached' && error) errors.push(error);
    const id = calls[at]?.params.id ?? '';
    performed.set(id, [...(performed.get(id) ?? []), one.value]);
  }
  const [error] = errors;
  if (error && errors.length === calls.length) return { is: 'rejected', error };
  const reply = Object.fromEntries(Array.from(performed, ([id, all]) => [id, together(all)]));
  return { is: 'done', reply };
}

/**
 * The answers to the calls on one allocation as one. A task that did not run any more is passed over where others were told.
 * `unreached` says that nothing was done, and all may be called again.
 */
function together(all: readonly Performed[]): CallAnswer {
  const answers = all.map(({ answer }) => answer);
  const done = answers.find(({ is }) => is === 'done');
  const missed = all.filter(({ answer, error }) => answer.is !== 'done' && !(done && isOver(error)));
  const worst =
    missed.find(({ answer }) => answer.is === 'unknown') ?? missed.find(({ error }) => !isOver(error));
  const answer = (worst ?? missed[0])?.answer ?? done;
  if (!answer) throw new Error('no call');
  if (!done || answer.is === 'done' || answer.is === 'unknown') return answer;
  return { is: 'refused', message: answer.message, partial: true };
}

const isOver = (error: unknown): boolean => error instanceof ApiError && error.reason === 'TaskNotRunning';

interface Performed {
  readonly answer: CallAnswer;
  readonly error?: ApiError;
}

async function perform(
  call: AllocationCall,
  { client, exec, urgent }: Clients & { readonly urgent: Urgent | undefined },
  key: string,
  signal: AbortSignal,
): Promise<Performed> {
  if (call.op === 'allocation.exec') return await execute(call, { exec, urgent }, key, signal);
  const outcome = await client.perform(call, key, signal, urgent);
  return outcome.is === 'done' ? { answer: { is: 'done' } } : failed(outcome.error);
}

async function execute(
  { params: { id, namespace }, task, command, deadlineMs }: ExecCall,
  { exec, urgent }: Pick<Clients, 'exec'> & { readonly urgent: Urgent | undefined },
  key: string,
  signal: AbortSignal,
): Promise<Performed> {
  const bytes = { stdout: 0, stderr: 0 };
  try {
    const exitCode = await exec.session(
      { allocation: id, namespace, task, command, key, deadlineMs, ...(urgent && { urgent }) },
      signal,
      async (session) => {
        await session.close();
        for await (const { stream, data } of session.output) bytes[stream] += data.length;
        return session.exitCode ?? 0;
      },
    );
    const { stdout: stdoutBytes, stderr: stderrBytes } = bytes;
    return { answer: { is: 'done', exitCode, stdoutBytes, stderrBytes } };
  } catch (error) {
    if (error instanceof ApiError) return failed(error);
    throw error;
  }
}

/** A call without an answer, or one that was throttled, is not refused but `unreached`. */
function failed(error: ApiError): Performed {
  const { message, mayHaveHadEffect, status } = error;
  if (mayHaveHadEffect) return { answer: { is: 'unknown', message }, error };
  const isAnswer = status !== undefined && error.class !== 'throttled';
  return { answer: { is: isAnswer ? 'refused' : 'unreached', message }, error };
}
