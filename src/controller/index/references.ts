// Who refers to whom, kept from declarations alone: wake-ups, reverse order of deletion and the deletion budget read
// it. It is complete before the first object is visited, so "nobody uses it" can be believed.
import { keyText, type Reference } from '../../core/resource.ts';

export interface Node {
  readonly uid: string;
  readonly generation: number;
  readonly leaving: boolean;
  readonly references: readonly Reference[];
  /** keyText of the connection through which the object is reached; absent for connections themselves. */
  readonly connection: string | undefined;
  /** keyText of the object whose external object it says that it takes over. */
  readonly movedFrom?: string;
  /** keyText of the object that had the source declare it. */
  readonly generatedBy?: string;
  /** Which decision of that one lets it go. */
  readonly expired?: string;
}

interface Population {
  readonly all: Set<string>;
  readonly leaving: Set<string>;
  /** Rises with every change, so that what is derived from it can be kept. */
  revision: number;
  /** Rises with every object that comes to leave. */
  grown: number;
}

export class Graph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #populations = new Map<string, Population>();
  /** Object → those that say that they take over from it. */
  readonly #heirs = new Map<string, Set<string>>();
  readonly #children = new Map<string, Set<string>>();

  set(key: string, node: Node): void {
    this.delete(key);
    this.#nodes.set(key, node);
    for (const { target } of node.references) {
      const of = keyText(target);
      const dependents = this.#dependents.get(of) ?? new Set();
      this.#dependents.set(of, dependents.add(key));
    }
    if (node.movedFrom !== undefined)
      this.#heirs.set(node.movedFrom, (this.#heirs.get(node.movedFrom) ?? new Set()).add(key));
    if (node.generatedBy !== undefined)
      this.#children.set(node.generatedBy, (this.#children.get(node.generatedBy) ?? new Set()).add(key));
    if (node.connection === undefined) return;
    const population = this.#populations.get(node.connection) ?? {
      all: new Set(),
      leaving: new Set(),
      revision: 0,
      grown: 0,
    };
    population.all.add(key);
    if (node.leaving) population.leaving.add(key);
    if (node.leaving) population.grown++;
    population.revision++;
    this.#populations.set(node.connection, population);
  }

  delete(key: string): void {
    const node = this.#nodes.get(key);
    if (!node) return;
    this.#nodes.delete(key);
    for (const { target } of node.references) {
      const of = keyText(target);
      const dependents = this.#dependents.get(of);
      dependents?.delete(key);
      if (dependents?.size === 0) this.#dependents.delete(of);
    }
    if (node.movedFrom !== undefined) this.#heirs.get(node.movedFrom)?.delete(key);
    if (node.generatedBy !== undefined) this.#children.get(node.generatedBy)?.delete(key);
    const population = node.connection === undefined ? undefined : this.#populations.get(node.connection);
    if (!population) return;
    population.all.delete(key);
    population.leaving.delete(key);
    population.revision++;
  }

  get(key: string): Node | undefined {
    return this.#nodes.get(key);
  }

  /** It is declared, and does not leave. */
  stays(key: string): boolean {
    return this.#nodes.get(key)?.leaving === false;
  }

  /** Keys of the objects that refer to `target`, be it an object or a Secret. */
  dependents(target: string): readonly string[] {
    return [...(this.#dependents.get(target) ?? [])]; // who walks them may enter them anew
  }

  /** Present objects that say that they take over from `key`. */
  heirs(key: string): readonly string[] {
    return [...(this.#heirs.get(key) ?? [])].filter((heir) => this.stays(heir));
  }

  /** Those that say that an object declared them. */
  children(parent: string): readonly string[] {
    return [...(this.#children.get(parent) ?? [])];
  }

  /**
   * Those that have to be gone, or to be made, before `target` may go.
   * @param isMade whether an object has its external object
   */
  *holders(target: string, isMade: (key: string) => boolean): Iterable<string> {
    for (const key of this.dependents(target)) {
      const references = this.#nodes.get(key)?.references ?? [];
      const holds = references.flatMap((r) =>
        r.to === 'object' && keyText(r.target) === target ? [r.holds] : [],
      );
      if (holds.includes(true) || (holds.includes('until-made') && !isMade(key))) yield key;
    }
  }

  /** The objects of one connection. */
  population(connection: string): {
    readonly all: ReadonlySet<string>;
    readonly leaving: ReadonlySet<string>;
    readonly revision: number;
    readonly grown: number;
  } {
    return this.#populations.get(connection) ?? { all: new Set(), leaving: new Set(), revision: 0, grown: 0 };
  }
}
