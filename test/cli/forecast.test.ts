// A plan is read in a hurry, by people who know Terraform: its words mean here what they mean there.
import { describe, expect, test } from 'vitest';
import { changeBlock, changeText } from '../../src/cli/output/changes.ts';
import { plannedIn } from '../../src/cli/output/forecast.ts';
import { planMarkdown, planText } from '../../src/cli/output/plan-text.ts';
import type { Forecast } from '../../src/controller/dry-run.ts';
import { blocked, gone, type Plan, type Step } from '../../src/core/planning/plan.ts';
import type { Json } from '../../src/core/secret.ts';
import { sizeText } from '../../src/core/text/value.ts';

const step = (verb: Step<never>['verb'], destroys?: Step<never>['destroys']) => ({
  verb,
  summary: `${verb} a`,
  changes: [],
  ...(destroys && { destroys }),
});
type Steps = Extract<Plan<unknown>, { verdict: 'change' }>['steps'];
const change = (...steps: Steps): Forecast => ({ key: 'Disk/shop/a', plan: { verdict: 'change', steps } });
const of = (...objects: readonly Forecast[]) => ({ objects, problems: [], suspended: new Map() });
const waits = blocked('VolumeInUse', 'a1 claims it', { on: 'live' });

test.for<readonly [action: string, why: string, forecast: Forecast]>([
  ['create', 'what is not there is made', change(step('create'))],
  ['create', 'what somebody took away is made again', change(step('revive'))],
  ['update', 'a field is written', change(step('update'))],
  ['update', 'a password is rotated', change(step('act'))],
  ['update', 'it is registered anew with its changes', change(step('detach'), step('revive'))],
  ['update', 'it is only detached', change(step('detach'))],
  [
    'replace',
    'the old one goes once the new one stands',
    change(step('replace', 'data'), step('create'), step('destroy', 'data')),
  ],
  ['destroy', 'it goes with its data', change(step('delete', 'data'))],
  ['destroy', 'it is detached first', change(step('detach'), step('delete', 'registration'))],
  ['adopt', 'what is there is taken over', change(step('adopt'), step('update'))],
  [
    'move',
    'another object had it',
    { key: 'Disk/shop/a', plan: { verdict: 'change', steps: [step('adopt')] }, movesFrom: 'Disk/shop/b' },
  ],
  [
    'move',
    'another object has it now',
    { key: 'Disk/shop/a', plan: { ...gone('moved', false), moved: true } },
  ],
  ['release', 'it is left as it is', { key: 'Disk/shop/a', plan: gone('kept', false) }],
  ['blocked', 'something uses it', { key: 'Disk/shop/a', plan: waits }],
  [
    'destroy',
    'its first step is held',
    { key: 'Disk/shop/a', plan: { verdict: 'change', steps: [step('delete', 'data')] }, held: waits },
  ],
  ['none', 'it is as declared', { key: 'Disk/shop/a', plan: { verdict: 'in-sync', drift: [] } }],
  ['failed', 'nobody can tell', { key: 'Disk/shop/a', error: 'no answer' }],
])('%s: %s', ([action, , forecast]) => {
  expect(plannedIn(of(forecast)).planned[0]?.action).toBe(action);
});

test('what is held back for an approval is announced as lost: the approval destroys it', () => {
  const held: Forecast = {
    key: 'Disk/shop/a',
    plan: { verdict: 'change', steps: [step('delete', 'data')] },
    held: waits,
  };
  const { planned } = plannedIn(of(held));
  expect(planText(planned, (text) => text)).toBe(
    'Disk/shop/a\n  - delete a (destroys data)\n  x VolumeInUse: a1 claims it\n\nDestroys data: Disk/shop/a\nPlan: 0 to create, 0 to update, 0 to replace, 1 to destroy; 1 of these held back, 0 in sync',
  );
});

test('what destroys is marked in every form, and named once more beside the counts', () => {
  const { planned } = plannedIn(of(change(step('delete', 'data'))));
  expect(planText(planned, (text) => `<${text}>`)).toBe(
    'Disk/shop/a\n<  - delete a (destroys data)>\n\n<Destroys data: Disk/shop/a>\nPlan: 0 to create, 0 to update, 0 to replace, 1 to destroy; 0 in sync',
  );
  expect(planMarkdown(planned)).toContain(
    '**Destroys data:** `Disk/shop/a`\n\n```diff\n# Disk/shop/a\n- delete a (destroys data)\n```',
  );
  expect(planned[0]).toMatchObject({ action: 'destroy', destroys: 'data' });
});

describe('a problem', () => {
  const problem = {
    origin: 'a.yaml',
    place: { file: 'a.yaml', line: 3, column: 5 },
    message: '/spec/size: expected a size',
  };
  const inSync: Forecast = { key: 'Disk/shop/a', plan: { verdict: 'in-sync', drift: [] } };

  test.for([
    { why: 'that is known', objects: [inSync] },
    { why: 'that is new, and can be read nowhere else', objects: [] },
  ])('stands beside the object $why', ({ objects }) => {
    const { planned, others } = plannedIn({
      ...of(...objects),
      problems: [{ ...problem, key: 'Disk/shop/a' }],
    });
    expect(others).toEqual([]);
    expect(planText(planned, (text) => text)).toBe(
      'Disk/shop/a\n  x a.yaml:3:5: /spec/size: expected a size\n\nNo changes; 1 invalid, 0 in sync',
    );
  });

  test('of no object, or of a Secret, stands alone', () => {
    const alone = [problem, { ...problem, key: 'Secret/shop/login' }];
    expect(plannedIn({ ...of(inSync), problems: alone })).toMatchObject({
      planned: [{ action: 'none' }],
      others: alone,
    });
  });
});

