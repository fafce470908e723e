// A plan as people and programs read it: what becomes of each object, in the words that Terraform taught them.
import type { Forecast } from '../../controller/dry-run.ts';
import type { Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/planning/plan.ts';
import type { FieldChange } from '../../core/status/status.ts';
import type { DryRun } from '../../runtime/dry-run.ts';
import type { Suspension } from '../../core/suspension.ts';

export const actions = ['create', 'update', 'replace', 'destroy', 'adopt', 'move', 'release'] as const;
export type Action = (typeof actions)[number];

type Step = Extract<Plan<unknown>, { verdict: 'change' }>['steps'][number];

/** What becomes of one object. */
export interface Planned {
  readonly key: string;
  /** none: it is as declared. blocked: something is to be done, and can't be. invalid: its manifest can't be used. */
  readonly action: Action | 'none' | 'blocked' | 'invalid' | 'failed';
  readonly destroys?: NonNullable<Step['destroys']>;
  readonly suspended?: Suspension['by'];
  /** Objects that are made ready first. */
  readonly after?: readonly string[];
  readonly steps: readonly Pick<Step, 'verb' | 'summary' | 'destroys' | 'changes'>[];
  /** It would be done, and waits: for an approval, for example. */
  readonly held?: true;
  /** What keeps it from being done. */
  readonly blocked?: {
    readonly reason: string;
    readonly message: string;
    readonly changes: readonly FieldChange[];
  };
  /** Changes from outside that are left as they are. */
  readonly drift: readonly FieldChange[];
  /** What its rules will do by themselves, at what time. */
  readonly coming?: readonly string[];
  /** Why nothing is left to do. */
  readonly because?: string;
  readonly error?: string;
  readonly problems: readonly Problem[];
}

/** Secrets are no objects of a plan. */
const isShown = ({ key }: Problem): boolean => key !== undefined && !key.startsWith('Secret/');

/** Objects in the order of their keys, each with its problems, and those that can't be read at all. */
export function plannedIn({
  objects,
  problems,
  suspended,
}: Pick<DryRun, 'objects' | 'problems' | 'suspended'>): {
  readonly planned: readonly Planned[];
  /** Of no object. */
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
  const { plan, held, after, movesFrom } = one;
  const common = { key, ...nothing, ...(after && { after }) };
  switch (plan.verdict) {
    case 'in-sync':
      return { ...common, action: 'none', drift: plan.drift, ...(plan.coming && { coming: plan.coming }) };
    case 'blocked': {
      const { reason, message, changes } = plan;
      return { ...common, action: 'blocked', blocked: { reason, message, changes } };
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

/** The first step decides; a detachment is part of what follows it. */
function actionOf(steps: readonly Step[]): Action {
  const first = steps.find(({ verb }) => verb !== 'detach');
  if (first === undefined || first.verb === 'detach') return 'update';
  const isUpdate = first !== steps[0] && (first.verb === 'revive' || first.verb === 'create');
  return isUpdate ? 'update' : actionOfVerb[first.verb];
}

export const isChange = ({ action }: Planned): boolean => actions.some((one) => one === action);

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
