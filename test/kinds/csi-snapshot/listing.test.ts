// How a snapshot is found in the list of its plugin, and when its absence is believed.
import { describe, expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { found } from '../../../src/kinds/csi-snapshot/listing.ts';
import { never } from '../../api/servers.ts';
import { failure } from '../../api/servers.ts';
import { secret } from './situation.ts';

const wanted = { id: 'snap-1', pluginID: 'ebs', namespace: 'default', secrets: {} };
const entry = (ID: string, more: object = {}) => ({
  ID,
  PluginID: 'ebs',
  CreateTime: 1,
  IsReady: true,
  ExternalSourceVolumeID: 'vol-1',
  ...more,
});

type Listed = { readonly Snapshots?: unknown; readonly next?: string } | ApiError | undefined;

/** Answers one page after the other. */
function listing(...pages: readonly Listed[]) {
  const asked: unknown[] = [];
  let at = 0;
  const reader: Reader = {
    read: () => Promise.reject(new Error('nobody reads')),
    page(op, params) {
      if (op !== 'snapshot.list') throw new Error(`nobody asks for ${op}`);
      asked.push(params);
      if (at === pages.length) throw new Error('nobody asks for more');
      const page = pages[at++];
      if (page instanceof ApiError) return Promise.reject(page);
      if (page === undefined) return Promise.resolve(undefined);
      const { next, ...reply } = page;
      // oxlint-disable-next-line no-unsafe-type-assertion -- some of these are no answers of snapshot.list, which is the point
      return Promise.resolve({ reply: reply as never, index: 1, nextToken: next });
    },
  };
  return { reader, asked, left: () => pages.length - at };
}

const page = (ids: readonly string[], next?: string): Listed => ({
  Snapshots: ids.map((ID) => entry(ID)),
  ...(next !== undefined && { next }),
});

const sought = async (...pages: readonly Listed[]) => {
  const { reader, left, asked } = listing(...pages);
  const snapshot = await found(reader, wanted, never);
  expect(left()).toBe(0);
  return { id: typeof snapshot === 'string' ? snapshot : snapshot?.ID, asked };
};

describe('is found', () => {
  test('on the first page, and no more are read', async () => {
    expect(await sought(page(['snap-0', 'snap-1', 'snap-2'], 'next'))).toEqual({
      id: 'snap-1',
      asked: [{ namespace: 'default', plugin_id: 'ebs', per_page: 0 }],
    });
  });

  test('on a later page, by the tokens of the plugin', async () => {
    const { id, asked } = await sought(page(['a'], 't1'), page([], 't2'), page(['snap-1']));
    expect(id).toBe('snap-1');
    expect(asked).toMatchObject([{}, { next_token: 't1' }, { next_token: 't2' }]);
    expect(asked[0]).not.toHaveProperty('next_token');
  });

  test('though the first list skipped it, since others came and went meanwhile', async () => {
    expect((await sought(page(['a'], 't'), page(['c']), page(['a'], 't'), page(['snap-1', 'c']))).id).toBe(
      'snap-1',
    );
  });

  test('with the secrets that the plugin needs', async () => {
    const { reader, asked } = listing(page(['snap-1']));
    if (secret.state !== 'secret') throw new Error('no secret');
    await found(reader, { ...wanted, secrets: { key: secret.secret } }, never);
    expect(asked).toEqual([
      { namespace: 'default', plugin_id: 'ebs', per_page: 0, secrets: { key: secret.secret } },
    ]);
  });

  test('where the list does not say whose it is', async () => {
    for (const PluginID of [undefined, '', null])
      expect((await sought({ Snapshots: [entry('snap-1', { PluginID })] })).id).toBe('snap-1');
  });
});

describe('is absent', () => {
  test.for<{ why: string; pages: readonly Listed[] }>([
    { why: 'from a list of one page', pages: [page(['snap-0'])] },
    { why: 'from an empty list', pages: [{ Snapshots: null }] },
    { why: 'from no list', pages: [{}] },
    {
      why: 'where another plugin has that ID',
      pages: [{ Snapshots: [entry('snap-1', { PluginID: 'ebs2' })] }],
    },
    {
      why: 'from two lists that agree',
      pages: [page(['a'], 't'), page(['b']), page(['a'], 't'), page(['b'])],
    },
    {
      why: 'from two that agree after one that did not',
      pages: [page(['a'], 't'), page(['b']), page(['a'], 't'), page(['c']), page(['a'], 't'), page(['c'])],
    },
  ])('$why', async ({ pages }) => {
    expect((await sought(...pages)).id).toBeUndefined();
  });
});

test('a list that never stands still tells nothing', async () => {
  const walks = ['1', '2', '3', '4', '5'].flatMap((id) => [page([id], 't'), page(['z'])]);
  const { reader } = listing(...walks);
  expect(await failure(found(reader, wanted, never))).toMatchObject({
    class: 'unavailable',
    reason: 'ListUnstable',
    message: 'snapshot.list: the snapshots of ebs change while they are listed',
  });
});

test('a plugin that can not list says so', async () => {
  expect((await sought(new ApiError('refused', 'PluginIncapable', 'x'))).id).toBe('unlistable');
});

test.for<{ why: string; page: Listed; error: object }>([
  {
    why: 'an error is no list',
    page: new ApiError('refused', 'PermissionDenied', 'x'),
    error: { reason: 'PermissionDenied' },
  },
  { why: 'nothing is no list', page: undefined, error: { message: 'snapshot.list: nothing answers' } },
  {
    why: 'a map is no list',
    page: { Snapshots: {} },
    error: { class: 'unreadable', reason: 'InvalidResponse' },
  },
  {
    why: 'what has no ID may be it',
    page: { Snapshots: [{ PluginID: 'ebs' }] },
    error: { message: 'snapshot.list: an entry is not a snapshot' },
  },
  {
    why: 'an ID beyond what can be stored',
    page: { Snapshots: [entry('x'.repeat(1_025))] },
    error: { reason: 'InvalidResponse' },
  },
  {
    why: 'a source beyond what can be stored',
    page: { Snapshots: [entry('snap-1', { ExternalSourceVolumeID: 'x'.repeat(1_025) })] },
    error: { reason: 'InvalidResponse' },
  },
  {
    why: 'a time that is none',
    page: { Snapshots: [entry('snap-1', { CreateTime: 'now' })] },
    error: { reason: 'InvalidResponse' },
  },
])('$why', async ({ page: one, error }) => {
  const { reader } = listing(one);
  expect(await failure(found(reader, wanted, never))).toMatchObject(error);
});

test('pages that lead in a circle end', async () => {
  const { reader } = listing(page(['a'], 't'), page(['b'], 't'));
  const error = await failure(found(reader, wanted, never));
  expect(error).toMatchObject({ class: 'unreadable', message: 'snapshot.list: its pages never end' });
});

test('so do pages that never repeat', async () => {
  const pages = Array.from({ length: 1_000 }, (_, at) => page([], `t${at}`));
  const { reader, left } = listing(...pages);
  expect(await failure(found(reader, wanted, never))).toMatchObject({ class: 'unreadable' });
  expect(left()).toBe(0);
});
