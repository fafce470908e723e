// AllocationAction: how its allocations are observed, and what is recorded and reported.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import type { AllocationStub } from '../../api/scheduler/wire.ts';
import { ApiError } from '../../core/errors.ts';
import { type ObserveContext } from '../../core/kind/kind.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import type { Reference } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Stated } from '../../core/status/condition.ts';
import { answersIn, nameOf, opOf, taskOf } from '../../schema/scheduler/allocation-actions.ts';
import { parser } from '../../schema/parse.ts';
import { referencesIn } from '../../schema/references.ts';
import {
  filterOf,
  isAllocation,
  seenOf,
  selectedOf,
  type Seen,
  type Selected,
} from '../../schema/scheduler/allocations.ts';
import { answered } from './calls.ts';
import { allocationsMax, keep, parseOwn, type Own } from './own.ts';
import { nextOf, nothing, ownOf, plan, type ActionSituation, type Live } from './plan.ts';
import { countsOf, failureOf, hasSucceeded, progressOf } from './progress.ts';
import { declaration, type Spec } from './schema.ts';

type Context = ObserveContext<Spec, Own, Reader>;

const unreadable = (op: string, what: string) =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: ${what}`);

async function listed(
  read: Reader,
  { spec, ref }: Context,
  signal: AbortSignal,
): Promise<readonly AllocationStub[]> {
  const { selector } = spec;
  const { namespace = '' } = ref;
  if (selector.allocationID !== undefined) {
    const one = await read.read('allocation.read', { id: selector.allocationID, namespace }, signal);
    return one ? [one] : [];
  }
  const asked = { namespace, filter: filterOf(selector), task_states: false };
  return (await read.read('allocation.list', asked, signal)) ?? [];
}

async function select(read: Reader, context: Context, signal: AbortSignal): Promise<readonly Selected[]> {
  const all = await listed(read, context, signal);
  if (!all.every(isAllocation)) throw unreadable('allocation.list', 'an entry is no allocation');
  const selected = selectedOf(context.spec.selector, context.ref['namespace'] ?? '', all);
  if (selected.length <= allocationsMax) return selected;
  const message = `/selector: ${selected.length} allocations are more than ${allocationsMax}: narrow it down`;
  throw new ApiError('refused', 'TooManyAllocations', message);
}

async function observeOne(
  read: Reader,
  { spec, ref }: Context,
  id: string,
  signal: AbortSignal,
): Promise<Seen | null> {
  const { namespace = '' } = ref;
  const allocation = await read.read('allocation.read', { id, namespace }, signal);
  if (!allocation) return null;
  if (!isAllocation(allocation)) throw unreadable('allocation.read', 'the answer is no allocation');
  return seenOf(allocation, taskOf(spec.action));
}

/** Reads the started allocations, or else those of the next wave; and the replacements of those that have ended. */
async function observeAll(read: Reader, context: Context, own: Own, signal: AbortSignal): Promise<Live> {
  const started = own.results.flatMap(({ allocation, phase }) => (phase === 'Started' ? [allocation] : []));
  const ids = started.length > 0 ? started : nextOf(context.spec, own);
  const seen = await Promise.all(
    ids.map(async (id): Promise<readonly (readonly [string, Seen | null])[]> => {
      const one = await observeOne(read, context, id, signal);
      const next = one?.life === 'ended' ? one.next : '';
      return next === ''
        ? [[id, one]]
        : [
            [id, one],
            [next, await observeOne(read, context, next, signal)],
          ];
    }),
  );
  return { ...nothing, allocations: Object.fromEntries(seen.flat()) };
}

/** An action without a job counts as one on all jobs. */
const externalName = ({ selector }: Spec): string => selector.job ?? '*';

function conditionsOf(own: Own | undefined): readonly Stated[] {
  if (own?.finishedAt === undefined || hasSucceeded(own)) return [];
  const reason = own.expired ? 'ActionExpired' : 'ActionFailed';
  return [{ type: 'Failed', status: 'True', reason, message: failureOf(own) }];
}

function shown({ spec }: ActionSituation, own: Own | undefined): Readonly<Record<string, Json>> {
  const action = nameOf(spec.action);
  if (!own) return { action };
  const {
    Pending: pending,
    Started: started,
    Succeeded: succeeded,
    Failed: failed,
    Unknown: unknown,
  } = countsOf(own);
  const { startedAt, finishedAt, results } = own;
  const counts = { selected: results.length, pending, started, succeeded, failed, unknown };
  const times = { startedAt, ...(finishedAt !== undefined && { finishedAt }) };
  return { action, progress: progressOf(own), ...counts, ...times };
}

type Op = keyof Operations | 'allocation.exec';

export const allocationAction = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'scheduler/allocation-action',
  connectionField: '/connectionRef',
  leavesNothing: true,
  parse: parser(declaration),
  parseOwn,
  references: (spec, key) =>
    referencesIn(declaration.references, spec, key).flatMap((reference): readonly Reference[] => {
      if (reference.to !== 'object') return [reference];
      const use = { externalName: externalName(spec), action: nameOf(spec.action) };
      return [reference, { ...reference, field: '/action', use }];
    }),
  policy: ({ suspend }) => (suspend === undefined ? {} : { suspend }),
  defaults: managing,
  externalName,
  locate: (_, key, { backend, namespace }) => ({
    backend,
    namespace,
    action: `${key.namespace}/${key.name}`,
  }),
  async observe(read, context, signal) {
    const own = ownOf(context);
    if (own?.finishedAt !== undefined) return { state: 'present', live: nothing };
    if (own) return { state: 'present', live: await observeAll(read, context, own, signal) };
    return { state: 'present', live: { ...nothing, selected: await select(read, context, signal) } };
  },
  plan,
  record: ownOf,
  learn({ spec }, { noted }, reply) {
    const own = parseOwn(noted);
    if (!own) return undefined;
    const answers = answersIn(reply);
    const results = own.results.map((one) =>
      one.phase === 'Started' && one.answered !== true
        ? answered(spec.action, one, answers[one.allocation])
        : one,
    );
    return { ...own, results };
  },
  keep: ({ own, ...status }) => ({ ...status, ...(own && { own: keep(own) }) }),
  report(s) {
    const own = ownOf(s);
    return { observed: shown(s, own), conditions: conditionsOf(own) };
  },
  uses: ({ action }) => usesOf<Op>(['allocation.list', 'allocation.read'], [opOf(action)], true),
  outputs: () => ({}),
});
