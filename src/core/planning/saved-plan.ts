// A plan that was saved to be carried out later: whether the world is still the one that it was made of, and what of a
// visit it holds. PURE.
import { generatedBy } from '../effect.ts';
import type { DeclaredObject } from '../resource.ts';
import type { Status } from '../status/status.ts';
import { isLeaveApproved } from './deletion-limits.ts';
import { stalled, type Blocked, type Destroys, type Step, type Verb } from './plan.ts';

export interface SavedStep {
  readonly verb: Verb;
  readonly destroys?: Destroys;
  /** Of the fields that change. */
  readonly paths: readonly string[];
}

export interface SavedObject {
  readonly key: string;
  /** In one word, for people. */
  readonly action: string;
  /** In order. What follows the first is foreseen. */
  readonly steps: readonly SavedStep[];
  /** It waits for others that are made first, so what it changes may turn out otherwise. */
  readonly after?: true;
  /** ID of what it lets go (deletion-limits.ts): whoever applies the plan approves that. */
  readonly going?: string;
  /** Digests: of what is declared, of what is remembered, and of the plan that came of these and of what is there. */
  readonly declared: string;
  readonly remembered: string;
  readonly planned: string;
}

/** What is asked for: the same text for the same declaration. */
export const declarationOf = ({ spec, requests, deleting, refused }: DeclaredObject): unknown => ({
  spec,
  requests,
  deleting,
  refused,
});

/** What the state remembers, without what is only told of it. */
export function memoryOf({ uid, generation, held }: DeclaredObject, status: Status): unknown {
  const { externalRef, identity, movedFrom, limits, applied, pending, tries, handledRequests, own } = status;
  const of = { externalRef, identity, movedFrom, limits, applied, pending, tries, handledRequests, own };
  return { uid, generation, held, ...of };
}

/** What differs from what a plan was made of, a line for each object. */
export function differences(saved: readonly SavedObject[], now: readonly SavedObject[]): readonly string[] {
  const current = new Map(now.map((one) => [one.key, one]));
  const planned = new Set(saved.map(({ key }) => key));
  const appeared = now.filter(({ key }) => !planned.has(key));
  return [
    ...saved.flatMap((one) => {
      const why = difference(one, current.get(one.key));
      return why === undefined ? [] : [`${one.key}: ${why}`];
    }),
    ...appeared.map(({ key }) => `${key}: it was declared since`),
  ].toSorted();
}

function difference(saved: SavedObject, now: SavedObject | undefined): string | undefined {
  if (!now) return 'it is gone';
  if (now.declared !== saved.declared) return 'its declaration is another';
  if (now.remembered !== saved.remembered)
    return 'what the state says of it is another: it was worked on since';
  if (now.planned === saved.planned && now.going === saved.going) return undefined;
  const isSame = now.action === saved.action;
  return `what is there is another: planned was "${saved.action}", ${isSame ? 'with other changes' : `now it is "${now.action}"`}`;
}

/** Letting the object go. */
export const release = { verb: 'release', destroys: undefined, changes: [] } as const;

/** What a visit is about to do. */
type Doing = Pick<Step<unknown>, 'verb' | 'destroys' | 'changes'> | typeof release;

/** Holds visits to what was saved. */
export class PlanBounds {
  readonly #saved: ReadonlyMap<string, SavedObject>;
  readonly #digestOf: (declaration: unknown) => string;
  /** Objects whose first step was made. */
  readonly #begun = new Set<string>();

  constructor(saved: readonly SavedObject[], digestOf: (declaration: unknown) => string) {
    this.#saved = new Map(saved.map((one) => [one.key, one]));
    this.#digestOf = digestOf;
  }

  /** A step of it was made. */
  made(key: string): void {
    this.#begun.add(key);
  }

  /** Why the plan does not hold this; `undefined`: it does. */
  refusal(key: string, object: DeclaredObject, doing: Doing): Blocked | undefined {
    const why = object.deleting
      ? this.#unlessLeaving(key, object, doing)
      : this.#unlessPlanned(key, object, doing);
    return why === undefined
      ? undefined
      : stalled('NotPlanned', `${why}: plan again`, { on: 'edit' }, doing.changes);
  }

  /** Its own going, or the decision of its parent. What was to move to another is not destroyed instead. */
  #unlessLeaving(key: string, object: DeclaredObject, doing: Doing): string | undefined {
    const isHeld = isLeaveApproved(object, (of) => this.#saved.get(of)?.going);
    const own = this.#saved.get(key);
    const isMeant = own?.going === undefined || loses(own, doing);
    return isHeld && isMeant ? undefined : 'the saved plan does not hold that it leaves so';
  }

  #unlessPlanned(key: string, object: DeclaredObject, doing: Doing): string | undefined {
    const own = this.#saved.get(key);
    if (own && own.declared !== this.#digestOf(declarationOf(object)))
      return 'it is declared otherwise than in the saved plan';
    const saved = own ?? this.#saved.get(object.requests[generatedBy] ?? '');
    const first = saved?.steps[0];
    if (doing === release || !first) return 'the saved plan does nothing to it';
    const isFirst = own && own.after !== true && !this.#begun.has(key);
    const isMeant = isFirst ? begins(first, doing) : own ? loses(own, doing) : doing.destroys === undefined;
    return isMeant ? undefined : `the saved plan does not hold "${doing.verb}" of it, as it is now`;
  }
}

const begins = (first: SavedStep, { verb, destroys, changes }: Doing): boolean =>
  first.verb === verb &&
  first.destroys === destroys &&
  first.paths.join('\n') === changes.map(({ path }) => path).join('\n');

/** Nothing is lost that the plan did not say; who loses the data loses the registration, too. Anything else may follow. */
const loses = ({ steps }: SavedObject, { destroys }: Doing): boolean =>
  destroys === undefined ||
  steps.some(
    (step) => step.destroys === destroys || (step.destroys === 'data' && destroys === 'registration'),
  );

/** What a plan lets go for good, which whoever applies it approves. What moves to another does not go. */
export const goingOf = (saved: readonly SavedObject[]): ReadonlyMap<string, string> =>
  new Map(
    saved.flatMap(({ key, action, going }) =>
      going === undefined || action === 'move' ? [] : [[key, going]],
    ),
  );
