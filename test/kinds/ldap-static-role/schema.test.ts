import { describe, expect, test } from 'vitest';
import { ldapStaticRole } from '../../../src/kinds/ldap-static-role/kind.ts';
import { declaration, type Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';
import { roleKey } from './surroundings.ts';

const minimal: Spec = {
  configRef: { name: 'corp' },
  username: 'app',
  rotationPeriod: '24h',
  onCreate: 'Rotate',
};
const job = { connectionRef: { name: 'nomad' }, id: 'shop/web', action: 'Signal' as const };
const output = { secretName: 'app-login' };

/** Every field that there is. */
const full: Spec = {
  ...minimal,
  externalName: 'app-role.1',
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Delete',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/rotationPeriod'] },
  suspend: false,
  dn: 'uid=app,ou=services,dc=example,dc=org',
  verify: { bind: true },
  output: { ...output, data: { url: 'ldap://{{ username }}:{{password}}@dc/{"{{ dn }}"}' } },
  consumers: [
    { job: { ...job, namespace: 'prod', group: 'web', task: 'server', signal: 'SIGUSR1' } },
    { job: { ...job, action: 'Restart', maxParallel: 3 } },
    { workload: { kind: 'Deployment', name: 'web' } },
  ],
};

const said = (spec: unknown): readonly string[] => {
  const checked = validate(declaration, { spec });
  return 'problems' in checked ? checked.problems.map((p) => p.message) : [];
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  for (const spec of [minimal, full]) {
    expect(said(spec)).toStrictEqual([]);
    expect(validate(declaration, { spec })).toStrictEqual({ spec });
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const templated = (template: string): object => ({
  ...minimal,
  output: { ...output, data: { entry: template } },
});
const told = (consumer: object): object => ({ ...minimal, output, consumers: [consumer] });
const { onCreate: _onCreate, ...undecided } = minimal;

describe('what is wrong is refused by both, at its place', () => {
  test.each<{ why: string; spec: object; says: string }>([
    {
      why: 'nobody said what happens to the live password',
      spec: undecided,
      says: '/spec/onCreate: is required (one of Rotate, Keep)',
    },
    {
      why: 'a connection of its own',
      spec: { ...minimal, connectionRef: { name: 'a' } },
      says: '/spec/connectionRef: unknown field',
    },
    {
      why: 'capitals, which the service would lower',
      spec: { ...minimal, externalName: 'App' },
      says: '/spec/externalName: expected a name of a-z, 0-9 and _',
    },
    {
      why: 'a path in a URL',
      spec: { ...minimal, externalName: 'a..b' },
      says: '/spec/externalName: expected a name',
    },
    {
      why: 'a name that ends in a dot',
      spec: { ...minimal, externalName: 'a.' },
      says: '/spec/externalName: expected',
    },
    {
      why: 'rotating too often',
      spec: { ...minimal, rotationPeriod: '4s' },
      says: '/spec/rotationPeriod: must be 5s or more',
    },
    {
      why: 'who is meant only to the directory: the service puts it into its filter as it is',
      spec: { ...minimal, username: 'adm*' },
      says: '/spec/username: the service would find others by *',
    },
    {
      why: 'a letter in hexadecimal, by which the service finds somebody whose name is another text',
      spec: { ...minimal, username: String.raw`\61dmin` },
      says: '/spec/username: the service would find others by *',
    },
    { why: 'no user', spec: { ...minimal, username: '' }, says: '/spec/username: expected one line' },
    { why: 'a long DN', spec: { ...minimal, dn: 'x'.repeat(1025) }, says: '/spec/dn: expected' },
    {
      why: "another kind's policy",
      spec: { ...minimal, deletionPolicy: 'Deregister' },
      says: '/spec/deletionPolicy: expected one of Retain, Delete',
    },
    {
      why: 'an unknown name',
      spec: templated('{{ pasword }}'),
      says: '/spec/output/data/entry: expected text of up to 4096',
    },
    { why: 'a name alone', spec: templated('{{}}'), says: '/spec/output/data/entry: expected' },
    {
      why: 'braces that are never closed',
      spec: templated('x{{ password'),
      says: '/spec/output/data/entry: expected',
    },
    {
      why: 'braces that were never opened',
      spec: templated('password }}'),
      says: '/spec/output/data/entry: expected',
    },
    { why: 'three braces', spec: templated('{{{ password }}}'), says: '/spec/output/data/entry: expected' },
    {
      why: 'a function',
      spec: templated('{{ password | upper }}'),
      says: '/spec/output/data/entry: expected',
    },
    { why: 'a long template', spec: templated('x'.repeat(4097)), says: '/spec/output/data/entry: expected' },
    {
      why: 'a key that would leave its folder',
      spec: { ...minimal, output: { ...output, data: { '../x': 'y' } } },
      says: 'expected a key of letters, digits, -, _ and .',
    },
    {
      why: 'more entries than anybody reads',
      spec: {
        ...minimal,
        output: { ...output, data: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, ''])) },
      },
      says: '/spec/output/data: expected at most 32 entries',
    },
    {
      why: 'nobody in particular',
      spec: told({}),
      says: '/spec/consumers: each needs exactly one of workload and job',
    },
    {
      why: 'two at once',
      spec: told({ job, workload: { kind: 'Deployment', name: 'web' } }),
      says: '/spec/consumers: each needs exactly one',
    },
    {
      why: 'a signal for a restart',
      spec: told({ job: { ...job, action: 'Restart', signal: 'SIGHUP' } }),
      says: '/spec/consumers: signal goes with action: Signal',
    },
    {
      why: 'a signal by its number',
      spec: told({ job: { ...job, signal: '1' } }),
      says: '/spec/consumers/0/job/signal: expected the name of a signal',
    },
    {
      why: 'nobody at a time',
      spec: told({ job: { ...job, maxParallel: 0 } }),
      says: '/spec/consumers/0/job/maxParallel: expected at least 1',
    },
    {
      why: 'consumers that would have nothing to read',
      spec: { ...minimal, consumers: [{ job }] },
      says: '/spec/consumers: consumers have nothing to read without an output',
    },
    {
      why: 'too many consumers',
      spec: { ...minimal, output, consumers: Array.from({ length: 33 }, () => ({ job })) },
      says: '/spec/consumers: expected at most 32 entries',
    },
  ])('$why', ({ spec, says }) => {
    expect(said(spec).join('\n')).toContain(says);
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

test.each([
  '',
  'plain',
  '{{ password }}',
  '{{password}}{{ dn }}',
  '{"a": {"b": "{{ password }}"} }',
  '}{',
  '{}',
  'a{b}c',
])('single braces are text, so that JSON can be made: %j', (template) => {
  expect(verdicts(declaration, templated(template))).toStrictEqual({ parser: true, crd: true });
});

test('a long text that is no template is refused without looking at it in every possible way', () => {
  const worst = `${'{ '.repeat(2_000)}{{`; // with backtracking, the test would run out of its time
  expect(verdicts(declaration, templated(worst))).toStrictEqual({ parser: false, crd: false });
});

describe('what never changes', () => {
  test.each<{ why: string; change: Partial<Spec>; allowed: boolean }>([
    { why: 'the user', change: { username: 'other' }, allowed: false },
    { why: 'the entry', change: { dn: 'uid=other' }, allowed: false },
    { why: 'the config', change: { configRef: { name: 'other' } }, allowed: false },
    { why: 'the name', change: { externalName: 'other' }, allowed: false },
    { why: 'the period, which may', change: { rotationPeriod: '1h' }, allowed: true },
    { why: 'the way of creation, which may', change: { onCreate: 'Keep' }, allowed: true },
    { why: 'the output, which may', change: { output: { secretName: 'other' } }, allowed: true },
  ])('$why', ({ change, allowed }) => {
    const verdict = verdicts(declaration, { ...full, ...change }, full);
    expect(verdict).toStrictEqual({ parser: allowed, crd: allowed });
  });

  test('not by being added or taken away either', () => {
    const { dn: _dn, ...without } = full;
    expect(verdicts(declaration, full, without)).toStrictEqual({ parser: false, crd: false });
    expect(verdicts(declaration, without, full)).toStrictEqual({ parser: false, crd: false });
  });
});

testAgreement(declaration, [full]);

test('references hold the config; of a consumer only its own action on its own job is wanted, and nobody waits for it', () => {
  expect(ldapStaticRole.open({ key: roleKey, spec: full, requests: {} }, {}).references).toStrictEqual([
    {
      to: 'object',
      field: '/configRef',
      target: { kind: 'LDAPConfig', namespace: 'shop', name: 'corp' },
      holds: true,
    },
    ...(['Signal', 'Restart'] as const).map((action, at) => ({
      to: 'object',
      field: `/consumers/${at}/job/connectionRef`,
      target: { kind: 'SchedulerConnection', namespace: '', name: 'nomad' },
      holds: false,
      optional: true,
      use: { externalName: 'shop/web', action, ...(action === 'Signal' && { within: 'prod' }) },
    })),
  ]);
});
