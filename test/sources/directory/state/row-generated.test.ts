// The rows of what no manifest declares. One that takes over somebody's object, or is drawn anew, loses what it stands for.
import { describe, expect, test } from 'vitest';
import { expired, generatedBy, retentionHold, type Child } from '../../../../src/core/effect.ts';
import { declare, expire, generate, leave } from '../../../../src/sources/directory/state/row.ts';
import { declared, volume } from './data.ts';

const child: Child = {
  key: volume('nightly-1'),
  labels: {},
  annotations: { [`holdfast.dev/${generatedBy}`]: 'Schedule/shop/nightly' },
  spec: { size: 1 },
};

test('is of its first declaration: a repeated one draws no other, and makes it no younger', () => {
  const row = generate(undefined, child, () => 'drawn', '2026-11-22T10:00:00Z');
  expect(row.object).toMatchObject({ uid: 'drawn', generation: 1, createdAt: '2026-11-22T10:00:00Z' });
  // Nothing is outside yet, nobody approved anything, and a manifest of its key says something else.
  expect([row.object.held, row.approved, row.hash !== '']).toEqual([false, '', true]);
  expect(generate(row, child, () => 'other', '2026-11-23T10:00:00Z')).toBe(row);
  expect('createdAt' in generate(undefined, child, () => 'drawn').object).toBe(false);
});

test('never takes the place of what a manifest declares', () => {
  const row = declare(undefined, declared(child.key), () => 'uid');
  expect(() => generate(row, child, () => 'drawn')).toThrow(/nightly-1/);
});

describe('what expires', () => {
  const row = generate(undefined, child, () => 'drawn');

  test('leaves with its data, and bears by which decision', () => {
    const gone = expire(row, 'drawn', 'rule 7');
    expect(gone?.object).toMatchObject({
      deleting: true,
      generation: 2,
      spec: { size: 1, deletionPolicy: 'Delete' },
      requests: { [generatedBy]: 'Schedule/shop/nightly', [expired]: 'rule 7' },
    });
    expect(expire(gone, 'drawn', 'rule 8')).toBe(gone);
  });

  test('goes by its own policy where nobody decided of its data', () => {
    const { object } = expire(row, 'drawn') ?? row;
    expect(object).toMatchObject({ deleting: true, generation: 2 });
    expect([object.spec, object.requests]).toEqual([row.object.spec, row.object.requests]);
  });

  test('is not one that came in its place, that leaves already, is declared by now, or is gone', () => {
    expect(expire(row, 'another', 'rule 7')).toBe(row);
    const leaving = leave(row);
    expect(expire(leaving, 'drawn', 'rule 7')).toBe(leaving);
    const taken = declare(row, declared(child.key), () => 'other');
    expect(expire(taken, 'drawn', 'rule 7')).toBe(taken);
    expect(expire(undefined, 'drawn', 'rule 7')).toBeUndefined();
  });

  test('is not what somebody asked to keep, in its declaration or by command', () => {
    const byCommand = { ...row, overlay: { [retentionHold]: 'audit' } };
    expect(expire(byCommand, 'drawn', 'rule 7')).toBe(byCommand);
    const inside = { ...row, object: { ...row.object, requests: { [retentionHold]: 'audit' } } };
    expect(expire(inside, 'drawn', 'rule 7')).toBe(inside);
  });

  test('whose last declaration can not be read goes all the same, by its policy alone', () => {
    const unread = { ...row, object: { ...row.object, spec: null } };
    expect(expire(unread, 'drawn', 'rule 7')?.object.spec).toEqual({ deletionPolicy: 'Delete' });
  });
});
