// Where what is declared stands, and what the program remembers and publishes: of a directory, or of a cluster.
import type { Ended } from '../../support/cli.ts';
import type { Status } from '../../../src/core/status/status.ts';

export const sources = ['directory', 'kubernetes'] as const;
export type SourceName = (typeof sources)[number];

export interface Remembered {
  readonly held: boolean;
  readonly deleting: boolean;
  readonly status: Status;
}

export interface SourceSide {
  /** Of one pass of the program. */
  readonly args: readonly string[];
  /**
   * Brings what the tree says to where the program reads it.
   * @returns whether something was declared that the last pass can't have seen
   */
  declare(): Promise<boolean>;
  /** One pass of the program that nobody disturbs, in this process. @param fault for HOLDFAST_FAULT */
  pass(fault: string): Promise<Ended>;
  approve(digest: string): Promise<Ended>;
  /** Changes what the program remembers of an object as the kind's own: its last pass has ended. */
  remember(key: string, field: string, value: string): Promise<void>;
  rows(): Promise<ReadonlyMap<string, Remembered>>;
  /** `namespace/name/entry` → what is published, or `left over`. */
  outputs(): Promise<Readonly<Record<string, string>>>;
  /** @param keep others go on from here */
  close(keep: boolean): Promise<void>;
}
