// Finding 12: how a deletion got past the limits: as an empty file, with limits of its own, by yesterday's approval.
import { expect, test } from 'vitest';
import { connection, secret, volume } from '../support/manifests.ts';
import { serve, serviceToken } from '../support/service.ts';
import { diskIDs, lost } from './disks.ts';
import { Operated } from './operated.ts';

const limits = { deletions: { perHour: 2, percent: 30 } };
const generous = { deletions: { perHour: 1_000, percent: 100 } };

const volumes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => volume(`v${from + i}`, { deletionPolicy: 'Delete' }));

/** Ten volumes whose disks go with them, five of them in a file of their own. */
async function tenVolumes(connectionLimits = limits) {
  const service = await serve();
  const operated = await Operated.on(service, { limits: connectionLimits });
  operated.tree.put('kept.yaml', ...volumes(5, 10));
  operated.tree.put('five.yaml', ...volumes(0, 5));
  await operated.converge();
  const disks = await diskIDs(service);
  expect(disks).toHaveLength(10);
  return { service, operated, disks };
}

test('a manifest was emptied by mistake, and the disks of all that it declared were destroyed', async () => {
  const { service, operated, disks } = await tenVolumes(generous);
  operated.tree.put('five.yaml', '');
  const { code, stdout, stderr } = await operated.apply();
  expect(await lost(service, disks), stdout).toEqual([]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain('five.yaml');
});

test('the edit that removed half of all volumes raised the limits as well, and the disks were destroyed', async () => {
  const { service, operated, disks } = await tenVolumes();
  operated.tree.put(
    'connection.yaml',
    connection(service, { limits: generous }),
    secret('system', 'scheduler', { token: serviceToken }),
  );
  operated.tree.remove('five.yaml');
  const { code, stdout } = await operated.apply();
  expect(await lost(service, disks), stdout).toEqual([]);
  expect(code).toBe(3);
  const after = await operated.applyApproving();
  expect(after.code, after.stdout).toBe(0);
  expect(await lost(service, disks)).toHaveLength(5);
});

/** Removes the five, and waits for a person. @returns what is to be approved */
async function removed(operated: Operated): Promise<string> {
  operated.tree.remove('five.yaml');
  expect((await operated.apply()).code).toBe(3);
  const [digest = ''] = await operated.waiting();
  expect(digest).not.toBe('');
  return digest;
}

test('what was to be approved one day was taken back, and let the same disks be destroyed another day', async () => {
  const { service, operated, disks } = await tenVolumes();
  const then = await removed(operated);
  operated.tree.put('five.yaml', ...volumes(0, 5));
  await operated.converge();
  await removed(operated);
  const { code } = await operated.command('approve', then);
  await operated.apply();
  expect(await lost(service, disks)).toEqual([]);
  expect(code).toBe(1);
});

test('a deletion was approved and taken back, and the approval let it go another day', async () => {
  const { service, operated, disks } = await tenVolumes();
  const then = await removed(operated);
  expect((await operated.command('approve', then)).code).toBe(0);
  operated.tree.put('five.yaml', ...volumes(0, 5));
  await operated.converge();
  await removed(operated);
  await operated.command('approve', then);
  await operated.apply();
  expect(await lost(service, disks)).toEqual([]);
});

test('a deletion was approved and made, and its approval let the disks of those declared since be destroyed', async () => {
  const { service, operated, disks } = await tenVolumes();
  const then = await removed(operated);
  await operated.command('approve', then);
  await operated.apply();
  expect(await lost(service, disks)).toHaveLength(5);
  operated.tree.put('five.yaml', ...volumes(0, 5));
  await operated.converge();
  const again = await diskIDs(service);
  expect(again).toHaveLength(10);
  await removed(operated);
  expect((await operated.command('approve', then)).code).toBe(1);
  await operated.apply();
  expect(await lost(service, again)).toEqual([]);
});
