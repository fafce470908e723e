// Whatever is damaged of what Holdfast remembers, nothing is deleted that is not this object's, and no password moves.
import { expect, test } from 'vitest';
import { atRest } from './world/ownership.ts';
import { damaged } from './damage/play.ts';
import { columns } from './table/comparison.ts';
import { aside, note, options, timeout } from './table/options.ts';

test.for(
  ['CSIVolume', 'LDAPConfig', 'LDAPStaticRole'].filter((kind) => options.matches(`${kind}, bookkeeping`)),
)(
  '%s: each field of its memory deleted, blanked, or swapped with another object’s: no wrong delete',
  { timeout },
  async (kind) => {
    const { row, failures } = await damaged(await atRest(), kind, aside);
    note(row, failures);
    expect(row.cases).toBeGreaterThan(0);
    const all = failures.map(({ where }) => where).join('\n');
    for (const column of columns) expect(row.found[column], all).toBe(0);
  },
);
