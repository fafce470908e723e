// One volume that could not be read ended `export` with a stack and "a bug", and nothing of all the others was exported.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../api/servers.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { Tree } from '../../support/manifests.ts';

const capability = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
const volume = (ID: string) => ({
  ID,
  Name: ID,
  Namespace: 'default',
  ExternalID: `disk-${ID}`,
  PluginID: 'ebs',
  ModifyIndex: 7,
  RequestedCapabilities: [capability],
});

/** @param reads answers to the reads of single volumes, by ID; `cut`: the connection is closed */
async function exported(reads: Readonly<Record<string, readonly [number, unknown] | 'cut'>>) {
  const { url, seen } = await serve(({ url: at }, response) => {
    const id = /^\/v1\/volume\/csi\/([^?]+)/.exec(at)?.[1];
    const answer = id === undefined ? undefined : reads[decodeURIComponent(id)];
    if (answer === 'cut') response.destroy();
    else if (answer) response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
    else if (at.startsWith('/v1/volumes?')) response.end(JSON.stringify(Object.keys(reads).map(volume)));
    else response.end({ '/v1/status/leader': '"leader"', '/v1/agent/self': '{}' }[at] ?? '[]');
  });
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).connect({ url, dialect: 'nomad' });
  const { code, stdout, stderr } = await holdfast(['export', 'tree'], { cwd });
  const names = [...stdout.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name);
  return { code, names, stderr, asked: seen.map((one) => one.url) };
}

test('what can not be read is named, hides nothing of the others, and is an error', async () => {
  const { code, names, stderr } = await exported({
    a: [200, volume('a')],
    denied: [403, 'Permission denied'],
    broken: [200, { ID: 7 }],
    z: [200, volume('z')],
  });
  expect(names, stderr).toEqual(['a', 'z']);
  expect(stderr).toContain('CSIVolume denied: not exported: volume.read: "Permission denied"');
  expect(stderr).toContain('CSIVolume broken: not exported: volume.read: the answer is not a volume\n');
  expect(stderr).toContain('2 exported, 2 left out\n');
  expect(code).toBe(1);
});

test('a volume that has no name by which it could be asked for is left out', async () => {
  const { code, names, stderr } = await exported({ '../x': [200, {}], z: [200, volume('z')] });
  expect([code, names], stderr).toEqual([0, ['z']]);
  expect(stderr).toContain("CSIVolume ../x: not exported: id: can't be sent in a path\n");
});

test('a volume whose name can not be declared is named as it is called, not as its object would be', async () => {
  const { names, stderr } = await exported({ '#c': [200, volume('#c')], z: [200, volume('z')] });
  expect(names, stderr).toEqual(['z']);
  expect(stderr).toContain('CSIVolume #c: not exported: /spec/externalName: ');
});

test('where nothing answers any more, the others are not waited for one by one', async () => {
  const { code, names, stderr, asked } = await exported({ a: 'cut', b: 'cut', c: 'cut' });
  expect([code, names], stderr).toEqual([1, []]);
  expect(stderr).toContain('CSIVolume c: not exported: volume.read: connection closed');
  expect(asked).toContain('/v1/volume/csi/a?namespace=default');
  expect(asked).not.toContain('/v1/volume/csi/b?namespace=default');
});
