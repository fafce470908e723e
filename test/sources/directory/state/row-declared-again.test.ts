// An object that was leaving and is declared again. What a person asked of its deletion by command, such as to leave its data outside,
// ends with that deletion: at a later one, nobody asked for it.
import { expect, test } from 'vitest';
import {
  afterDeletion,
  comeBack,
  declare,
  layOver,
  leave,
  type Row,
} from '../../../../src/sources/directory/state/row.ts';
import { declared, deletionRequests, volume } from './data.ts';

/** Something was asked of its deletion, and something that any object accepts. */
const asked = ['force-orphan', 'abandon-root', 'suspend'].reduce<Row>(
  (row, name) => layOver(row, name, 'yes', `who asked for ${name}`),
  declare(undefined, declared(volume('data')), () => 'drawn'),
);
const leaving = leave(asked);

test('what was asked of the deletion is dropped, and what else was asked stays', () => {
  const back = comeBack(leaving);
  expect(afterDeletion(leaving, back, deletionRequests)).toStrictEqual({
    ...back,
    overlay: { suspend: 'yes' },
    askers: { suspend: 'who asked for suspend' },
  });
});

test.for<readonly [why: string, before: Row | undefined, after: Row | undefined]>([
  ['it is leaving still', leaving, leaving],
  ['it leaves only now', asked, leaving],
  ['it was not leaving', asked, asked],
  ['it was not known before', undefined, asked],
  ['it is gone', leaving, undefined],
  ['it was never there', undefined, undefined],
])('nothing is dropped where $0', ([, before, after]) => {
  expect(afterDeletion(before, after, deletionRequests)).toBe(after);
});
