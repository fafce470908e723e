// What is looked up before a disk is let go of, and what is believed of the answers.
import { describe, expect, test } from 'vitest';
import { after, id as retiredID, previous } from './going.ts';
import { observe, replaces, type Around } from './observe.ts';
import { existing } from './situation.ts';

const destroys: Around = { spec: { deletionPolicy: 'Delete' }, deleting: true };

const alsoAs = (names: string) => `data: its disk vol-1 is also registered as ${names}`;

describe('who else has the disk', () => {
  const copy = { ...existing, ID: 'copy' };
  const elsewhere = { ...existing, Namespace: 'other' };
  const stranger = { ...existing, ID: 'stranger', ExternalID: 'vol-2' };
  const unknown = 'data: other registrations of its disk were not looked for';

  test('is looked for in all namespaces before a deletion, by the ID of the disk', async () => {
    const { plan, params } = await observe(destroys);
    expect(plan).toMatchObject({ verdict: 'change', steps: [{ verb: 'delete' }] });
    expect(params).toEqual([
      ['volume.read', { id: 'data', namespace: 'default' }],
      ['volume.list', { namespace: '*', filter: 'ExternalID == "vol-1"' }],
    ]);
  });

  test.for<{ why: string; listed: readonly object[]; more?: readonly object[]; message: string }>([
    { why: 'another ID', listed: [existing, copy], message: alsoAs('default/copy') },
    { why: 'the same ID in another namespace', listed: [existing, elsewhere], message: alsoAs('other/data') },
    {
      why: 'all of them, and no other disk that a server lists besides',
      listed: [stranger, elsewhere, existing, copy],
      message: alsoAs('other/data, default/copy'),
    },
    { why: 'a list without the volume itself proves nothing', listed: [copy], message: unknown },
    { why: 'nor does an empty one', listed: [], message: unknown },
    {
      why: 'one on a page that the scheduler has made by itself',
      listed: [existing],
      more: [copy],
      message: alsoAs('default/copy'),
    },
  ])('holds up a deletion: $why', async ({ why: _why, message, ...list }) => {
    const { plan } = await observe({ ...destroys, ...list });
    expect(plan).toMatchObject({ verdict: 'blocked', reason: 'DeletionBlocked', message });
  });

  test('is not guessed where there is no list', async () => {
    const looking = observe({ ...destroys, listed: undefined });
    await expect(looking).rejects.toThrow('volume.list: nothing answers');
  });

  test.for<{ why: string; entry: object }>([
    { why: 'has no ID', entry: { ...copy, ID: undefined } },
    { why: 'has no namespace', entry: { ...copy, Namespace: null } },
  ])('is not guessed where an entry of the list $why', async ({ entry }) => {
    await expect(observe({ ...destroys, listed: [existing, entry] })).rejects.toMatchObject({
      class: 'unreadable',
      reason: 'InvalidResponse',
      message: 'volume.list: an entry is not a volume',
    });
  });

  test('is looked for before an edit makes a replacement', async () => {
    const { plan } = await observe({ spec: replaces, listed: [existing, copy] });
    const message = alsoAs('default/copy');
    expect(plan).toMatchObject({ verdict: 'blocked', reason: 'ReplacementBlocked', message });
  });

  test.for<Around & { readonly why: string }>([
    { why: 'the disk is kept', deleting: true },
    { why: 'it is only deregistered', deleting: true, spec: { deletionPolicy: 'Deregister' } },
    { why: 'nothing leaves', spec: { deletionPolicy: 'Delete' } },
    { why: 'an edit that replaces nothing', spec: { ...replaces, pluginID: 'ebs' } },
    { why: 'an edit that may replace nothing', spec: { ...replaces, replacePolicy: 'Never' } },
  ])('is asked for no more than needed: $why', async ({ why: _why, ...around }) => {
    const { asked } = await observe(around);
    expect(asked).toEqual(['volume.read']);
  });
});

describe('the plugin that a replacement would be made with', () => {
  test('is asked for by its ID: another one that is well proves nothing', async () => {
    const ebs = { ID: 'ebs', ControllersHealthy: 1 };
    const message = '/pluginID: there is no plugin nfs';
    for (const plugins of [[ebs], [], undefined])
      expect((await observe({ spec: replaces, plugins })).plan).toMatchObject({
        verdict: 'blocked',
        message,
      });
    const { plan } = await observe({ spec: replaces, plugins: [ebs, { ID: 'nfs', ControllersHealthy: 0 }] });
    expect(plan).toMatchObject({ message: '/pluginID: nfs has no healthy controller' });
    expect((await observe({ spec: replaces })).plan).toMatchObject({ verdict: 'change' });
  });

  test('is not asked for where the volume leaves', async () => {
    const { asked } = await observe({ spec: replaces, deleting: true });
    expect(asked).toEqual(['volume.read', 'volume.list']);
  });
});

describe('a disk that was let go of', () => {
  const standing = { ...existing, ID: retiredID };
  const going: Around = { ...destroys, memory: after('retire') };

  test('is looked for under the ID that it was given, and destroyed only where nobody else has it', async () => {
    const found = { ...going, volumes: { [retiredID]: standing }, listed: [standing] };
    const { plan, params } = await observe(found);
    expect(plan).toMatchObject({ steps: [{ verb: 'destroy', effect: { op: 'volume.delete' } }] });
    expect(params[1]).toEqual(['volume.read', { id: retiredID, namespace: 'default' }]);
    expect((await observe({ ...found, listed: [standing, existing] })).plan).toMatchObject({
      verdict: 'blocked',
    });
    expect((await observe({ ...found, listed: [] })).plan).toMatchObject({ verdict: 'blocked' });
  });

  test('is registered under it where it does not stand there yet', async () => {
    const { plan } = await observe({ ...going, memory: after('delete'), volumes: {} });
    expect(plan).toMatchObject({ steps: [{ effect: { op: 'volume.register' } }] });
  });

  test('is looked for nowhere where it is to be kept', async () => {
    const { retired: _, ...kept } = previous;
    const { params } = await observe({
      ...going,
      volumes: {},
      memory: after('delete', { own: { previous: kept } }),
    });
    expect(params).toEqual([['volume.read', { id: 'data', namespace: 'default' }]]);
  });

  test.for(['data', retiredID])('is not guessed from an answer that is no volume (%s)', async (id) => {
    const volumes = { data: existing, [retiredID]: standing, [id]: { ID: id } };
    await expect(observe({ ...going, volumes })).rejects.toMatchObject({
      class: 'unreadable',
      reason: 'InvalidResponse',
      message: 'volume.read: the answer is not a volume',
    });
  });
});
