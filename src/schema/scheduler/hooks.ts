// Hooks: the declared actions in the allocations of a job before and after a snapshot. PURE.
import * as z from 'zod';
import type { Use } from '../../core/kind/permission.ts';
import type { Reference } from '../../core/resource.ts';
import {
  countOf,
  execAction,
  nameOf,
  opOf,
  restartAction,
  signalAction,
  stopAction,
  type Action,
} from './allocation-actions.ts';
import { line, text, toMs } from '../parts.ts';

const deadlineDefault = '30s';

/** Recorded commands must fit into an annotation, so these are shorter than others. */
const command = (timeoutDefault: string) => execAction(timeoutDefault, 16, 1024);

/** Also the schema of the recorded action. */
export const afterAction = z.strictObject({
  exec: command('1m, which is the most').exactOptional(),
  signal: signalAction().exactOptional(),
  restart: restartAction().exactOptional(),
  stop: stopAction().exactOptional(),
});

export const hooks = () =>
  z
    .strictObject({
      selector: z
        .strictObject({
          job: line(256).describe(
            "ID of the job, in the connection's namespace. The access rules of the connection are asked about it.",
          ),
          group: line(256).describe('Only allocations of this group of the job.').exactOptional(),
        })
        .describe('Allocations that write to the volume: all that run, at most 32.'),
      before: z
        .strictObject({
          exec: command('the deadline, which is the most').exactOptional(),
          signal: signalAction().exactOptional(),
        })
        .describe(
          'Freezes each allocation before the snapshot is taken. A command has frozen it once it has ended with an expected exit code, a signal once it is delivered.',
        ),
      after: afterAction.describe(
        'Thaws what was frozen, always: after the snapshot was taken or could not be, at the deadline, and first of all after a crash. It may come more than once, and must do no harm then.',
      ),
      deadline: text(/^([1-9][0-9]{0,2}s|[1-9]m|10m)$/, 4, 'a time of up to 10m, such as 30s')
        .describe(`After this long it is thawed, whatever is under way. Default: ${deadlineDefault}.`)
        .exactOptional(),
      onFailure: z
        .enum(['Fail', 'Continue'])
        .describe(
          'Fail: without a freeze there is no snapshot, and one that may not be consistent is not Ready. Continue: it is taken all the same. The condition Consistent tells. Default: Fail.',
        )
        .exactOptional(),
    })
    .describe(
      'Freezes the allocations that write to the volume while the snapshot is taken. An edit counts for a snapshot that is not taken yet; onFailure always.',
    );

export type Hooks = z.infer<ReturnType<typeof hooks>>;

export const deadlineMsOf = ({ deadline = deadlineDefault }: Hooks): number => toMs(deadline);

/** CEL rules. @param path from the spec to the hooks */
export const hookRules = (path: readonly string[]) =>
  (['before', 'after'] as const).map((when) => {
    const steps = path.map((_, n) => `!has(self.${path.slice(0, n + 1).join('.')})`);
    const place = [...path, when].join('.');
    const names = when === 'before' ? ['exec', 'signal'] : ['exec', 'signal', 'restart', 'stop'];
    const count = countOf(...names.map((name) => `${place}.${name}`));
    return {
      rule: `${steps.join(' || ')} || ${count} == 1`,
      message: `exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)} is needed`,
      fieldPath: `.${place}`,
    };
  });

export const hookFields = ['/hooks/before', '/hooks/after'] as const;

/** For the access rules of the connection. Optional, because an object whose snapshot exists needs no hooks. */
export const hookReferences = (
  { selector, before, after }: Hooks,
  connection: Extract<Reference, { readonly to: 'object' }>,
): readonly Reference[] =>
  [before, after].map((action: Action, n) => ({
    ...connection,
    field: hookFields[n] ?? '',
    optional: true,
    use: { externalName: selector.job, action: nameOf(action) },
  }));

export const hookUses = ({ before, after }: Hooks): readonly Use[] =>
  [...new Set(['allocation.list', 'allocation.read', opOf(before), opOf(after)])].map((op) => ({ op }));
