// What `validate` tells of a tree beyond what is wrong in one document.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderProblem, type Problem } from '../../src/core/text/problem.ts';
import { readManifests } from '../../src/runtime/manifests.ts';
import { folder } from '../support/cli.ts';
import { secret, Tree, volume, type Spec } from '../support/manifests.ts';

const shown = (all: readonly Problem[]) => all.map((one) => renderProblem(one, { color: false }));
const file = (tree: Tree, name: string): string => join(tree.path, name);

async function told(path: string, ...more: readonly string[]) {
  const read = await readManifests([path, ...more], join(path, '..', '.holdfast'));
  return {
    problems: shown(read.flatMap(({ scan }) => scan.problems)),
    warnings: shown(read.flatMap(({ warnings }) => warnings)),
    objects: read.flatMap(({ scan }) => [...scan.objects.keys()]),
  };
}

const place = async () =>
  new Tree(join(await folder(), 'tree')).connect({ url: 'http://127.0.0.1:4646', dialect: 'nomad' });

test('a reference to what nobody declares is warned of, but not where that is declared and broken', async () => {
  const tree = await place();
  tree.put('a.yaml', volume('a', { connectionRef: { name: 'mian' } }));
  tree.put('b.yaml', volume('b', { create: { capacity: { min: '1Gi' }, snapshotRef: { name: 'broken' } } }));
  tree.put('c.yaml', {
    ...volume('c'),
    kind: 'CSISnapshot',
    metadata: { name: 'broken', namespace: 'shop' },
  });
  const { problems, warnings } = await told(tree.path);
  expect(problems).not.toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^a\.yaml:\d+:\d+: \/spec\/connectionRef: SchedulerConnection\/mian is not declared here/,
    ),
  ]);
});

const from = (name: string, key: string) => ({ secrets: { key: { name, key } } });

test('an entry that a Secret of the tree does not have, or has empty, is warned of; a Secret of elsewhere may have any', async () => {
  const tree = await place();
  tree.put('secret.yaml', secret('shop', 'plugin', { password: 'canary-x', user: 'x', emptied: '' }));
  tree.put('a.yaml', volume('a', from('plugin', 'passwrd')));
  tree.put('b.yaml', volume('b', from('plugin', 'password')));
  tree.put('c.yaml', volume('c', from('elsewhere', 'password')));
  tree.put('d.yaml', volume('d', from('plugin', 'certificate')));
  tree.put('e.yaml', volume('e', from('plugin', 'emptied')));
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings.map((one) => one.split('\n')[0])).toEqual([
    expect.stringMatching(
      /^a\.yaml:\d+:\d+: \/spec\/secrets\/key: Secret\/shop\/plugin has no entry passwrd; did you mean password\?$/,
    ),
    expect.stringMatching(/^d\.yaml:.*: Secret\/shop\/plugin has no entry certificate$/),
    expect.stringMatching(/^e\.yaml:.*: Secret\/shop\/plugin: its entry emptied is empty$/),
  ]);
  expect(warnings[0]).toMatch(/key: passwrd\n/);
});

test('a warning points at the value that it is about, in its own document, and shows the line', async () => {
  const tree = await place();
  const path = file(tree, 'a.yaml');
  writeFileSync(
    path,
    [volume('a'), volume('b', { connectionRef: { name: 'mian' } })]
      .map((one) => stringify(one))
      .join('---\n'),
  );
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('mian'));
  const { warnings } = await told(tree.path);
  expect(warnings).toEqual([
    expect.stringContaining(
      `a.yaml:${at + 1}:${(lines[at] ?? '').indexOf('mian') + 1}: /spec/connectionRef: `,
    ),
  ]);
  expect(warnings[0]).toContain(lines[at]);
});

const connection = (name: string, access?: unknown) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'SchedulerConnection',
  metadata: { name },
  spec: { addresses: ['http://127.0.0.1:4646'], dialect: 'nomad', ...(access !== undefined && { access }) },
});

const why = (name: string) =>
  `of-${name}.yaml:8:11: /spec/connectionRef: SchedulerConnection/${name} gives no access to CSIVolume from namespace shop\n`;

test('an object that its connection gives no access to is warned of before anything runs', async () => {
  const tree = await place();
  tree.put('blog.yaml', connection('blog', [{ namespaces: ['blog'] }, { kinds: ['CSISnap*'] }]));
  tree.put('nobody.yaml', connection('nobody'));
  tree.put('named.yaml', connection('named', [{ namespaces: ['sh*'], externalNames: ['other'] }]));
  for (const name of ['blog', 'nobody', 'named'])
    tree.put(`of-${name}.yaml`, volume(`of-${name}`, { connectionRef: { name } }));
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings.toSorted()).toEqual(['blog', 'nobody'].map((name) => expect.stringContaining(why(name))));
});

const annotated = (name: string, annotations: Spec): Spec => ({
  ...volume(name),
  metadata: { name, namespace: 'shop', annotations },
});

