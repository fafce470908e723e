// What `plan` prints, in full: people read it in reviews. And that it changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { serve, startService } from '../support/service.ts';

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
    return stdout.replaceAll(/"version": ?"[0-9a-f]{16}"/g, '"version":"…"'); // its key is random
  };

  expect(await plan()).toMatchInlineSnapshot(`
    "CSIVolume/shop/added
      + create added with hostpath
        /pluginID: (none) → "hostpath"
        /capabilities: (none) → [{"accessMode":"single-node-writer","attachmentMode":"file-system"}]
        /create/capacity/min: (none) → 1073741824
        /secrets: (none) → {"key":{"$secret":"plugin/key","version":"…"}}

    CSIVolume/shop/changed
      ! deregister changed, to destroy its disk once a new one stands (destroys data)
        /create/parameters: (none) → {"type":"fast"}
      + create it anew
      - destroy the old one (destroys data)

    CSIVolume/shop/leaving
      - delete leaving and its data (destroys data)

    CSIVolume/shop/taken
      x ExternalNameConflict: its external object belongs to CSIVolume/shop/same

    1 to replace: destroys data
    1 to delete: destroys data
    3 to change, 0 to release, 1 blocked, 2 in sync
    "
  `);
  expect(await plan('-o', 'markdown')).toMatchInlineSnapshot(`
    "### holdfast plan

    1 to replace: destroys data
    1 to delete: destroys data
    3 to change, 0 to release, 1 blocked, 2 in sync

    \`\`\`diff
    CSIVolume/shop/added
      + create added with hostpath
        /pluginID: (none) → "hostpath"
        /capabilities: (none) → [{"accessMode":"single-node-writer","attachmentMode":"file-system"}]
        /create/capacity/min: (none) → 1073741824
        /secrets: (none) → {"key":{"$secret":"plugin/key","version":"…"}}

    CSIVolume/shop/changed
      ! deregister changed, to destroy its disk once a new one stands (destroys data)
        /create/parameters: (none) → {"type":"fast"}
      + create it anew
      - destroy the old one (destroys data)

    CSIVolume/shop/leaving
      - delete leaving and its data (destroys data)

    CSIVolume/shop/taken
      x ExternalNameConflict: its external object belongs to CSIVolume/shop/same
    \`\`\`
    "
  `);
  // Disks have IDs by chance, and so have the names that are drawn for them; several are made at a time.
  const text = (await plan('-o', 'json'))
    .replaceAll(/vol-[0-9a-f]+( \d+)?/g, 'vol-…')
    .replaceAll(/-[0-9a-z]{20}"/g, '-…"');
  const json: readonly { key: string; plan: { steps?: unknown } }[] = JSON.parse(text);
  expect(json.map((one) => one.key)).toMatchInlineSnapshot(`
    [
      "CSIVolume/shop/added",
      "CSIVolume/shop/changed",
      "CSIVolume/shop/leaving",
      "CSIVolume/shop/same",
      "CSIVolume/shop/taken",
      "SchedulerConnection/main",
    ]
  `);
  expect(json.find((one) => one.key === 'CSIVolume/shop/changed')?.plan).toMatchInlineSnapshot(`
    {
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
          "data": "vol-…",
          "destroys": "data",
          "effect": {
            "op": "volume.deregister",
            "params": {
              "id": "changed",
              "namespace": "default",
            },
            "port": "scheduler",
          },
          "identity": "vol-…",
          "intent": {
            "evidence": {
              "removed": "vol-…",
              "retired": "holdfast-retired-…",
            },
            "op": "replace",
            "token": "/create/parameters",
          },
          "noted": {
            "disk": {
              "capabilities": [
                {
                  "accessMode": "single-node-writer",
                  "attachmentMode": "file-system",
                },
              ],
              "capacity": 1073741824,
              "context": {},
              "externalID": "vol-…",
              "fsType": "",
              "name": "changed-…",
              "parameters": {},
              "pluginID": "hostpath",
              "preferred": [],
              "required": [],
              "snapshotID": "",
              "topologies": [],
            },
            "previous": {
              "applied": {
                "/capabilities": [
                  {
                    "accessMode": "single-node-writer",
                    "attachmentMode": "file-system",
                  },
                ],
                "/create/capacity/min": 1073741824,
                "/pluginID": "hostpath",
              },
              "disk": {
                "capabilities": [
                  {
                    "accessMode": "single-node-writer",
                    "attachmentMode": "file-system",
                  },
                ],
                "capacity": 1073741824,
                "context": {},
                "externalID": "vol-…",
                "fsType": "",
                "name": "changed-…",
                "parameters": {},
                "pluginID": "hostpath",
                "preferred": [],
                "required": [],
                "snapshotID": "",
                "topologies": [],
              },
              "retired": "holdfast-retired-…",
            },
          },
          "own": {
            "previous": {
              "applied": {
                "/capabilities": [
                  {
                    "accessMode": "single-node-writer",
                    "attachmentMode": "file-system",
                  },
                ],
                "/create/capacity/min": 1073741824,
                "/pluginID": "hostpath",
              },
              "disk": {
                "capabilities": [
                  {
                    "accessMode": "single-node-writer",
                    "attachmentMode": "file-system",
                  },
                ],
                "capacity": 1073741824,
                "context": {},
                "externalID": "vol-…",
                "fsType": "",
                "name": "changed-…",
                "parameters": {},
                "pluginID": "hostpath",
                "preferred": [],
                "required": [],
                "snapshotID": "",
                "topologies": [],
              },
              "retired": "holdfast-retired-…",
            },
          },
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
      "verdict": "change",
    }
  `);
  expect((await service.counters()).writes).toBe(0);
});

const embedded = { url: 'embedded', dialect: 'cluster' } as const;

test('a plan on embedded services that were never started makes no file', async () => {
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).connect(embedded).put('a.yaml', volume('a'));
  const { stdout, code } = await holdfast(['plan', 'tree'], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 to change')]);
  expect(readdirSync(cwd)).toEqual(['tree']);
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
  expect(stdout).toContain('CSIVolume/shop/held\n  x Suspended: ');
  expect(stdout).toContain('0 to change, 0 to release, 1 blocked');
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
