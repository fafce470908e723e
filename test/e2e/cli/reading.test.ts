// Whoever knows kubectl finds an object, follows it and learns why it is as it is, without reading a page of ours.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { folder, holdfast, Holdfast } from '../../support/cli.ts';
import { Tree, volume, type Spec } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';
import { Operator } from '../running.ts';

const labelled = (name: string, labels: Readonly<Record<string, string>>, spec: Spec = {}): Spec => ({
  ...volume(name, spec),
  metadata: { namespace: 'shop', name, labels },
});

const unattended = 'no operator runs on this state: this is how the last one left it\n';
const isTable = (line: string): boolean => line.startsWith('get') && !/-o (json|yaml|name)/.test(line);

/** Two volumes that are ready, commands beside them, and no operator any more. */
async function place() {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', labelled('a', { team: 'shop' }));
  tree.put('b.yaml', labelled('b', { team: 'blog' }));
  const typed = (line: string) => holdfast(line.split(' '), { cwd });
  const said = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await typed(line);
    // People are told with each table that it may be old; programs are not.
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: isTable(line) ? unattended : '' });
    return stdout;
  };
  await said('apply tree');
  return { cwd, tree, typed, said };
}

test('objects are chosen by kind, short name, name, namespace and label, and shown in every format', async () => {
  const { said, typed } = await place();
  expect(await said('get csivol')).toMatch(
    /^KIND +NAME +READY +REASON +SUSPENDED +EXTERNAL-NAME +PLUGIN +EXTERNAL-ID +AGE +LAST\nCSIVolume +shop\/a +True +InSync +False +a +hostpath +vol-\w+ +\d+[sm] +create a with hostpath\n/,
  );
  expect(await said('get -o name -l team=shop')).toBe('CSIVolume/shop/a\n');
  expect(await said('get csivol -n blog')).toBe('No CSIVolume is declared in namespace blog.\n');
  expect(await said('get all -l team=none')).toBe('No object has these labels.\n');
  expect(await said('get csivolumes -o wide')).toMatch(
    / SYNCED +DRIFT +HELD .* CONNECTION +AGE +DECLARED-IN +LAST\n.* a\.yaml /,
  );
  const [document] = parseAllDocuments(await said('get csivol a -n shop -o yaml'));
  expect(document?.toJS()).toMatchObject({
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'CSIVolume',
    metadata: { name: 'a', namespace: 'shop', labels: { team: 'shop' }, generation: 1 },
    spec: { pluginID: 'hostpath' },
    status: {
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
    },
  });
  expect(await typed('get csivol/shop/c')).toMatchObject({
    code: 1,
    stderr: 'holdfast: CSIVolume/shop/c: no such object; `holdfast get CSIVolume` lists what there is\n',
  });
  expect(await typed('get csivol/shop/c -w')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CSIVolume/shop/c: no such object'),
  }); // it watched for ever
  const elsewhere = 'holdfast: CSIVolume/default/a: no such object; there is CSIVolume/shop/a\n';
  for (const command of ['get csivol a', 'describe csivol a', 'suspend csivol a', 'resume csivol/a'])
    expect(await typed(command)).toMatchObject({ code: 1, stdout: '', stderr: elsewhere });
});

test('what is asked names its object as get does, and is refused where it could not do what it says', async () => {
  const { said, typed } = await place();
  expect(await said('suspend csivol a -n shop')).toMatch(/^CSIVolume\/shop\/a is suspended /);
  expect(await said('resume csivol a -n shop')).toMatch(/^CSIVolume\/shop\/a is resumed /);
  expect(await typed('hold csivol/shop/a --reason audit')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CSIVolume/shop/a was not made by a schedule'),
  });
  expect(await said('describe csivol/shop/a')).not.toContain('Asked:');
});

test('what the manifest suspends is not said to be resumed: it stayed suspended', async () => {
  const { tree, said, typed } = await place();
  tree.put('a.yaml', labelled('a', { team: 'shop' }, { suspend: true }));
  await said('apply tree');
  await said('suspend csivol/shop/a');
  expect(await typed('resume csivol/shop/a')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'holdfast: CSIVolume/shop/a stays suspended by its spec (/spec/suspend in a.yaml); removing suspend from it ends it\n',
  });
  expect(await said('describe csivol/shop/a')).toMatch(/^Suspended: +by its spec; /m);
});

test('what is suspended with its connection is not said to be resumed: nothing was done, and nothing said why', async () => {
  const { said } = await place();
  await said('suspend SchedulerConnection/main');
  await said('suspend csivol/shop/a');
  expect(await said('resume csivol/shop/a')).toMatch(
    /^CSIVolume\/shop\/a itself is resumed, and stays suspended with SchedulerConnection\/main, by command \(.+\); holdfast resume SchedulerConnection\/main ends it /,
  );
  expect(await said('describe csivol/shop/a')).toMatch(/^Suspended: +with SchedulerConnection\/main, by /m);
  expect(await said('resume SchedulerConnection/main')).toMatch(/^SchedulerConnection\/main is resumed /);
  expect(await said('resume csivol/shop/a')).toMatch(/^CSIVolume\/shop\/a is resumed /);
});