test('a hold on what no schedule made is warned of: it keeps nothing, and its manifest looked as if it did', async () => {
  const tree = await place();
  const hold = { 'holdfast.dev/retention-hold': 'audit' };
  tree.put('a.yaml', annotated('a', hold));
  tree.put(
    'b.yaml',
    annotated('b', { ...hold, 'holdfast.dev/generated-by': 'CSISnapshotSchedule/shop/nightly' }),
  );
  tree.put('c.yaml', annotated('c', { 'holdfast.dev/adopt': 'IfIdentical' }));
  const says =
    /^a\.yaml:\d+:\d+: \/metadata\/annotations\/holdfast\.dev~1retention-hold: keeps nothing: no schedule made this object, so it does not expire; to keep what is outside when its manifest goes, declare deletionPolicy: Retain\n/;
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(says)]);
  expect(warnings[0]).toContain('holdfast.dev/retention-hold: audit');
  expect((await told(file(tree, 'a.yaml'), file(tree, 'b.yaml'))).warnings).toEqual(warnings);
});

const scheduled = (name: string, spec: Spec): Spec => ({
  ...volume(name),
  kind: 'CSISnapshotSchedule',
  spec: { connectionRef: { name: 'main' }, volumeRef: { name: 'a' }, schedule: '0 3 * * *', ...spec },
});

test('a schedule that no clock can follow is warned of, each at its field: no schema can tell, and it took no snapshot', async () => {
  const tree = await place();
  tree.put('a.yaml', volume('a'));
  tree.put('fine.yaml', scheduled('fine', { timeZone: 'europe/berlin' }));
  tree.put('hour.yaml', scheduled('hour', { schedule: '0 25 * * *' }));
  tree.put('zone.yaml', scheduled('zone', { timeZone: 'Europe/Berln' }));
  tree.put('never.yaml', scheduled('never', { schedule: '0 3 30 2 *' }));
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings.map((one) => one.split('\n')[0] ?? '').toSorted()).toEqual([
    expect.stringMatching(/^hour\.yaml:\d+:\d+: \/spec\/schedule: Invalid .*25/),
    expect.stringMatching(/^never\.yaml:\d+:\d+: \/spec\/schedule: it never comes$/),
    expect.stringMatching(/^zone\.yaml:\d+:\d+: \/spec\/timeZone: this machine knows no .* Europe\/Berln$/),
  ]);
});

test('a request that the kind does not accept is warned of: a misspelt suspend suspends nothing', async () => {
  const tree = await place();
  tree.put('a.yaml', annotated('a', { 'holdfast.dev/suspnd': 'true', 'example.com/suspnd': 'true' }));
  tree.put('b.yaml', annotated('b', { 'holdfast.dev/rotate': '1', 'holdfast.dev/tidy-up': '1' }));
  const written = ['approve', 'drill', 'expired', 'generated-by', 'intent', 'scheduled-at'];
  const fine = ['reconcile', 'force-release', ...written].map((name) => [`holdfast.dev/${name}`, 'x']);
  const adopt = { 'holdfast.dev/adopt': 'IfIdentical' };
  tree.put('c.yaml', annotated('c', { ...Object.fromEntries(fine), ...adopt }));
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings.map((one) => one.split('\n')[0] ?? '').toSorted()).toEqual([
    expect.stringMatching(
      /^a\.yaml:\d+:\d+: \/metadata\/annotations\/holdfast\.dev~1suspnd: asks for nothing: CSIVolume has no request suspnd; did you mean suspend\?$/,
    ),
    expect.stringMatching(/^b\.yaml:.*: asks for nothing: CSIVolume has no request rotate; /),
    expect.stringMatching(
      /^b\.yaml:.*holdfast\.dev~1tidy-up: asks for nothing: CSIVolume has no request tidy-up; it has reconcile, suspend, /,
    ),
  ]);
  expect(warnings.some((one) => one.includes('holdfast.dev/suspnd: "true"'))).toBe(true);
  const ofOne = await told(file(tree, 'a.yaml'));
  expect(ofOne.warnings).toHaveLength(1);
  for (const value of ['true', 'false', '1', 'now']) {
    tree.put('a.yaml', annotated('a', { 'holdfast.dev/suspend': value }));
    const suspends = expect.stringContaining(
      `: suspends nothing: expected "true" or "false", got "${value}"`,
    );
    const expected = value === 'true' || value === 'false' ? [] : [suspends];
    expect((await told(file(tree, 'a.yaml'))).warnings).toEqual(expected);
  }
  tree.put('a.yaml', annotated('a', { 'holdfast.dev/adopt': 'true' }));
  const adopts = ': adopts nothing: expected "IfIdentical", got "true"';
  expect((await told(file(tree, 'a.yaml'))).warnings).toEqual([expect.stringContaining(adopts)]);
});

