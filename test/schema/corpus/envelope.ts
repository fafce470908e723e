// What stands around a spec: names, labels, annotations, owners, what the API server writes.
import { absent, cluster, disputed, put, valuesOf, type Case } from './case.ts';
import { everyKind, scheduler, volume } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-1' };

const names: readonly Case[] = [
  ...valuesOf(volume, '/metadata/name', {
    valid: ['a', '0', 'a-b', 'a1', '1a', x(63)],
    invalid: [
      '',
      'A',
      'a_b',
      'a.b',
      '-a',
      'a-',
      'a/b',
      'a b',
      'ä',
      'a\n',
      '.',
      '..',
      x(64),
      5,
      true,
      null,
      absent,
      ['a'],
      {},
    ],
  }),
  ...valuesOf(volume, '/metadata/namespace', {
    valid: [absent, 'shop', 'default'],
    invalid: ['A', 'a.b', '../b', 'a b', x(64), 5, ['a']],
  }),
  ...disputed(
    volume,
    '/metadata/namespace',
    ['', null],
    false,
    cluster('kubectl and the API server put in the namespace of the context; a directory has none'),
  ),
  ...disputed(scheduler, '/metadata/namespace', ['shop'], false, {
    server: 'the API server drops it; in a directory it is more likely a mistake',
  }),
  ...disputed(
    volume,
    '/metadata/generateName',
    ['a-'],
    false,
    cluster(
      'with a name beside it, it means nothing; without one, a directory would declare another object at each pass',
    ),
  ),
];

const texts = (pointer: '/metadata/labels' | '/metadata/annotations'): readonly Case[] =>
  valuesOf(volume, pointer, {
    valid: [
      {},
      { a: '' },
      { 'a.b/c': 'x' },
      { 'A-b_c.D': 'x' },
      { [x(63)]: 'x' },
      { [`${x(63)}.example/${x(63)}`]: 'x' },
    ],
    invalid: [
      { '': 'x' },
      { '-a': 'x' },
      { 'a-': 'x' },
      { 'a b': 'x' },
      { 'a/b/c': 'x' },
      { '/a': 'x' },
      { 'a/': 'x' },
      { 'a_b/c': 'x' },
      { ä: 'x' },
      { [x(64)]: 'x' },
      { [`${'a.'.repeat(127)}a/b`]: 'x' },
      { a: 5 },
      { a: true },
      { a: ['x'] },
      ['a'],
      'a',
    ],
  });

const labelsAndAnnotations: readonly Case[] = [
  ...texts('/metadata/labels'),
  ...texts('/metadata/annotations'),
  ...valuesOf(volume, '/metadata/labels', {
    valid: [{ a: 'x' }, { a: 'A.b_c-d' }, { a: '0' }, { a: x(63) }, null],
    invalid: [
      { a: x(64) },
      { a: '-x' },
      { a: 'x.' },
      { a: 'x y' },
      { a: 'x/y' },
      { a: 'ä' },
      { 'Example.com/a': 'x' },
    ],
  }),
  ...valuesOf(volume, '/metadata/annotations', {
    valid: [
      { a: ' any\ntext ' },
      { a: 'ä' },
      { 'Example.com/a': 'x' },
      { a: x(262_143) },
      { 'holdfast.dev/rotate': '1' },
      null,
    ],
    invalid: [{ a: x(262_144) }, { a: x(131_072), b: x(131_072) }, { a: 'ä'.repeat(131_072) }],
  }),
  ...valuesOf(volume, '/metadata/labels', {
    valid: [Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`l${i}`, 'x']))],
  }),
  ...disputed(
    volume,
    '/metadata/labels',
    [{ a: null }],
    false,
    cluster('the API server reads null as an empty text; nobody means that'),
  ),
  ...disputed(
    volume,
    '/metadata/annotations',
    [{ 'holdfast.dev/rotate': x(1025) }],
    false,
    cluster('the schema of metadata is not ours to bound; in a cluster the source refuses so long a request'),
  ),
];

const written: readonly Case[] = [
  ...valuesOf(volume, '/metadata/ownerReferences', {
    valid: [
      [],
      [owner],
      [{ ...owner, controller: true, blockOwnerDeletion: false }],
      [owner, { ...owner, name: 'b' }],
      null,
    ],
    invalid: [
      [{ ...owner, name: '' }],
      [{ ...owner, uid: '' }],
      [{ ...owner, kind: '' }],
      [{ ...owner, apiVersion: '' }],
      [{ ...owner, apiVersion: 'a/b/c' }],
      [{ kind: 'Deployment' }],
      [{ ...owner, more: 1 }],
      [{ ...owner, controller: 'yes' }],
      [
        { ...owner, controller: true },
        { ...owner, name: 'b', controller: true },
      ],
      'web',
    ],
  }),
  ...valuesOf(volume, '/metadata/finalizers', {
    valid: [[], ['example.com/keep'], null],
    invalid: [['a b'], [''], [5], 'example.com/keep'],
  }),
  ...valuesOf(volume, '/metadata/creationTimestamp', {
    valid: [null, '2026-11-22T10:00:00Z', '2026-11-22T10:00:00+01:00'],
    invalid: ['', 'yesterday', '2026-11-22', 5],
  }),
  ...valuesOf(volume, '/metadata/uid', { valid: ['u-1', '', null], invalid: [5] }),
  ...valuesOf(volume, '/metadata/generation', { valid: [0, 3, null], invalid: [1.5, '3'] }),
  ...valuesOf(volume, '/metadata/selfLink', { valid: ['', '/apis/x'], invalid: [5] }),
  ...valuesOf(volume, '/metadata/resourceVersion', { valid: ['', '7', null], invalid: [5] }),
  ...disputed(volume, '/metadata/generation', [-1], false, {
    server: 'the API server counts by itself, whatever is written',
  }),
  ...valuesOf(volume, '/metadata/more', { invalid: ['x', {}, false] }),
];

const top: readonly Case[] = [
  ...valuesOf(volume, '/apiVersion', {
    invalid: ['holdfast.dev/v1', 'holdfast.dev', 'v1alpha1', 'v1', '', 5, absent],
  }),
  ...valuesOf(volume, '/kind', {
    invalid: ['csivolume', 'CSIVolumes', 'Disk', 'constructor', '', 5, absent],
  }),
  ...everyKind.flatMap((document) => [
    ...valuesOf(document, '/more', { invalid: ['x', {}] }),
    ...valuesOf(document, '/spec', { invalid: [absent, null, 'x', [], 5] }),
    ...valuesOf(document, '/spec/more', { invalid: ['x', {}] }),
    ...valuesOf(document, '/metadata', { invalid: [absent, null, 'x', []] }),
    ...valuesOf(document, '/status', { valid: [absent] }),
    ...disputed(
      document,
      '/status',
      [{}, { observedGeneration: 3 }, { conditions: [] }],
      false,
      cluster(
        'it drops the status of whoever writes no status; in a file it would look as if it meant something',
      ),
    ),
    ...valuesOf(document, '/status', { invalid: [{ more: 1 }] }),
    { title: `${String(document['kind'])} as it stands`, document, valid: true },
  ]),
];

const generated: readonly Case[] = [
  {
    title: 'a name that is to be generated',
    document: put(put(volume, '/metadata/generateName', 'a-'), '/metadata/name', absent),
    valid: false,
    otherwise: { server: 'a directory would declare another object at each pass' },
  },
];

export const envelopeCases: readonly Case[] = [
  ...names,
  ...labelsAndAnnotations,
  ...written,
  ...top,
  ...generated,
];
