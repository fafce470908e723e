// The permissions that a connection's token lacks for the declared objects. The service gets few requests, seldom.
import { ApiError } from '../../core/errors.ts';
import type { Lacking, Rights, UsedBy, Users } from '../../core/kind/permission.ts';
import { pathNeeded, permissionsFor } from '../permissions.ts';

/** Paths per request. */
const batch = 100;
/** Paths per check: at most ten requests, whatever the number of objects. */
const pathsMax = 1_000;
/** How long a result is reused: policies change without notice. */
const againMs = 600_000;

type Ask = (paths: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;

export class RightsAsked {
  readonly #dialect: string;
  readonly #nowMs: () => number;
  #known: { readonly revision: number; readonly untilMs: number; readonly rights: Rights } | undefined;

  /** @param nowMs monotonic */
  constructor(dialect: string, nowMs: () => number) {
    this.#dialect = dialect;
    this.#nowMs = nowMs;
  }

  async of({ revision, calls }: Users, ask: Ask): Promise<Rights> {
    const known = this.#known;
    if (known?.revision === revision && this.#nowMs() < known.untilMs) return known.rights;
    try {
      const rights = await this.#asked(calls(), ask);
      this.#known = { revision, untilMs: this.#nowMs() + againMs, rights };
      return rights;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const rights: Rights = { is: 'unknown', message: error.message };
      // A refusal lasts until a person changes something; any other error may pass before the next probe.
      if (error.class === 'refused') this.#known = { revision, untilMs: this.#nowMs() + againMs, rights };
      return rights;
    }
  }

  async #asked(calls: readonly UsedBy[], ask: Ask): Promise<Rights> {
    const needed = neededBy(calls, this.#dialect);
    const paths = [...needed.keys()].toSorted();
    const lacking: Lacking[] = [];
    for (let at = 0; at < Math.min(paths.length, pathsMax); at += batch) {
      const some = paths.slice(at, Math.min(at + batch, pathsMax));
      const held = await ask(some);
      for (const path of some) lacking.push(...lackingOf(path, needed.get(path) ?? [], held[path]));
    }
    return { is: 'known', lacking, unasked: Math.max(0, paths.length - pathsMax) };
  }
}

interface Needed {
  readonly capability: string;
  readonly object: string;
}

function neededBy(calls: readonly UsedBy[], dialect: string): ReadonlyMap<string, readonly Needed[]> {
  const needed = new Map<string, Needed[]>();
  for (const { op, object, ref } of calls) {
    const path = pathNeeded(op, ref);
    const before = needed.get(path) ?? [];
    before.push(...permissionsFor(op, dialect).map((capability) => ({ capability, object })));
    needed.set(path, before);
  }
  return needed;
}

/** @param held the answer for the path; anything but a list of names grants nothing */
function lackingOf(path: string, needed: readonly Needed[], held: unknown): readonly Lacking[] {
  const has: ReadonlySet<unknown> = new Set(Array.isArray(held) ? held : []);
  if (has.has('root')) return [];
  return [...Map.groupBy(needed, ({ capability }) => capability)]
    .filter(([capability]) => has.has('deny') || !has.has(capability))
    .map(([capability, by]) => ({
      path,
      capability,
      objects: [...new Set(by.map(({ object }) => object))].toSorted(),
    }))
    .toSorted((a, b) => (a.capability < b.capability ? -1 : 1));
}