test('JSON is read, and what looks like a manifest and is not read is named', async () => {
  const tree = await place();
  tree.put('a.json', JSON.stringify(volume('a'), undefined, '\t'));
  tree.put('B.YAML', volume('b'));
  tree.put('.c.yaml', volume('c'));
  mkdirSync(join(tree.path, '..2026_11_23')); // as Kubernetes mounts a ConfigMap
  writeFileSync(join(tree.path, '..2026_11_23/d.yaml'), '');
  const { objects, problems, warnings } = await told(tree.path);
  expect({ objects, problems }).toEqual({
    objects: expect.arrayContaining(['CSIVolume/shop/a']),
    problems: [],
  });
  expect(objects).toHaveLength(2);
  expect(warnings.toSorted()).toEqual([
    '.c.yaml: is not read: it is hidden by a dot',
    'B.YAML: is not read: expected a name that ends with .yaml, .yml or .json',
  ]);
});

test('a misspelt field is told once, not as a missing one, too', async () => {
  const tree = await place();
  const { pluginID, ...spec } = Object(volume('a')['spec']);
  tree.put('a.yaml', { ...volume('a'), spec: { ...spec, pluginId: pluginID } });
  const { problems } = await told(tree.path);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('did you mean "pluginID"?');
});

test('the password of an address is shown neither in the message nor in the line below it', async () => {
  const tree = await place();
  for (const [name, password] of [
    ['plain', 's3cret'],
    ['slash', 's3/cret'],
  ])
    tree.put(`${name}.yaml`, {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'SchedulerConnection',
      metadata: { name },
      spec: { addresses: [`http://me:${password}@host:4646`], dialect: 'nomad' },
    });
  const { problems } = await told(tree.path);
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(problem.split('//…@host:4646')).toHaveLength(3); // in the message, and below
  expect(problems.join('\n')).not.toMatch(/s3|cret/);
});

test('all that is wrong with a document is told at once: its name, a status, and its fields', async () => {
  const tree = await place();
  const { pluginID, ...spec } = Object(volume('a')['spec']);
  tree.put('a.yaml', { ...volume('a'), spec: { ...spec, pluginId: pluginID }, status: { conditions: [] } });
  tree.put('b.yaml', {
    ...volume('b'),
    metadata: { name: 'B_B', namespace: 'shop' },
    spec: { ...spec, pluginId: 'x' },
  });
  const { problems } = await told(tree.path);
  const places = problems.map((one) => /^(\w)[^ ]*: ([^:]*): /.exec(one)?.slice(1).join(' '));
  expect(places).toEqual(['a /status', 'a /spec/pluginId', 'b /metadata/name', 'b /spec/pluginId']);
});

test('the caret stands below what is wrong, also where a password was left out before it', async () => {
  const tree = await place();
  tree.put(
    'c.yaml',
    'apiVersion: holdfast.dev/v1alpha1\nkind: SchedulerConnection\nmetadata: {name: c}\nspec:\n' +
      '  addresses: ["http://me:canary-pw@h:4646", "http://h:0"]\n  dialect: nomad\n',
  );
  const { problems } = await told(tree.path);
  const [, line = '', below = ''] = problems[1]?.split('\n') ?? [];
  expect(line).not.toContain('canary');
  expect(line.indexOf('"http://h:0"')).toBeGreaterThan(0);
  expect(below.indexOf('^')).toBe(line.indexOf('"http://h:0"'));
});

test('several files of several trees are checked, each tree once', async () => {
  const [one, other] = [await place(), await place()];
  for (const name of ['a', 'b']) one.put(`${name}.yaml`, volume(name));
  other.put('c.yaml', 'kind: [');
  const { objects, problems } = await told(file(one, 'a.yaml'), file(one, 'b.yaml'), file(other, 'c.yaml'));
  expect(objects).toEqual(['CSIVolume/shop/a', 'CSIVolume/shop/b']);
  expect(problems).toEqual([expect.stringMatching(/^c\.yaml:1:\d+: invalid YAML/)]);
});

test('a path of `drift.ignore` that leads to no field is warned of: its drift is corrected all the same', async () => {
  const tree = await place();
  const ignoring = (name: string, ...ignore: readonly string[]) =>
    tree.put(`${name}.yaml`, volume(name, { drift: { ignore } }));
  ignoring('fine', '/topology', '/topology/preferred', '/create/parameters');
  ignoring('misspelt', '/topology', '/mountOptions/mountFlag');
  ignoring('below', '/create/parameters/type');
  ignoring('spec', '/spec/topology');
  ignoring('strange', '/status');
  const { problems, warnings } = await told(tree.path);
  expect(problems).toEqual([]);
  expect(warnings.map((one) => one.split('\n')[0]?.replace(/^(\w+)\.yaml:\d+:\d+/, '$1'))).toEqual([
    'below: /spec/drift/ignore/0: ignores nothing: CSIVolume compares /create/parameters as a whole',
    'misspelt: /spec/drift/ignore/1: ignores nothing: CSIVolume compares no such field; did you mean /mountOptions/mountFlags?',
    'spec: /spec/drift/ignore/0: ignores nothing: CSIVolume compares no such field; did you mean /topology?',
    'strange: /spec/drift/ignore/0: ignores nothing: CSIVolume compares no such field',
  ]);
});
