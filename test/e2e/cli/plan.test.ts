// What `plan` prints, in full: people read it in reviews. And that it changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../../support/cli.ts';
import { secret, Tree, volume } from '../../support/manifests.ts';
import { serve, startService } from '../../support/service.ts';

test('a plan as text, as Markdown and as JSON', async () => {
  const service = await serve();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  const replaceable = { replacePolicy: 'WhenUnused', deletionPolicy: 'Delete' };
  const fast = { capacity: { min: '1Gi' }, parameters: { type: 'fast' } };
  tree.put('changed.yaml', volume('changed', replaceable));
  tree.put('leaving.yaml', volume('leaving', { deletionPolicy: 'Delete' }));
  tree.put('same.yaml', volume('same'));
  expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);

  tree.put('secret.yaml', secret('shop', 'plugin', { key: 'not-to-be-seen' }));
  tree.put('added.yaml', volume('added', { secrets: { key: { name: 'plugin', key: 'key' } } }));
  tree.put('changed.yaml', volume('changed', { ...replaceable, create: fast }));
  tree.remove('leaving.yaml');
  tree.put('taken.yaml', volume('taken', { externalName: 'same' }));
  await service.resetCounters();
  const plan = async (...args: readonly string[]) => {
    const { stdout } = await holdfast(['plan', 'tree', ...args], { cwd });
    return stdout.replaceAll(/(version[": ]+)[0-9a-f]{8,16}/g, '$1…'); // its key is random
  };

  expect(await plan()).toMatchInlineSnapshot(`
    "CSIVolume/shop/added
      + create added with hostpath
          /pluginID: hostpath
          /capabilities: [{accessMode: single-node-writer, attachmentMode: file-system}]
          /create/capacity/min: 1Gi
          /secrets: {key: secret plugin/key (version …)}

    CSIVolume/shop/changed
      ! deregister changed, to destroy its disk once a new one stands (destroys data)
          /create/parameters: {type: fast}
      + create it anew
      - destroy the old one (destroys data)

    CSIVolume/shop/leaving
      - delete leaving and its data (destroys data)

    CSIVolume/shop/taken
      x ExternalNameConflict: its external object belongs to CSIVolume/shop/same

    Destroys data: CSIVolume/shop/changed, CSIVolume/shop/leaving
    Plan: 1 to create, 0 to update, 1 to replace, 1 to destroy; 1 blocked, 2 in sync
    "
  `);
  expect(await plan('-o', 'markdown')).toMatchInlineSnapshot(`
    "### holdfast plan

    Plan: 1 to create, 0 to update, 1 to replace, 1 to destroy; 1 blocked, 2 in sync

    **Destroys data:** \`CSIVolume/shop/changed\`, \`CSIVolume/shop/leaving\`

    \`\`\`diff
    # CSIVolume/shop/added
    + create added with hostpath
        /pluginID: hostpath
        /capabilities: [{accessMode: single-node-writer, attachmentMode: file-system}]
        /create/capacity/min: 1Gi
        /secrets: {key: secret plugin/key (version …)}

    # CSIVolume/shop/changed
    ! deregister changed, to destroy its disk once a new one stands (destroys data)
        /create/parameters: {type: fast}
    + create it anew
    - destroy the old one (destroys data)

    # CSIVolume/shop/leaving
    - delete leaving and its data (destroys data)

    # CSIVolume/shop/taken
    x ExternalNameConflict: its external object belongs to CSIVolume/shop/same
    \`\`\`
    "
  `);
  // Disks have IDs by chance, and so have the names that are drawn for them; several are made at a time.
  const text = (await plan('-o', 'json'))
    .replaceAll(/vol-[0-9a-f]+( \d+)?/g, 'vol-…')
    .replaceAll(/-[0-9a-z]{20}"/g, '-…"');
  const json: { counts: unknown; objects: readonly { key: string; action: string }[] } = JSON.parse(text);
  expect(json.counts).toMatchInlineSnapshot(`
    {
      "adopt": 0,
      "blocked": 1,
      "create": 1,
      "destroy": 1,
      "failed": 0,
      "held": 0,
      "inSync": 2,
      "invalid": 0,
      "move": 0,
      "release": 0,
      "replace": 1,
      "suspended": 0,
      "update": 0,
    }
  `);
  expect(json.objects.map(({ key, action }) => `${key} ${action}`)).toMatchInlineSnapshot(`
    [
      "CSIVolume/shop/added create",
      "CSIVolume/shop/changed replace",
      "CSIVolume/shop/leaving destroy",
      "CSIVolume/shop/same none",
      "CSIVolume/shop/taken blocked",
      "SchedulerConnection/main none",
    ]
  `);
  expect(json.objects.find((one) => one.key === 'CSIVolume/shop/changed')).toMatchInlineSnapshot(`
    {
      "action": "replace",
      "destroys": "data",
      "drift": [],
      "key": "CSIVolume/shop/changed",
      "problems": [],
      "steps": [
        {
          "changes": [
            {
              "cause": "edit",
              "desired": {
                "type": "fast",
              },
              "path": "/create/parameters",
            },
          ],
          "destroys": "data",
          "summary": "deregister changed, to destroy its disk once a new one stands",
          "verb": "replace",
        },
        {
          "changes": [],
          "summary": "create it anew",
          "verb": "create",
        },
        {
          "changes": [],
          "destroys": "data",
          "summary": "destroy the old one",
          "verb": "destroy",
        },
      ],
    }
  `);
  expect((await service.counters()).writes).toBe(0);
});

const embedded = { url: 'embedded', dialect: 'cluster' } as const;

test('a plan on embedded services that were never started makes no file', async () => {
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).connect(embedded).put('a.yaml', volume('a'));
  const { stdout, stderr, code } = await holdfast(['plan', 'tree'], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('Plan: 1 to create, ')]);
  // In another folder than theirs, all that is made already would look as if it were not.
  expect(stderr).toMatch(/^no embedded services run on this state: /);
  expect(readdirSync(cwd)).toEqual(['tree']);
  new Tree(join(cwd, 'real')).connect({ ...embedded, dialect: 'nomad' }).put('a.yaml', volume('a'));
  const other = await holdfast(['plan', 'real'], { cwd });
  expect(other.stdout).toContain('speaks nomad is running: start `holdfast dev --dialect nomad`');
});

test('a plan on embedded services that are not running leads nobody to its own', async () => {
  const { process, stateDir } = await startService('cluster');
  await process.stop();
  const said = () => readFileSync(join(stateDir, 'embedded.json'), 'utf8');
  const before = said();
  new Tree(join(stateDir, 'tree')).connect(embedded).put('a.yaml', volume('a'));
  const { stdout } = await holdfast(['plan', 'tree', '--state-dir', '.'], { cwd: stateDir });
  expect(stdout).toContain('create a with hostpath');
  expect(said()).toBe(before);
});

test('a plan does not promise what a suspension by command holds back', async () => {
  const service = await serve();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  const replaceable = { replacePolicy: 'WhenUnused' };
  tree.put('held.yaml', volume('held', replaceable));
  expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
  expect((await holdfast(['suspend', 'CSIVolume/shop/held'], { cwd })).code).toBe(0);
  const fast = { capacity: { min: '1Gi' }, parameters: { type: 'fast' } };
  tree.put('held.yaml', volume('held', { ...replaceable, create: fast }));
  const { stdout } = await holdfast(['plan', 'tree'], { cwd });
  expect(stdout).toContain('CSIVolume/shop/held (suspended by command)\n  x Suspended: ');
  expect(stdout).toContain('No changes; 1 blocked, 1 suspended, 1 in sync');
});

test('a plan on the state of another installation is refused as a run is: it said that all was in sync', async () => {
  const cwd = await folder();
  const manifest = join(cwd, 'tree', 'holdfast.yaml');
  new Tree(join(cwd, 'tree')).connect(await serve()).put('a.yaml', volume('a'));
  expect((await holdfast(['apply', 'tree'], { cwd })).code).toBe(0);
  const [, name = ''] = /name: ?"?([a-z-]+)/.exec(readFileSync(manifest, 'utf8')) ?? [];
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll(name, 'another'));
  for (const command of ['plan', 'apply']) {
    const { code, stderr } = await holdfast([command, 'tree'], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`this state belongs to "${name}"`)]);
  }
});
