// What is declared and can't be followed is told, and told as long as it holds.
import { describe, expect, test } from 'vitest';
import type { Applied, FieldTable, Want } from '../../../src/core/planning/diff.ts';
import { keptOf } from '../../../src/core/planning/kept.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { Secret } from '../../../src/core/secret.ts';
import { declared, situation, toy, type Given } from '../../support/toy.ts';

const table = {
  '/plain': { change: 'in-place' },
  '/reset': { change: 'in-place', unset: '' },
  '/size': { change: 'in-place', compare: 'at-least' },
  '/first': { change: 'creation' },
} as const satisfies FieldTable;
type Path = keyof typeof table;

interface Row {
  readonly why: string;
  readonly want: Want<Path>;
  readonly applied?: Applied;
  readonly kept?: Applied;
  /** It is not recorded as ours yet. */
  readonly isNew?: true;
  readonly stays: Applied;
}

const rows: readonly Row[] = [
  { why: 'nothing was ever declared', want: {}, stays: {} },
  { why: 'nothing was ever declared, and it is not there yet', want: {}, isNew: true, stays: {} },
  {
    why: 'as declared',
    want: { '/plain': 1, '/size': 2, '/first': 3 },
    applied: { '/plain': 1, '/size': 2, '/first': 3 },
    stays: {},
  },
  { why: 'let go, and nobody can unset it', want: {}, applied: { '/plain': 1 }, stays: { '/plain': 1 } },
  { why: 'let go, and it is reset', want: {}, applied: { '/reset': 'a' }, stays: {} },
  { why: 'still let go at the next look', want: {}, kept: { '/plain': 1 }, stays: { '/plain': 1 } },
  { why: 'declared again', want: { '/plain': 2 }, kept: { '/plain': 1 }, stays: {} },
  { why: 'made smaller', want: { '/size': 1 }, applied: { '/size': 2 }, stays: { '/size': 2 } },
  {
    why: 'still smaller',
    want: { '/size': 1 },
    applied: { '/size': 1 },
    kept: { '/size': 2 },
    stays: { '/size': 2 },
  },
  {
    why: 'as large as it became',
    want: { '/size': 2 },
    applied: { '/size': 1 },
    kept: { '/size': 2 },
    stays: {},
  },
  { why: 'made larger: that is written', want: { '/size': 3 }, applied: { '/size': 2 }, stays: {} },
  { why: 'no sizes: nothing shrinks', want: { '/size': 'a' }, applied: { '/size': 'b' }, stays: {} },
  { why: 'a size that was none', want: { '/size': 1 }, applied: { '/size': '2' }, stays: {} },
  { why: 'none that was a size', want: { '/size': '1' }, applied: { '/size': 2 }, stays: {} },
  { why: 'any other edit is written', want: { '/plain': 1 }, applied: { '/plain': 2 }, stays: {} },
  {
    why: 'read at the creation only',
    want: { '/first': 2 },
    applied: { '/first': 1 },
    stays: { '/first': 1 },
  },
  {
    why: 'as it was created',
    want: { '/first': 1 },
    applied: { '/first': 2 },
    kept: { '/first': 1 },
    stays: {},
  },
  { why: 'declared after the creation', want: { '/first': 1 }, stays: { '/first': '' } },
  {
    why: 'still of after the creation',
    want: { '/first': 1 },
    applied: { '/first': 1 },
    kept: { '/first': '' },
    stays: { '/first': '' },
  },
  { why: 'declared after the creation, and taken out again', want: {}, kept: { '/first': '' }, stays: {} },
  {
    why: 'about to be taken over: it is recorded as declared',
    want: { '/first': 1 },
    isNew: true,
    stays: {},
  },
  {
    why: 'a secret is told by its version, and a new one is no edit',
    want: { '/first': Secret.of('a/b', '2', 'canary-kept-5a1c') },
    applied: { '/first': 'a/b 1' },
    stays: {},
  },
];

test.for(rows)('$why', ({ want, applied = {}, kept, isNew, stays }) => {
  const status = { applied, ...(kept && { kept }), ...(isNew !== true && { externalRef: { id: 'a' } }) };
  expect(keptOf(table, want, status)).toStrictEqual(stays);
});

describe('a plan has what stays as it was', () => {
  const late: Given = { spec: { ...declared, seed: 'new' } };
  const stays = { '/seed': '' };

  test('at rest, and where nothing stays it has none', () => {
    expect(managed(toy)(situation(late))).toMatchObject({ verdict: 'in-sync', kept: stays });
    expect(managed(toy)(situation({}))).not.toHaveProperty('kept');
  });

  test('with what it writes', () => {
    const edited = { spec: { ...late.spec, size: 20 } };
    expect(managed(toy)(situation(edited))).toMatchObject({ steps: [{ verb: 'update', kept: stays }] });
  });

  test('but not what the kind answers for', () => {
    const answering = { ...toy, answersFor: () => ['/seed' as const] };
    expect(managed(answering)(situation(late))).not.toHaveProperty('kept');
    const other = { ...toy, answersFor: () => ['/size' as const] };
    expect(managed(other)(situation(late))).toHaveProperty('kept', stays);
  });
});
