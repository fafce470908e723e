// Pages of a list of volumes, as a client hands them on.
import type { VolumeStub } from '../../src/api/scheduler/wire.ts';

export interface Listed {
  readonly names: readonly string[];
  readonly nextToken?: string;
  /** The table's, when this page was read; else where it stood before. */
  readonly index?: number;
  /** What visits see after that list, in namespace `default` or another. */
  readonly visited?: readonly string[];
}

export const volume = { type: 'scheduler/volume', backend: 'main', namespace: 'default' } as const;

/** `name`, or `name@index`. */
function stub(text: string): VolumeStub {
  const [ID, index = '7'] = text.split('@');
  // oxlint-disable-next-line no-unsafe-type-assertion -- all that the watch looks at
  return { ID, Namespace: 'default', ModifyIndex: Number(index) } as VolumeStub;
}

export const page = ({ names, nextToken }: Listed, index: number) => ({
  // oxlint-disable-next-line no-unsafe-type-assertion -- the one operation that is asked
  reply: names.map(stub) as never,
  index,
  nextToken,
});
