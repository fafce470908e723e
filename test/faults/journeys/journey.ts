// A journey: one part of an object's life, from a world at rest to the next one.
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import type { World } from '../world/world.ts';

/** The parts of a life that every kind of the registry has journeys for, or says why it has none. */
export const parts = ['create', 'adopt', 'update', 'replace', 'revive', 'rotate', 'delete'] as const;
export type Part = (typeof parts)[number];

export interface Journey {
  readonly part: Part;
  /** Where a part has several: in a few words. */
  readonly variant?: string;
  readonly dialects: readonly DialectsName[];
  /** The world at rest before it; what is declared here is applied and has to be ready. */
  readonly start: (world: World) => void | Promise<void>;
  /** What then happens in the world before the journey, and the program does not know of yet. */
  readonly meanwhile?: (world: World) => Promise<void>;
  /** What is declared then: the program is disturbed while it brings this about. */
  readonly act: (world: World) => void;
  /** Another declaration, found by the program when it comes back: people edit while it is down. */
  readonly edit?: (world: World) => void;
  /** What is done half way to it and not undone, but made good, where it finds `edit`: that is another way to end. */
  readonly halfway?: (world: World) => Promise<void>;
  /**
   * Instead of `act`: the same, with a command that fails. Where one was cut off that is never repeated, nobody knows whether it
   * succeeded, and that counts as failed.
   */
  readonly fails?: (world: World) => void;
  /** Asks once more for what was reported as Unknown and is never repeated by itself. */
  readonly askAgain?: (world: World) => void;
}

export interface Life {
  readonly kind: string;
  readonly journeys: readonly Journey[];
  /** Parts of a life that this kind does not have, and why. */
  readonly without: Readonly<Partial<Record<Part, string>>>;
}

export const nameOf = ({ part, variant }: Journey): string =>
  variant === undefined ? part : `${part}, ${variant}`;

export const both: readonly DialectsName[] = ['cluster', 'nomad'];
