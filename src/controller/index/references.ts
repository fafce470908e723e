// The reference graph, built from declarations alone. Wake-ups, the order of deletion and the deletion limits read it. It
// is complete before the first visit, so an empty list of dependents is proof that there are none.
import { keyText, type Reference } from '../../core/resource.ts';
import { SetMap } from './set-map.ts';

export interface Node {
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly references: readonly Reference[];
  /** keyText of the object's connection. Absent for connections, and while the path to it is incomplete. */
  readonly connection: string | undefined;
  /** keyText of the object whose external object this one asks to take over (`moved-from`). */
  readonly movedFrom?: string;
  /** keyText of the parent that declared the object through the source. */
  readonly generatedBy?: string;
  /** A person suspended the connection, and with it all its users. Absent: not suspended, or no connection. */
  readonly suspended?: true;
}

interface Population {
  readonly all: Set<string>;
  readonly deleting: Set<string>;
  /** Increases with every change, so that results derived from the population can be cached. */
  revision: number;
  /** Increases when an object is indexed as being deleted. */
  grown: number;
}

export class Graph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new SetMap();
  readonly #populations = new Map<string, Population>();
  readonly #heirs = new SetMap();
  readonly #children = new SetMap();

  set(key: string, node: Node): void {
    this.delete(key);
    this.#nodes.set(key, node);
    for (const { target } of node.references) this.#dependents.add(keyText(target), key);
    if (node.movedFrom !== undefined) this.#heirs.add(node.movedFrom, key);
    if (node.generatedBy !== undefined) this.#children.add(node.generatedBy, key);
    if (node.connection === undefined) return;
    const population = this.#populations.get(node.connection) ?? {
      all: new Set(),
      deleting: new Set(),
      revision: 0,
      grown: 0,
    };
    population.all.add(key);
    if (node.deleting) population.deleting.add(key);
    if (node.deleting) population.grown++;
    population.revision++;
    this.#populations.set(node.connection, population);
  }

  delete(key: string): void {
    const node = this.#nodes.get(key);
    if (!node) return;
    this.#nodes.delete(key);
    for (const { target } of node.references) this.#dependents.delete(keyText(target), key);
    if (node.movedFrom !== undefined) this.#heirs.delete(node.movedFrom, key);
    if (node.generatedBy !== undefined) this.#children.delete(node.generatedBy, key);
    const population = node.connection === undefined ? undefined : this.#populations.get(node.connection);
    if (!population) return;
    population.all.delete(key);
    population.deleting.delete(key);
    population.revision++;
  }

  get(key: string): Node | undefined {
    return this.#nodes.get(key);
  }

  stays(key: string): boolean {
    return this.#nodes.get(key)?.deleting === false;
  }

  /** Keys of the objects that refer to `target`, which is the key of an object or a Secret. */
  dependents(target: string): readonly string[] {
    return this.#dependents.get(target);
  }

  /** All objects that a connection serves, whether they refer to it or reach it through others. */
  users(connection: string): ReadonlySet<string> {
    return new Set([...this.population(connection).all, ...this.dependents(connection)]);
  }

  /** Objects that ask to take over from `key` and are not being deleted. */
  heirs(key: string): readonly string[] {
    return this.#heirs.get(key).filter((heir) => this.stays(heir));
  }

  children(parent: string): readonly string[] {
    return this.#children.get(parent);
  }

  /**
   * Objects that keep `target` from being deleted until they are gone, or until they are made from it.
   * @param isMade whether an object has its external object, made as it is declared
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

  population(connection: string): {
    readonly all: ReadonlySet<string>;
    readonly deleting: ReadonlySet<string>;
    readonly revision: number;
    readonly grown: number;
  } {
    return (
      this.#populations.get(connection) ?? { all: new Set(), deleting: new Set(), revision: 0, grown: 0 }
    );
  }
}
