import { expect, test } from 'vitest';
import { parseKey } from '../../src/core/resource.ts';
import type { Status } from '../../src/core/status/status.ts';
import type { ObjectView } from '../../src/core/status/view.ts';
import { objectPath } from '../../src/web/query.ts';
import {
  FakeView,
  condition,
  keyOf,
  memoryOf,
  nowMs,
  objectView,
  ready,
  stalled,
  withConditions,
} from './fake-view.ts';
import { get, served } from './serving.ts';

const markup = '<img src=x onerror=alert(1)>"\'&amp;';
const at = '2026-11-20T11:57:00.000Z';

/** Every text of an object that comes from elsewhere is hostile. */
const hostile: ObjectView = {
  key: { kind: `K${markup}`, namespace: markup, name: markup },
  origin: markup,
  generation: 3,
  deleting: true,
  suspension: { by: 'command', who: markup },
  through: markup,
  connection: { watch: 'live', list: { index: 7, atMs: nowMs - 60_000 } },
  waitsFor: [{ field: markup, target: keyOf(markup), state: 'missing', message: markup }],
  nextVisitMs: nowMs + 60_000,
  timeline: [{ at: markup, what: markup, done: true }],
  status: memoryOf({
    externalRef: { [markup]: markup },
    applied: { [markup]: { [markup]: markup }, __proto__: markup },
    observed: { [markup]: [markup] },
    pending: { op: markup, token: 'x' },
    drift: {
      summary: markup,
      detectedAt: markup,
      fields: [{ path: markup, desired: markup, live: { [markup]: null }, cause: 'drift' }],
    },
    history: [{ at: markup, verb: 'create', what: markup, fields: [markup] }],
    conditions: [
      { ...condition('Ready', 'False', markup, markup), lastTransitionTime: markup },
      condition(markup, 'True', markup, markup),
    ],
  }),
};