test('other labels are another choice, and no other object: nothing is reconciled for them', async () => {
  const { tree, said } = await place();
  tree.put('a.yaml', labelled('a', { team: 'blog' }));
  await said('apply tree');
  expect(await said('get -o name -l team=blog')).toBe('CSIVolume/shop/a\nCSIVolume/shop/b\n');
  tree.put('a.yaml', volume('a'));
  await said('apply tree');
  expect(await said('get -o name -l !team,!none')).toContain('CSIVolume/shop/a\n');
  expect(JSON.parse(await said('get csivol/shop/a -o json')).metadata.generation).toBe(1);
});

test('what changes is followed: each row once, and what is gone is said to be', async () => {
  const { cwd, tree, said } = await place();
  const watching = new Holdfast(['get', 'csivol', '-w'], { cwd });
  await watching.says(/shop\/b +True/);
  await said('suspend csivol/shop/a');
  await watching.says(/shop\/a +True +InSync +by command /);
  tree.put('a.yaml', '# nothing'); // removed by hand below, not by accident
  tree.remove('a.yaml');
  await said('resume csivol/shop/a');
  await said('apply tree');
  await watching.says(/CSIVolume\/shop\/a is no longer declared/);
  const { code, stdout, stderr } = await watching.stop();
  expect([code, stderr.split(unattended).length]).toEqual([0, 2]); // told once
  expect(stdout.match(/^KIND/gm)).toHaveLength(1);
  expect(stdout.match(/shop\/b/g)).toHaveLength(1);
});

test('who watches is told when the operator is gone: a watch of what nobody looks after was silent', async () => {
  const operator = await Operator.on(await serve());
  operator.tree.put('a.yaml', volume('a'));
  const running = await operator.start();
  const watching = new Holdfast(['get', '-w'], { cwd: operator.cwd });
  await watching.says(/shop\/a +True/);
  expect(watching.stderr).toBe('');
  running.kill('SIGKILL');
  await watching.says(/no operator runs on this state/);
  expect((await watching.stop()).stderr).toBe(unattended);
});

test('one object is described: what differs, why, what to do, who suspended it, and what refers to it', async () => {
  const { tree, said } = await place();
  await said('suspend csivol/shop/a');
  tree.put('a.yaml', labelled('a', { team: 'shop' }, { capabilities: multi }));
  await said('apply tree');
  const shown = await said('describe csivol a -n shop');
  for (const part of [
    /^Labels: +team=shop$/m,
    /^Declared in: +a\.yaml$/m,
    /^Suspended: +by command \(\S+, \d{4}-\d\d-\d\dT\d\d:\d\dZ\); holdfast resume CSIVolume\/shop\/a ends it$/m,
    /^Next reconcile: +none: no operator runs on this state$/m,
    /^ {2}Synced +False +Suspended +\d+s +not done while suspended: /m,
    /^ {2}Suspended: The object, or a connection that it uses, is suspended, .*holdfast resume/m,
    /^ {2}\/capabilities\n {4}\+ \{accessMode: multi-node-multi-writer, attachmentMode: file-system\}$/m,
    /^ {2}capacity +1Gi$/m,
    /^ {2}\/connectionRef: SchedulerConnection\/main, ready$/m,
    /^ +\d+s ago {2}create a with hostpath \(\/pluginID, /m,
  ])
    expect(shown).toMatch(part);
  expect(await said('describe schedulerconnection/main')).toMatch(
    /\nReferred to by\n {2}CSIVolume\/shop\/a \(\/connectionRef\)\n {2}CSIVolume\/shop\/b \(\/connectionRef\)\n/,
  );
});

const multi = [
  { accessMode: 'single-node-writer', attachmentMode: 'file-system' },
  { accessMode: 'multi-node-multi-writer', attachmentMode: 'file-system' },
];

test('while an operator runs, it says when it looks at an object next', async () => {
  const { cwd, said } = await place();
  await new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd }).says(/"running"/);
  expect(await said('describe csivol/shop/a')).toMatch(
    /^Next reconcile: +(now|when something changes|in \d+[smh])/m,
  );
});

test('a kind and its fields are explained from the schema: type, default, values, and what a change does', async () => {
  const cwd = await folder();
  const said = async (what: string) => (await holdfast(['explain', ...what.split(' ')], { cwd })).stdout;
  const whole = await said('csivol');
  expect(whole).toMatch(
    /^KIND: +CSIVolume\nNAMES: +csivolumes, csivol\n[^]*\nFIELDS OF spec:\n {2}connectionRef <object> \(required\)\n/,
  );
  expect(whole).toContain('- exactly one of create and register is needed');
  expect(await said('csivol.spec.deletionPolicy')).toMatch(
    /^FIELD: +spec\.deletionPolicy <string>\nREQUIRED: +no\nDEFAULT: +Retain\nVALUES: +Retain, Deregister, Delete\n/m,
  );
  expect(await said('CSIVolume.create.capacity.min')).toMatch(
    /^FIELD: +spec\.create\.capacity\.min <integer or string>\nREQUIRED: +yes\nCHANGE: +is made in place; more /m,
  );
  expect(await said('csivol.pluginID')).toMatch(/^CHANGE: +needs a replacement: replacePolicy decides/m);
  expect(await said('csivol.connectionRef')).toMatch(/^REFERS TO: +a SchedulerConnection$/m);
  expect(await said('csivol.capabilities -r')).toMatch(
    /\n {2}accessMode <string> \(required\)\n {2}attachmentMode/,
  );
  expect(await holdfast(['explain', 'csivol.create.capacty'], { cwd })).toMatchObject({
    code: 1,
    stderr:
      'holdfast: csivol.create.capacty: CSIVolume.spec.create has no field capacty; did you mean capacity?\n',
  });
});