test('a suspended object is shown as such, also when there is nothing to do', () => {
  const inSync: Forecast = { key: 'Disk/shop/a', plan: { verdict: 'in-sync', drift: [] } };
  const { planned } = plannedIn({ ...of(inSync), suspended: new Map([['Disk/shop/a', 'spec' as const]]) });
  expect(planText(planned, (text) => text)).toBe(
    'Disk/shop/a (suspended by its spec)\n\nNo changes; 1 suspended, 1 in sync',
  );
});

test('of a suspended connection, only objects that have something to do are shown: it may have thousands', () => {
  const inSync: Forecast = { key: 'Disk/shop/a', plan: { verdict: 'in-sync', drift: [] } };
  const held: Forecast = {
    key: 'Disk/shop/b',
    plan: blocked('Suspended', 'not done while Conn/c is suspended: make it', { on: 'edit' }),
  };
  const suspended = new Map([inSync, held].map(({ key }) => [key, 'connection' as const]));
  expect(planText(plannedIn({ ...of(inSync, held), suspended }).planned, (text) => text)).toBe(
    'Disk/shop/b (suspended with its connection)\n  x Suspended: not done while Conn/c is suspended: make it\n\n' +
      'No changes; 1 blocked, 2 suspended, 1 in sync',
  );
});

const flags = (live: readonly string[], desired: readonly string[]) =>
  changeBlock({ path: '/flags', live, desired, cause: 'drift' });

describe('a value is shown as people declare it', () => {
  test.for<readonly [bytes: number, text: string]>([
    [2 ** 30, '1Gi'],
    [1536 * 2 ** 20, '1536Mi'],
    [10e9, '10G'],
    [5e3, '5k'],
    [1000, '1k'],
    [1024, '1Ki'],
    [1000 * 2 ** 20, '1000Mi'],
    [1023, '1023'],
    [0, '0'],
  ])('%d bytes: %s', ([bytes, text]) => expect(sizeText(bytes)).toBe(text));

  test.for<readonly [path: string, desired: Json | undefined, live: Json | undefined, text: string]>([
    ['/create/capacity/min', 2 ** 30, undefined, '/create/capacity/min: 1Gi'],
    ['/create/capacity/min', 2 ** 31, 2 ** 30, '/create/capacity/min: 1Gi → 2Gi'],
    ['/rotations', 1024, 5, '/rotations: 5 → 1024'],
    ['/rotationPeriod', 86_400, 90, '/rotationPeriod: 90s → 24h'],
    ['/tokenMaxTTL', 5_400, 0, '/tokenMaxTTL: 0 → 90m'],
    ['/tokenNumUses', 60, 5, '/tokenNumUses: 5 → 60'],
    ['/fsType', '', 'ext4', '/fsType: ext4 → ""'],
    ['/flags', ['ro', 'noatime'], undefined, '/flags: [ro, noatime]'],
    ['/map', { a: 1, b: 'x' }, undefined, '/map: {a: 1, b: x}'],
    ['/gone', undefined, 'x', '/gone: x → (none)'],
    [
      '/secrets',
      { key: { $secret: 'plugin/key', version: '' } },
      undefined,
      '/secrets: {key: secret plugin/key}',
    ],
    [
      '/secrets',
      { $secret: 'p/k', version: '0123456789abcdef' },
      undefined,
      '/secrets: secret p/k (version 01234567)',
    ],
    ['/text', 'a\u001b[2J', undefined, '/text: a [2J'],
  ])('%s', ([path, desired, live, text]) => {
    const values = { ...(desired !== undefined && { desired }), ...(live !== undefined && { live }) };
    expect(changeText({ path, ...values, cause: 'edit' })).toBe(text);
  });

  test('a list of several as the items that differ, and in full where only their order does', () => {
    expect(flags(['ro', 'sync'], ['ro', 'noatime'])).toEqual([
      '/flags (changed outside)',
      '  - sync',
      '  + noatime',
    ]);
    expect(flags(['a', 'b'], ['b', 'a'])).toEqual(['/flags (changed outside)', '  - [a, b]', '  + [b, a]']);
  });
});

test('what is no object, and can not be used, is counted as invalid, and is part of what a pull request shows', () => {
  const problems = [{ origin: 'broken.yaml', message: 'is not text in UTF-8' }];
  const { planned, others } = plannedIn({
    ...of({ key: 'Disk/shop/a', plan: { verdict: 'in-sync', drift: [] } }),
    problems,
  });
  const summary = 'No changes; 1 invalid, 1 in sync';
  expect(planText(planned, (text) => text, others)).toBe(summary);
  expect(planMarkdown(planned, others)).toBe(
    ['### holdfast plan', summary, "```diff\n# can't be used\nx broken.yaml: is not text in UTF-8\n```"].join(
      '\n\n',
    ),
  );
});
