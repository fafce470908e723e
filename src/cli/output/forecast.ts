// A plan as people and programs read it: the action for each object, in Terraform's words.
import type { Forecast } from '../../controller/dry-run.ts';
import type { Problem } from '../../core/text/problem.ts';
import type { Plan } from '../../core/planning/plan.ts';
import type { FieldChange } from '../../core/status/status.ts';
import type { DryRun, SuspendedBy } from '../../runtime/dry-run.ts';

export const actions = ['create', 'update', 'replace', 'destroy', 'adopt', 'move', 'release'] as const;
export type Action = (typeof actions)[number];

type Step = Extract<Plan<unknown>, { verdict: 'change' }>['steps'][number];

/** The plan for one object. */
export interface Planned {
  readonly key: string;
  /** none: in sync. blocked: a change is needed, but not possible. invalid: unusable manifest. failed: not planned. */
  readonly action: Action | 'none' | 'blocked' | 'invalid' | 'failed';
  readonly destroys?: NonNullable<Step['destroys']>;
  readonly suspended?: SuspendedBy;
  /** Objects that must become ready first. */
  readonly after?: readonly string[];
  readonly steps: readonly Pick<Step, 'verb' | 'summary' | 'destroys' | 'changes'>[];
  /** The change is possible, but waits, e.g. for an approval. */
  readonly held?: true;
  /** Why the change is not possible, or waits. */
  readonly blocked?: {
    readonly reason: string;
    readonly message: string;
    readonly changes: readonly FieldChange[];
    /** Only a person can help. */
    readonly stalls?: true;
  };
  /** References to Secrets that the plan could not read and goes on without, each with why. */
  readonly unchecked?: readonly string[];
  /** Drift that is not corrected. */
  readonly drift: readonly FieldChange[];
  /** Upcoming events that need no action, with their times. */
  readonly coming?: readonly string[];
  /** Why the object is released or moved. */
  readonly because?: string;
  readonly error?: string;
  readonly problems: readonly Problem[];
}

/** Whether the problem belongs to an object of the plan. Secrets do not. */
const isShown = ({ key }: Problem): boolean => key !== undefined && !key.startsWith('Secret/');

/** Objects sorted by key, each with its problems, including objects that have problems only. */
export function plannedIn({
  objects,
  problems,
  suspended,
}: Pick<DryRun, 'objects' | 'problems' | 'suspended'>): {
  readonly planned: readonly Planned[];
  /** Problems that belong to no object of the plan. */
  readonly others: readonly Problem[];
} {
  const known = new Set(objects.map(({ key }) => key));
  const of = Map.groupBy(problems.filter(isShown), ({ key }) => key ?? '');
  const planned = objects.map((one) => {
    const suspension = suspended.get(one.key);
    const own = of.get(one.key) ?? [];
    return {
      ...(own.length > 0 ? invalid(one.key) : plannedOf(one)),
      ...(suspension && { suspended: suspension }),
      problems: own,
    };
  });
  const broken = [...of]
    .filter(([key]) => !known.has(key))
    .map(([key, own]) => ({ ...invalid(key), problems: own }));
  return {
    planned: [...planned, ...broken].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    others: problems.filter((problem) => !isShown(problem)),
  };
}

const nothing = { steps: [], drift: [], problems: [] } as const;
const invalid = (key: string): Planned => ({ key, action: 'invalid', ...nothing });

function plannedOf(one: Forecast): Planned {
  const { key } = one;
  if ('error' in one) return { key, action: 'failed', error: one.error, ...nothing };
  const { plan, held, after, movesFrom, unchecked } = one;
  const common = { key, ...nothing, ...(after && { after }), ...(unchecked && { unchecked }) };
  switch (plan.verdict) {
    case 'in-sync':
      return { ...common, action: 'none', drift: plan.drift, ...(plan.coming && { coming: plan.coming }) };
    case 'blocked': {
      const { reason, message, changes, stalls } = plan;
      const why = { reason, message, changes, ...(stalls && { stalls }) };
      return { ...common, action: 'blocked', blocked: why };
    }
    case 'gone':
      return { ...common, action: plan.moved ? 'move' : 'release', because: plan.because };
    case 'change': {
      const destroys = plan.steps.find((step) => step.destroys)?.destroys;
      return {
        ...common,
        action: movesFrom === undefined ? actionOf(plan.steps) : 'move',
        ...(destroys && { destroys }),
        steps: plan.steps.map(({ verb, summary, destroys: lost, changes }) => ({
          verb,
          summary,
          ...(lost && { destroys: lost }),
          changes,
        })),
        ...(held && { held: true, blocked: { reason: held.reason, message: held.message, changes: [] } }),
      };
    }
  }
}

const actionOfVerb = {
  create: 'create',
  revive: 'create',
  adopt: 'adopt',
  update: 'update',
  act: 'update',
  replace: 'replace',
  delete: 'destroy',
  destroy: 'destroy',
} as const satisfies Record<Exclude<Step['verb'], 'detach'>, Action>;

/** The first step other than a detach decides. A create or revive after a detach is an update. */
function actionOf(steps: readonly Step[]): Action {
  const first = steps.find(({ verb }) => verb !== 'detach');
  if (first === undefined || first.verb === 'detach') return 'update';
  const isUpdate = first !== steps[0] && (first.verb === 'revive' || first.verb === 'create');
  return isUpdate ? 'update' : actionOfVerb[first.verb];
}

const isChange = ({ action }: Planned): boolean => actions.some((one) => one === action);

/** What objects are after the plan was carried out. Those that are suspended are left as they are on purpose. */
export function foreseen(planned: readonly Planned[]): 'as declared' | 'to do' | 'stalled' {
  const left = planned.filter(({ action, suspended }) => action === 'blocked' && suspended === undefined);
  if (left.some(({ blocked }) => blocked?.stalls)) return 'stalled';
  return left.length > 0 || planned.some(isChange) ? 'to do' : 'as declared';
}

export function countsOf(planned: readonly Planned[]) {
  const count = (action: Planned['action']): number => planned.filter((one) => one.action === action).length;
  return {
    create: count('create'),
    update: count('update'),
    replace: count('replace'),
    destroy: count('destroy'),
    adopt: count('adopt'),
    move: count('move'),
    release: count('release'),
    held: planned.filter(({ held }) => held).length,
    blocked: count('blocked'),
    invalid: count('invalid'),
    failed: count('failed'),
    inSync: count('none'),
    suspended: planned.filter(({ suspended }) => suspended !== undefined).length,
  };
}
