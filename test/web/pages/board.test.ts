import { expect, test } from 'vitest';
import { Board, pageSize, type Move } from '../../../src/web/pages/board.ts';
import { readQuery, type Query } from '../../../src/web/query.ts';
import {
  FakeView,
  condition,
  keyOf,
  memoryOf,
  objectView,
  ready,
  stalled,
  withConditions,
} from '../fake-view.ts';

const asked = (text = ''): Query => readQuery(new URLSearchParams(text));

function boardOf(view: FakeView): { board: Board; moves: Move[]; changed: string[] } {
  const moves: Move[] = [];
  const changed: string[] = [];
  const board = new Board(view, {
    changed: (key) => changed.push(key),
    moved: (move) => moves.push(move),
  });
  return { board, moves, changed };
}

const names = (board: Board, text?: string): readonly (string | undefined)[] =>
  board.page(asked(text)).keys.map((key) => key.split('/').at(-1));

function mixed(): FakeView {
  const view = new FakeView();
  const fields = [{ path: '/a', cause: 'drift' }] as const;
  const drift = { summary: '1 field', detectedAt: '2026-11-20T11:00:00Z', fields };
  view.set(objectView(keyOf('fine'), { through: 'SchedulerConnection/production' }));
  view.set(objectView(keyOf('off', 'LDAPConfig'), { status: memoryOf({ conditions: ready, drift }) }));
  view.set(withConditions(keyOf('new', 'CSISnapshot'), []));
  view.set(withConditions(keyOf('waits'), [condition('Ready', 'False', 'Waits', 'for a Snapshot')]));
  view.set(
    withConditions(keyOf('stuck', 'CSIVolume', 'ops'), stalled('InvalidSpec', '/capacity: too small')),
  );
  return view;
}

test('problems come first, then what differs, then what is well', async () => {
  const { board } = boardOf(mixed());
  await board.refresh();
  expect(names(board)).toEqual(['stuck', 'waits', 'new', 'off', 'fine']);
});

test.for([
  ['a word of a message, in any case', 'q=SNAPSHOT', ['waits', 'new']],
  ['every word must be there', 'q=too+capacity', ['stuck']],
  ['a namespace', 'q=ops%2F', ['stuck']],
  ['a kind', 'kind=LDAPConfig', ['off']],
  ['a state', 'state=reconciling', ['new']],
  ['a mark', 'state=drifted', ['off']],
  ['a kind that means something to JavaScript', 'kind=__proto__', []],
  ['its namespace', 'namespace=ops', ['stuck']],
  ['a connection', 'connection=SchedulerConnection%2Fproduction', ['fine']],
  ['no connection', 'connection=-&namespace=ops', ['stuck']],
  ['two questions at once', 'q=shop&state=ready&kind=CSIVolume', ['fine']],
] as const)('finds by %s', async ([, text, found]) => {
  const { board } = boardOf(mixed());
  await board.refresh();
  expect(names(board, text)).toEqual(found);
});

const aged = (name: string, createdAt: string, at: string) =>
  objectView(keyOf(name), {
    createdAt,
    status: memoryOf({ conditions: ready, history: [{ at, verb: 'update', what: 'it', fields: [] }] }),
  });

test.for([
  ['sort=name', ['a', 'b', 'undated'], 'by name'],
  ['sort=-name', ['undated', 'b', 'a'], 'turned round'],
  ['sort=age', ['b', 'a', 'undated'], 'the youngest first, and what has no date last'],
  ['sort=last', ['a', 'b', 'undated'], 'what was changed last first: the history across objects'],
  ['sort=reason', ['undated', 'a', 'b'], 'what has one reason together'],
  ['sort=-state', ['a', 'b', 'undated'], 'what is well first'],
] as const)('%s: %2$s', async ([text, found]) => {
  const view = new FakeView();
  view.set(withConditions(keyOf('undated'), stalled('Conflict', 'no')));
  view.set(aged('a', '2026-11-01T00:00:00Z', '2026-11-09T00:00:00Z'));
  view.set(aged('b', '2026-11-02T00:00:00Z', '2026-11-08T00:00:00Z'));
  const { board } = boardOf(view);
  await board.refresh();
  expect(names(board, text)).toEqual(found);
});

