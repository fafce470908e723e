// A saved plan: compares it with a plan made now, and holds visits to it. PURE. Applying a plan replays nothing: it is
// planned again, and any difference refuses the whole plan.
import { generatedBy } from '../effect.ts';
import type { DeclaredObject } from '../resource.ts';
import type { Status } from '../status/status.ts';
import { isDeletionApproved } from './deletion-limits.ts';
import { stalled, type Blocked, type Destroys, type Step, type Verb } from './plan.ts';

export interface SavedStep {
  readonly verb: Verb;
  readonly destroys?: Destroys;
  readonly paths: readonly string[];
}

export interface SavedObject {
  readonly key: string;
  readonly action: string;
  /** In order. Steps after the first are a forecast. */
  readonly steps: readonly SavedStep[];
  /** Other objects are made first, so the changes may turn out different. */
  readonly after?: true;
  /** ID of the deletion or replacement (deletion-limits.ts). Applying the plan approves it. */
  readonly going?: string;
  /** Digests of the declaration, the recorded status, and the plan that follows from these and the observation. */
  readonly declared: string;
  readonly remembered: string;
  readonly planned: string;
}

/** The declaration as it is digested. Equal declarations give equal values. */
export const declarationOf = ({ spec, requests, deleting, refused }: DeclaredObject): unknown => ({
  spec,
  requests,
  deleting,
  refused,
});

/** The part of the status that affects plans, as it is digested. Conditions and other reports are left out. */
export function memoryOf({ uid, generation, held }: DeclaredObject, status: Status): unknown {
  const { externalRef, identity, movedFrom, formerUIDs, limits } = status;
  const { applied, pending, tries, handledRequests, own } = status;
  const known = { externalRef, identity, movedFrom, formerUIDs, limits };
  return { uid, generation, held, ...known, applied, pending, tries, handledRequests, own };
}

/** Compares a saved plan with the current one. @returns one line for each object that differs */
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

/** The release of an object, which is not a step. */
export const release = { verb: 'release', destroys: undefined, changes: [] } as const;

/** What a visit is about to do: a step or a release. */
type Doing = Pick<Step<unknown>, 'verb' | 'destroys' | 'changes'> | typeof release;

export interface PlanWords {
  readonly what: string;
  readonly remedy: string;
}

export class PlanBounds {
  readonly #saved: ReadonlyMap<string, SavedObject>;
  readonly #digestOf: (declaration: unknown) => string;
  readonly #words: PlanWords;
  /** Objects whose first step was made. */
  readonly #begun = new Set<string>();

  /** @param words what is applied, and the remedy for what it does not hold */
  constructor(
    saved: readonly SavedObject[],
    digestOf: (declaration: unknown) => string,
    words: PlanWords = { what: 'the saved plan', remedy: 'plan again' },
  ) {
    this.#words = words;
    this.#saved = new Map(saved.map((one) => [one.key, one]));
    this.#digestOf = digestOf;
  }

  made(key: string): void {
    this.#begun.add(key);
  }

  /** Why the plan does not include this; `undefined`: it does. */
  refusal(key: string, object: DeclaredObject, doing: Doing): Blocked | undefined {
    const why = object.deleting
      ? this.#unlessDeleting(key, object, doing)
      : this.#unlessPlanned(key, object, doing);
    return why === undefined
      ? undefined
      : stalled('NotPlanned', `${why}: ${this.#words.remedy}`, { on: 'edit' }, doing.changes);
  }

  /**
   * The plan must include the object's deletion, or the parent's decision that lets it expire. An object planned to move
   * must not be destroyed instead.
   */
  #unlessDeleting(key: string, object: DeclaredObject, doing: Doing): string | undefined {
    const isHeld = isDeletionApproved(object, (of) => this.#saved.get(of)?.going);
    const own = this.#saved.get(key);
    const isPlanned = own?.going === undefined || loses(own, doing);
    return isHeld && isPlanned ? undefined : `${this.#words.what} does not hold this deletion`;
  }

  #unlessPlanned(key: string, object: DeclaredObject, doing: Doing): string | undefined {
    const own = this.#saved.get(key);
    if (own && own.declared !== this.#digestOf(declarationOf(object)))
      return `it is declared otherwise than in ${this.#words.what}`;
    const saved = own ?? this.#saved.get(object.requests[generatedBy] ?? '');
    const first = saved?.steps[0];
    if (doing === release || !first) return `${this.#words.what} does nothing to it`;
    const isFirst = own && own.after !== true && !this.#begun.has(key);
    const isPlanned = isFirst ? begins(first, doing) : own ? loses(own, doing) : doing.destroys === undefined;
    return isPlanned ? undefined : `${this.#words.what} does not hold "${doing.verb}" of it, as it is now`;
  }
}

const begins = (first: SavedStep, { verb, destroys, changes }: Doing): boolean =>
  first.verb === verb &&
  first.destroys === destroys &&
  first.paths.join('\n') === changes.map(({ path }) => path).join('\n');

/**
 * Whether the step destroys nothing beyond the plan. Losing data includes losing the registration. Steps that destroy
 * nothing may follow freely.
 */
const loses = ({ steps }: SavedObject, { destroys }: Doing): boolean =>
  destroys === undefined ||
  steps.some(
    (step) => step.destroys === destroys || (step.destroys === 'data' && destroys === 'registration'),
  );

/** The deletions and replacements of a plan, which applying it approves. A move is none. */
export const goingOf = (saved: readonly SavedObject[]): ReadonlyMap<string, string> =>
  new Map(
    saved.flatMap(({ key, action, going }) =>
      going === undefined || action === 'move' ? [] : [[key, going]],
    ),
  );
