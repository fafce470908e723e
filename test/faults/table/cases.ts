// From what an undisturbed run did to every way in which it can be disturbed. A seed picks some of them.
import type { EffectInfo } from '../../../src/core/effect.ts';
import { chance } from '../../support/chance.ts';
import type { Journey } from '../journeys/journey.ts';
import { troubles, type Trouble } from '../world/proxy.ts';

/** What the tree says when the program comes back. */
export type Found = 'as it was' | 'deleted' | 'edited';

/** Where the program is killed. By the service: `reply`, after the effect and before the reply; `half`, amid it. */
export interface Crash {
  /** Of the effects of the run, from 1. */
  readonly n: number;
  readonly when: 'before' | 'during' | 'half' | 'reply' | 'after';
}

export type Disturbance =
  | { readonly is: 'killed'; readonly at: readonly Crash[] }
  | { readonly is: 'trouble'; readonly at: number; readonly trouble: Trouble };

export interface Case {
  readonly name: string;
  readonly disturbance: Disturbance;
  readonly found: Found;
}

const isCall = ({ port }: EffectInfo): boolean => port === 'scheduler' || port === 'secrets';
/** Its effect is two: the provider's, and the service's own. */
const hasHalves = ({ op }: EffectInfo): boolean => op === 'volume.create';

/** Where this effect can be cut: a commit is whole or not at all, an output is written before it is shown. */
function cuts(effect: EffectInfo): readonly Crash['when'][] {
  if (isCall(effect)) return ['before', ...(hasHalves(effect) ? (['half'] as const) : []), 'reply', 'after'];
  return effect.port === 'output' ? ['before', 'during', 'after'] : ['before', 'after'];
}

/**
 * A restart that is asked for twice at once is one or two, as the scheduler happens to see them. A command begins with the first
 * frame of its socket: nothing but the socket could be doubled or late.
 */
const cannot: ReadonlyMap<string, readonly Trouble[]> = new Map([
  ['allocation.restart', ['doubled']],
  ['allocation.exec', ['doubled', 'late']],
]);
const befall = (effect: EffectInfo): readonly Trouble[] =>
  troubles.filter(
    (trouble) =>
      (trouble !== 'half done' || hasHalves(effect)) && cannot.get(effect.op)?.includes(trouble) !== true,
  );

/** Of so many crashes, one is followed by a second. */
const pairsShare = 3;

/**
 * Whether something lasting happened since the crash point before: a reply that was heard, and an effect that is about to be
 * sent, are lost with the process. What was declared meanwhile meets each state once.
 */
const isNewState = ({ n, when }: Crash, port: EffectInfo['port'] | undefined): boolean =>
  when === 'before'
    ? n === 1
    : when !== 'after' || ['state', 'output', 'ldap', 'kubernetes'].includes(port ?? '');

/** @param effects of the undisturbed run, in their order */
export function casesOf(journey: Journey, effects: readonly EffectInfo[], seed: string): readonly Case[] {
  const crashes = effects.flatMap((effect, i) => cuts(effect).map((when): Crash => ({ n: i + 1, when })));
  const founds: readonly Found[] = journey.edit
    ? ['as it was', 'deleted', 'edited']
    : ['as it was', 'deleted'];
  const named = (at: Crash): string => `killed ${at.when} ${at.n} (${effects[at.n - 1]?.op})`;
  const once = crashes.flatMap((at) =>
    founds
      .filter((found) => found === 'as it was' || isNewState(at, effects[at.n - 1]?.port))
      .map((found): Case => ({
        name: `${named(at)}, ${found}`,
        disturbance: { is: 'killed', at: [at] },
        found,
      })),
  );
  const twice = crashes.flatMap((first, i): readonly Case[] => {
    if (chance(seed, `paired ${i}`) >= 1 / pairsShare) return [];
    const second = crashes[Math.floor(chance(seed, `pair ${i}`) * crashes.length)] ?? first;
    const found = founds[Math.floor(chance(seed, `then ${i}`) * founds.length)] ?? 'as it was';
    const name = `${named(first)}, then ${second.when} ${second.n} of the next run, ${found}`;
    return [{ name, disturbance: { is: 'killed', at: [first, second] }, found }];
  });
  const troubled = effects.flatMap((effect, i) =>
    isCall(effect)
      ? befall(effect).map((trouble): Case => ({
          name: `${trouble}: ${i + 1} (${effect.op})`,
          disturbance: { is: 'trouble', at: i + 1, trouble },
          found: 'as it was',
        }))
      : [],
  );
  return [...once, ...twice, ...troubled];
}

/** One in so many, told by the seed. */
export const sampled = <T extends Pick<Case, 'name'>>(
  cases: readonly T[],
  share: number,
  seed: string,
): readonly T[] => cases.filter(({ name }) => chance(seed, name) < 1 / share);

/** Which call of which service an effect is: the how-manieth, from 1. */
export function callOf(
  effects: readonly EffectInfo[],
  n: number,
): { readonly service: 'scheduler' | 'secrets'; readonly n: number } | undefined {
  const port = effects[n - 1]?.port;
  if (port !== 'scheduler' && port !== 'secrets') return undefined;
  return { service: port, n: effects.slice(0, n).filter((e) => e.port === port).length };
}
