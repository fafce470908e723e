import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFile } from '../files.ts';
import { bodyOf, create, running, type Running } from '../running.ts';

const releaseMs = 3_000;
const allModes = [
  'single-node-reader-only',
  'single-node-writer',
  'multi-node-reader-only',
  'multi-node-single-writer',
  'multi-node-multi-writer',
].map((AccessMode) => ({ AccessMode, AttachmentMode: 'file-system' }));

describe('claims', () => {
  let here: Running;
  afterEach(() => here.stop());

  const claim = (ID: string, more: object = {}) =>
    here.client.post('/setup/allocations', { jobID: 'web', volumes: [{ ID, ...more }] });
  const end = (id: string) => here.client.put(`/setup/allocations/${id}`, { ClientStatus: 'complete' });
  const volume = async (id: string) => (await here.client.get(`/v1/volume/csi/${id}`)).json();

  test('an ended allocation lets go after a while, in two steps, as seen by who waits', async () => {
    here = await running({ claimReleaseMs: releaseMs });
    await create(here.client, 'v');
    const { ID } = (await claim('v')).json();
    await end(ID);
    here.clock.advance(releaseMs - 1);
    const before = await volume('v');
    expect(before).toMatchObject({ WriteAllocs: { [ID]: null }, AccessMode: 'single-node-writer' });
    const blocked = here.client.get(`/v1/volume/csi/v?index=${before.ModifyIndex}`);
    await here.client.get('/v1/status/leader');
    here.clock.advance(1);
    expect((await blocked).json()).toMatchObject({
      WriteAllocs: {},
      AccessMode: '',
      AttachmentMode: '',
      ModifyIndex: before.ModifyIndex + 3, // the allocation ended, was unpublished, is free
    });
  });

  test('claims that were lingering when the process died are released when it is back', async () => {
    const file = temporaryFile();
    here = await running({ file, claimReleaseMs: releaseMs });
    const { clock } = here;
    await create(here.client, 'v');
    await end((await claim('v')).json().ID);
    clock.advance(1_000);
    await here.stop();
    here = await running({ file, claimReleaseMs: releaseMs }, clock);
    clock.advance(releaseMs - 1_001);
    expect(Object.keys((await volume('v')).WriteAllocs)).toHaveLength(1);
    clock.advance(1);
    expect((await volume('v')).WriteAllocs).toEqual({});
  });

  test('an allocation that is to stop keeps its claim for as long as its task runs, however long that takes', async () => {
    here = await running({ claimReleaseMs: releaseMs });
    await create(here.client, 'v');
    const { ID } = (await claim('v')).json();
    await here.client.put(`/setup/allocations/${ID}`, { desiredStatus: 'stop' });
    here.clock.advance(100 * releaseMs);
    expect(await volume('v')).toMatchObject({ WriteAllocs: { [ID]: null } });
    await end(ID);
    here.clock.advance(releaseMs);
    expect(await volume('v')).toMatchObject({ WriteAllocs: {} });
  });

  test('but not by one that stands still, to be looked at', async () => {
    const file = temporaryFile();
    here = await running({ file, claimReleaseMs: releaseMs });
    const { clock } = here;
    await create(here.client, 'v');
    await end((await claim('v')).json().ID);
    await here.stop();
    here = await running({ file, claimReleaseMs: releaseMs, still: true }, clock);
    clock.advance(releaseMs);
    expect(Object.keys((await volume('v')).WriteAllocs)).toHaveLength(1);
  });

  test('running allocations keep their claims, and detaching one node leaves the other', async () => {
    here = await running({ claimReleaseMs: releaseMs, dialect: 'cluster' });
    await create(here.client, 'v', { RequestedCapabilities: allModes.slice(-1) });
    const place = async (node: string) => {
      const body = { jobID: 'web', node, volumes: [{ id: 'v' }] };
      return (await here.client.post('/setup/allocations', body)).json();
    };
    const [a, b] = [await place('node-a'), await place('node-b')];
    here.clock.advance(10 * releaseMs);
    expect(Object.keys((await volume('v')).WriteAllocs)).toEqual([a.ID, b.ID]);
    await end(a.ID);
    await end(b.ID);
    await here.client.delete(`/v1/volume/csi/v/detach?node=${a.NodeID}`);
    expect(await volume('v')).toMatchObject({
      WriteAllocs: { [b.ID]: null },
      AccessMode: allModes[4]?.AccessMode,
    });
    expect(Object.keys((await volume('v')).WriteAllocs)).toEqual([b.ID]);
  });

  test('an allocation that has ended never runs again', async () => {
    here = await running();
    await create(here.client, 'v');
    const { ID } = (await claim('v')).json();
    await here.client.put(`/setup/allocations/${ID}`, { desiredStatus: 'stop' });
    const again = await here.client.put(`/setup/allocations/${ID}`, { desiredStatus: 'run' });
    expect([again.status, again.text]).toEqual([400, `allocation ${ID} has ended and can't run again`]);
  });

  test.each([
    { mode: 'single-node-reader-only', claims: 'r', refused: ['r', 'w'], why: 'one reader' },
    { mode: 'single-node-reader-only', claims: '', refused: ['w'], why: 'never a writer' },
    { mode: 'single-node-writer', claims: 'w', refused: ['r', 'w'], why: 'one claim' },
    { mode: 'single-node-writer', claims: 'r', refused: ['r', 'w'], why: 'of either sort' },
    { mode: 'multi-node-reader-only', claims: 'rrr', refused: ['w'], why: 'readers only' },
    { mode: 'multi-node-single-writer', claims: 'rwr', refused: ['w'], why: 'one writer' },
    { mode: 'multi-node-multi-writer', claims: 'rwrw', refused: [], why: 'anybody' },
  ])('$mode takes "$claims" and then refuses $refused: $why', async ({ mode, claims, refused }) => {
    here = await running();
    await create(here.client, 'v', { RequestedCapabilities: allModes });
    const use = (sort: string) =>
      claim('v', { readOnly: sort === 'r', accessMode: mode, attachmentMode: 'file-system' });
    for (const sort of claims) expect((await use(sort)).status).toBe(200);
    for (const sort of refused) {
      const answer = await use(sort);
      expect([answer.status, answer.text]).toEqual([400, 'volume v: volume max claims reached']);
    }
    expect((await here.client.get('/v1/allocations?filter=JobID==web')).json()).toHaveLength(claims.length);
  });

  test.each([
    {
      more: { accessMode: 'multi-node-reader-only' },
      says: 'not registered for',
      why: 'the volume is for other uses',
    },
    { more: { attachmentMode: 'block-device' }, says: 'not registered for', why: 'or attached otherwise' },
    { more: { colour: 'red' }, says: 'volumes[0].colour: unknown field', why: 'typos are told' },
  ])('a claim is refused with "$says": $why', async ({ more, says }) => {
    here = await running();
    await create(here.client, 'v');
    expect((await claim('v', more)).text).toContain(says);
    expect((await claim('none')).text).toBe('volume not found: none');
    await here.client.put('/setup/plugins/hostpath', { healthy: false });
    expect((await claim('v')).text).toBe('volume v: volume is currently unschedulable');
  });

  test('while it is claimed it keeps the modes of the first claim', async () => {
    here = await running();
    const other = [
      { AccessMode: 'multi-node-multi-writer', AttachmentMode: 'file-system' },
      { AccessMode: 'multi-node-multi-writer', AttachmentMode: 'block-device' },
      { AccessMode: 'multi-node-reader-only', AttachmentMode: 'file-system' },
    ];
    await create(here.client, 'v', { RequestedCapabilities: other });
    await claim('v');
    expect((await claim('v', { attachmentMode: 'block-device' })).text).toContain(
      'cannot change attachment mode',
    );
    const reading = { readOnly: true, accessMode: 'multi-node-reader-only' };
    expect((await claim('v', reading)).text).toContain('cannot change access mode');
    expect((await claim('v')).status).toBe(200);
  });

  test('a disk that another registration uses is not deleted: the provider knows that it is attached', async () => {
    here = await running({ dialect: 'cluster' });
    await here.client.put('/setup/plugins/hostpath', { deletesInUse: false });
    await create(here.client, 'v');
    const { ExternalID } = await volume('v');
    await here.client.put('/v1/volume/csi/w', bodyOf('w', { ExternalID }));
    const { ID, NodeID } = (await claim('w')).json();
    const refused = await here.client.delete('/v1/volume/csi/v/delete');
    expect(refused.text).toContain(`CSI.ControllerDeleteVolume: volume "${ExternalID}" is in use: `);
    expect((await volume('v')).ExternalID).toBe(ExternalID);
    await end(ID);
    await here.client.delete(`/v1/volume/csi/w/detach?node=${NodeID}`);
    expect((await here.client.delete('/v1/volume/csi/v/delete')).status).toBe(200);
  });

  test('what is deregistered by force is detached too: registered again, it can be deleted', async () => {
    here = await running();
    await create(here.client, 'v');
    const { ExternalID } = await volume('v');
    await end((await claim('v')).json().ID);
    expect((await here.client.delete('/v1/volume/csi/v?force=true')).status).toBe(200);
    await here.client.put('/v1/volume/csi/v', bodyOf('v', { ExternalID }));
    expect((await here.client.delete('/v1/volume/csi/v/delete')).status).toBe(200);
  });

  test('a plugin that attaches nothing deletes the disk from under its user, and the registration dangles', async () => {
    here = await running();
    await here.client.put('/setup/plugins/hostpath', { capabilities: ['CREATE_DELETE_VOLUME'] });
    await create(here.client, 'v');
    await claim('v');
    expect((await here.client.delete('/v1/volume/csi/v/delete')).text).toBe('volume in use: v');
    const disks = (await here.client.get('/setup/disks')).json();
    expect(disks).toHaveLength(1); // the one that was seeded
    expect(await volume('v')).toMatchObject({ ID: 'v' });
  });
});
