// The fields that managed kinds have in common.
import { absent, cluster, disputed, valuesOf, type Case } from './case.ts';
import { config, login, managed, role, volume } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const nobodyMeansNull =
  'the API server drops a null; in a manifest it is more often a slip of indentation than a wish, and is refused at its line';

const policies: readonly Case[] = managed.flatMap((document) => [
  ...valuesOf(document, '/spec/managementPolicy', {
    valid: [absent, 'Full', 'ObserveOnly'],
    invalid: ['full', 'Observe', '', 5, true, ['Full']],
  }),
  ...valuesOf(document, '/spec/adoptionPolicy', {
    valid: [absent, 'Fail', 'AdoptIfIdentical', 'Adopt'],
    invalid: ['Never', 'adopt', '', 5],
  }),
  // The service deletes no configuration of a login method.
  ...valuesOf(document, '/spec/deletionPolicy', {
    valid: document === login ? [] : [absent, 'Retain', 'Delete'],
    invalid: [
      'Orphan',
      'retain',
      '',
      5,
      ...(document === volume ? [] : ['Deregister']),
      ...(document === login ? ['Retain', 'Delete'] : []),
    ],
  }),
  ...valuesOf(document, '/spec/suspend', {
    valid: [absent, true, false],
    invalid: ['yes', 'true', 1, 0, ''],
  }),
  ...valuesOf(document, '/spec/drift', {
    valid: [absent, {}, { mode: 'Warn' }, { interval: '10m' }, { ignore: [] }, { ignore: ['/urls', '/a/b'] }],
    invalid: [
      { mode: 'Fix' },
      { interval: '' },
      { ignore: ['a'] },
      { ignore: ['/'] },
      { ignore: ['/a/'] },
      { ignore: ['//a'] },
      { ignore: [x(257)] },
      { ignore: Array.from({ length: 33 }, (_, i) => `/${i}`) },
      { ignore: '/a' },
      { more: 1 },
      [],
      'Warn',
    ],
  }),
  ...disputed(document, '/spec/suspend', [null], false, cluster(nobodyMeansNull)),
  ...disputed(document, '/spec/drift', [null, { mode: null }], false, cluster(nobodyMeansNull)),
]);

const durations = valuesOf(volume, '/spec/drift/interval', {
  valid: ['1s', '90s', '10m', '1h30m', '1h', '1h30m10s', '2h5s', '99999h'],
  invalid: [
    '0s',
    '0',
    '10',
    '1d',
    '1.5h',
    '-1h',
    '1h 30m',
    '01h',
    '100000h',
    '1m1h',
    '10M',
    'h',
    ' 1h',
    '1h\n',
    10,
    null,
  ].filter((value) => value !== null),
});

const replacing: readonly Case[] = [
  ...valuesOf(volume, '/spec/replacePolicy', {
    valid: [absent, 'Never', 'WhenUnused'],
    invalid: ['Always', '', 5],
  }),
  ...[config, role].flatMap((document) => valuesOf(document, '/spec/replacePolicy', { invalid: ['Never'] })),
];

const references: readonly Case[] = [
  ...valuesOf(volume, '/spec/connectionRef', {
    valid: [{ name: 'production' }],
    invalid: [
      absent,
      {},
      { name: '' },
      { name: 'A' },
      { name: 'a.b' },
      { name: x(64) },
      { name: 5 },
      { name: 'a', namespace: 'b' },
      'production',
      [],
    ],
  }),
  ...valuesOf(role, '/spec/configRef', {
    valid: [{ name: 'directory' }],
    invalid: [absent, {}, { name: '../a' }, { name: 'a', more: 1 }, 'directory'],
  }),
];

const externalNames: readonly Case[] = [
  ...valuesOf(volume, '/spec/externalName', {
    valid: ['a', 'App_Data.1', 'a.b.c', 'a.', '0', x(128)],
    invalid: ['', '.', '..', 'a..b', '.a', '-a', 'a/b', 'a b', 'ä', 'a\n', 'a%2fb', x(129), 5, true, []],
  }),
  ...valuesOf(role, '/spec/externalName', {
    valid: ['a', 'app-role.1', '_a', x(128)],
    invalid: ['', 'A', 'a.', 'a-', '-a', 'a..b', 'a/b', 'ä', x(129), 5],
  }),
];

export const commonCases: readonly Case[] = [
  ...policies,
  ...replacing,
  ...durations,
  ...references,
  ...externalNames,
];