test('a group shows its first ten and counts them all, so that one with thousands hides no other', async () => {
  const view = mixed();
  for (let i = 0; i < 2_000; i++) view.set(objectView(keyOf(`v${i}`)));
  const { board } = boardOf(view);
  await board.refresh();
  const { groups, groupsTotal, total, pages } = board.page(asked('group=namespace'));
  expect({ groupsTotal, total, pages }).toEqual({ groupsTotal: 2, total: 2_005, pages: 1 });
  expect(groups).toMatchObject([
    { name: 'ops', total: 1, stalled: 1, unready: 0, keys: ['CSIVolume/ops/stuck'] },
    { name: 'shop', total: 2_004, stalled: 0, unready: 1 },
  ]);
  expect(groups[1]?.keys.slice(0, 3)).toEqual(names3);
  expect(groups[1]?.keys).toHaveLength(10);
});

const names3 = ['CSIVolume/shop/waits', 'CSISnapshot/shop/new', 'LDAPConfig/shop/off'];

test('more groups than a page has room for are on the next, and none is on both', async () => {
  const view = new FakeView();
  for (let i = 0; i < 30; i++) view.set(objectView(keyOf('a', 'CSIVolume', `team-${i}`)));
  const { board } = boardOf(view);
  await board.refresh();
  const pages = [1, 2, 3].map((page) => board.page(asked(`group=namespace&page=${page}`)));
  expect(pages.map(({ page, groups }) => [page, groups.length])).toEqual([
    [1, 20],
    [2, 10],
    [2, 10],
  ]);
  expect(new Set(pages.flatMap(({ keys }) => keys)).size).toBe(30);
});

test('what has no connection is a group, too', async () => {
  const { board } = boardOf(mixed());
  await board.refresh();
  const { groups } = board.page(asked('group=connection'));
  expect(groups.map(({ name, total }) => [name, total])).toEqual([
    ['-', 4],
    ['SchedulerConnection/production', 1],
  ]);
});

test('among equals problems stay first, whichever way the column is turned', async () => {
  const view = mixed();
  const { board } = boardOf(view);
  await board.refresh();
  for (const text of ['sort=last', 'sort=-last']) expect(names(board, text)[0]).toBe('stuck');
});

test('ten thousand objects come in pages, without a gap and without one twice', async () => {
  const view = new FakeView();
  for (let i = 0; i < 10_000; i++) view.set(objectView(keyOf(`v${i}`)));
  const { board } = boardOf(view);
  await board.refresh();
  const { pages, total } = board.page(asked());
  const seen = new Set<string>();
  for (let page = 1; page <= pages; page++) {
    for (const key of board.page(asked(`page=${page}`)).keys) seen.add(key);
  }
  expect({ pages, total, seen: seen.size }).toEqual({ pages: 50, total: 10_000, seen: 10_000 });
  const beyond = board.page(asked('page=5000'));
  expect([beyond.page, beyond.keys.length, beyond.offset]).toEqual([50, pageSize, 9_800]);
});

test('a change moves an object to its new place, and is told once', async () => {
  const view = mixed();
  const { board, moves, changed } = boardOf(view);
  await board.refresh();
  moves.length = 0;
  view.set(withConditions(keyOf('fine'), stalled('Refused', 'no')));
  view.delete('CSIVolume/shop/waits');
  expect(changed).toEqual(['CSIVolume/shop/fine', 'CSIVolume/shop/waits']);
  await board.refresh();
  expect(names(board)).toEqual(['stuck', 'fine', 'new', 'off']);
  expect(moves).toEqual([
    { key: 'CSIVolume/shop/fine', before: 'ready', after: 'stalled' },
    { key: 'CSIVolume/shop/waits', before: 'not-ready', after: undefined },
  ]);
  expect(board.summary.counts).toMatchObject({ stalled: 2, 'not-ready': 0, reconciling: 1, ready: 1 });
});

test('a change that is told while a refresh runs is taken over by the next one', async () => {
  const view = new FakeView();
  for (let i = 0; i < 12_000; i++) view.set(objectView(keyOf(`v${i}`)));
  const { board } = boardOf(view);
  const first = board.refresh();
  view.set(withConditions(keyOf('v0'), stalled('Refused', 'no')));
  await first;
  await board.refresh();
  expect(names(board)[0]).toBe('v0');
});

test('each connection counts those who use it', async () => {
  const view = new FakeView();
  const production = keyOf('production', 'SchedulerConnection', '');
  view.set(objectView(production, { connection: { watch: 'live' } }));
  const through = 'SchedulerConnection/production';
  view.set(objectView(keyOf('a'), { through }));
  view.set({ ...withConditions(keyOf('b'), stalled('Refused', 'no')), through });
  const { board } = boardOf(view);
  await board.refresh();
  expect(board.summary.connections).toEqual([through]);
  expect(board.summary.users.get(through)).toEqual({ total: 2, ready: 1 });
});

test('a board that nobody looks at costs nothing: it does not even listen', () => {
  const view = mixed();
  boardOf(view);
  expect(view.subscribers).toBe(0);
});