test.for([
  ['the list', '/'],
  ['its filter', `/?q=${encodeURIComponent(markup)}&kind=${encodeURIComponent(markup)}`],
  ['the detail page', objectPath(hostile.key)],
  ['the page of an object that is not there', objectPath(keyOf(markup))],
])('markup in whatever field stays text: %s', async ([, path]) => {
  const { web, view } = await served();
  view.set(hostile);
  const { body } = await get(web.url + path);
  expect(body).toContain('&#60;img src=x onerror=alert(1)&#62;');
  expect(body).not.toMatch(/<img|onerror=alert\(1\)>|"'&amp;/);
});

async function detail(object: ObjectView): Promise<string> {
  const { web, view } = await served();
  view.set(object);
  const { body } = await get(web.url + objectPath(object.key));
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('the detail page says what is declared, found, done and next', async () => {
  const text = await detail(
    objectView(keyOf('data'), {
      origin: 'volumes/shop.yaml:12',
      generation: 4,
      through: 'SchedulerConnection/production',
      nextVisitMs: nowMs + 5 * 60_000,
      waitsFor: [
        {
          field: '/snapshotRef',
          target: keyOf('nightly', 'CSISnapshot'),
          state: 'waiting',
          message: 'not ready',
        },
      ],
      timeline: [
        { at, what: 'rotate', done: true },
        { what: 'publish', done: false },
      ],
      status: memoryOf({
        observedGeneration: 3,
        externalRef: { id: 'data-1' },
        applied: { '/capacity/max': '10Gi', '/fsType': 'ext4' },
        observed: { capacity: 7 },
        drift: {
          summary: '1 field',
          detectedAt: at,
          fields: [{ path: '/capacity/max', desired: '20Gi', live: '32Gi', cause: 'drift' }],
        },
        history: [{ at, verb: 'update', what: 'expand to 20Gi', fields: ['/capacity/max'] }],
        conditions: ready,
      }),
    }),
  );
  for (const part of [
    'volumes/shop.yaml:12',
    '4, reconciled: 3',
    'SchedulerConnection /production',
    'in 5 min',
    'CSISnapshot /shop /nightly waiting',
    'rotate 3 min ago',
    'publish next',
    'id data-1',
    'differs in 1 field , seen 3 min ago Field Declared Last written Live ',
    '/capacity /max changed outside 20Gi 10Gi 32Gi ',
    '/fsType ext4 capacity 7 ',
    'expand to 20Gi',
  ]) {
    expect(text).toContain(part);
  }
});

test.for([
  {
    why: 'what is wrong',
    reason: 'ExternalNameConflict',
    says: 'Delete one of the two, or give one of them another externalName .',
  },
  { why: 'what only another version knows', reason: 'OfTomorrow', says: undefined },
  { why: 'what is as it should be', reason: 'InSync', says: undefined },
])('a reason is explained where it is shown: $why', async ({ reason, says }) => {
  const text = await detail(withConditions(keyOf('data'), [condition('Ready', 'False', reason)]));
  expect(text).toContain(` ${reason} `);
  if (says === undefined) expect(text).not.toContain('You need to do nothing');
  else expect(text).toContain(says);
});

test('a reason in the list leads to its remedy', async () => {
  const { web, view } = await served();
  view.set(withConditions(keyOf('data'), stalled('ExternalNameConflict', 'two declare it')));
  view.set(objectView(keyOf('fine')));
  const { body } = await get(web.url);
  const links = [...body.matchAll(/<a href="(\/objects\/[^"]*)#remedy"/g)].map((match) => match[1] ?? '');
  expect(links).toEqual([objectPath(keyOf('data'))]);
  expect((await get(web.url + links[0])).body).toMatch(/id="remedy">[^<]*Delete one of the two/s);
});

test('what Holdfast compared and found alike is told so; what is only seen stands below', async () => {
  const object = objectView(keyOf('data'), {
    status: memoryOf({
      observedGeneration: 1,
      conditions: ready,
      applied: { '/fsType': 'ext4', '/period': '24h' },
      observed: { period: '1d', id: 'data-1' },
    }),
  });
  const text = await detail(object);
  expect(text).toContain('/fsType as written ext4 no difference /period as written 24h 1d id data-1 Facts');
});

test('values are as manifests write them: sizes and durations with their units, lists as lists', async () => {
  const text = await detail(
    objectView(keyOf('data'), {
      status: memoryOf({
        applied: { '/capacity/min': 2 ** 30, '/rotationPeriod': 86_400, '/flags': ['ro', 'noatime'] },
        observed: { capacity: 2 ** 31 },
      }),
    }),
  );
  for (const part of ['/min 1Gi', '/rotationPeriod 24h', '/flags [ro, noatime]', 'capacity 2Gi'])
    expect(text).toContain(part);
});

test('what is gone outside is no edit, and what was never written has not changed', async () => {
  const edited = { path: '/fsType', desired: 'xfs', cause: 'edit' } as const;
  const gone = { path: '/pluginID', desired: 'nfs', cause: 'edit' } as const;
  const drift = { summary: '2 fields', detectedAt: at, fields: [gone, edited] };
  const applied = { '/pluginID': 'nfs', '/fsType': 'ext4' };
  const said = (memory: Partial<Status>) =>
    detail(objectView(keyOf('data'), { status: memoryOf({ drift, ...memory }) }));
  expect(await said({ applied })).toMatch(
    /Drifted.*pluginID changed outside nfs.*fsType the declaration changed xfs/,
  );
  const fresh = await said({});
  expect(fresh).toMatch(/pluginID not written yet nfs none.*fsType not written yet xfs/);
  expect(fresh).not.toContain('Drifted');
});

test('a connection has no sections that would always be empty', async () => {
  const text = await detail(
    objectView(keyOf('main', 'SchedulerConnection', ''), { connection: { watch: 'live' } }),
  );
  expect(text).toContain('Watch Live');
  expect(text).not.toMatch(/External object|Last actions/);
});

test('a table has no column that no field needs', async () => {
  const text = await detail(objectView(keyOf('data'), { status: memoryOf({ observed: { leader: 'yes' } }) }));
  expect(text).toContain('Fields Field Live leader yes');
});

test('conditions that say the same are one line, and each other reason is explained once', async () => {
  const text = await detail(
    withConditions(keyOf('data'), [
      ...stalled('ExternalNameConflict', 'two declare it'),
      condition('Abnormal', 'False', 'InSync'),
      condition('Schedulable', 'False', 'Drifted'),
    ]),
  );
  expect(text).toContain('Ready : False Stalled : True ExternalNameConflict two declare it 2 h ago Abnormal');
  expect(text.split('Delete one of the two')).toHaveLength(2);
  expect(text).toContain('Schedulable : False Drifted What Drifted means');
});

test('a secret is shown by its source, wherever it stands in a value', async () => {
  const boxed = { $secret: 'shop/csi/password', version: '0123456789abcdef' };
  const text = await detail(
    objectView(keyOf('data'), { status: memoryOf({ applied: { '/a': boxed, '/b': [{ deep: boxed }] } }) }),
  );
  expect(text).toContain('/a secret shop/csi/password (version 01234567) ');
  expect(text).toContain('[{deep: secret shop/csi/password (version 01234567)}]');
  expect(text).not.toContain('$secret');
});

test('a value without end is cut', async () => {
  const text = await detail(
    objectView(keyOf('data'), { status: memoryOf({ observed: { text: 'x'.repeat(100_000) } }) }),
  );
  expect(text.length).toBeLessThan(5_000);
});

test('ten thousand objects are a page of two hundred rows and a way to the next', async () => {
  const view = new FakeView();
  for (let i = 0; i < 10_000; i++) view.set(objectView(keyOf(`v${String(i).padStart(5, '0')}`)));
  const { web } = await served({}, view);
  const { body } = await get(`${web.url}/?kind=CSIVolume&page=2`);
  expect(body.match(/<tr role="row" class/g)).toHaveLength(200);
  expect(body).toContain('201–400 of 10000');
  expect(body).toContain('href="/?kind=CSIVolume&#38;page=3"');
  expect(body).toContain('>v00200<');
});

test('the same list works by its address alone, and keeps what was asked in the form', async () => {
  const { web, view } = await served();
  view.set(objectView(keyOf('one')));
  view.set(withConditions(keyOf('two'), [condition('Ready', 'False', 'Waits')]));
  const { body } = await get(`${web.url}/?q=t&state=not-ready`);
  expect(body).toContain('>two<');
  expect(body).not.toContain('>one<');
  expect(body).toMatch(/name="q"\s+value="t"/);
  expect(body).toMatch(/<option value="not-ready"\s+selected>/);
});

test('a column head sorts, says so to those who listen, and turns round what it sorts', async () => {
  const { web, view } = await served();
  view.set(objectView(keyOf('one'), { createdAt: at }));
  const heads = async (path: string) => {
    const { body } = await get(web.url + path);
    expect(body).toMatch(/class="age"[^>]*><time/);
    return /<thead.*<\/thead>/s.exec(body)?.[0] ?? '';
  };
  expect(await heads('/?namespace=shop&page=1')).toContain('href="/?namespace=shop&#38;sort=age"');
  const young = await heads('/?sort=age');
  expect(young).toMatch(/aria-sort="ascending">\s*<a href="\/\?sort=-age">Age</);
  expect(young.match(/aria-sort/g)).toHaveLength(1);
  expect(await heads('/?sort=-age')).toMatch(/aria-sort="descending">\s*<a href="\/\?sort=age">Age</);
});

test('every key that the list shows leads to its page', async () => {
  const { web, view } = await served();
  const keys = ['CSIVolume/shop/__proto__', 'SchedulerConnection/constructor', 'CSIVolume/a b/%2F'];
  for (const text of keys) view.set(objectView(parseKey(text) ?? keyOf('unreadable')));
  const { body } = await get(web.url);
  const links = [...body.matchAll(/<a href="(\/objects\/[^"]*)"/g)].map((match) => match[1] ?? '');
  const statuses = await Promise.all(links.map(async (link) => (await get(web.url + link)).status));
  expect(statuses).toEqual([200, 200, 200]);
});

test('what is wrong with files stands beside the objects, and the probe counts it without a name', async () => {
  const { web, view } = await served();
  const file = { origin: markup, message: markup };
  expect((await get(`${web.url}/`)).body).not.toContain('Files with problems');
  expect((await get(`${web.url}/readyz?verbose`)).body).toContain(
    '[+]listed ok\n[+]files ok\nreadyz check passed',
  );
  view.wrong = [...Array.from({ length: 20 }, () => file), { ...file, key: 'CSIVolume/shop/a' }];
  const { body } = await get(`${web.url}/`);
  expect(body.match(/<li><bdi>&#60;img/g)).toHaveLength(20);
  expect(body).toContain('and 1 more');
  expect(body).not.toMatch(/<img/);
  const probe = await get(`${web.url}/readyz?verbose`);
  expect([probe.status, probe.body]).toEqual([
    200,
    expect.stringContaining('[-]files have problems: object 1, file 20\n'),
  ]);
  expect(probe.body).not.toContain('img');
});
