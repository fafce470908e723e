// What CSIVolume sends: bodies in the documents' shape with secrets still boxed, and the name that providers know it by.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import {
  box,
  canary,
  declared,
  existing,
  firstStep,
  gib,
  key,
  nonce,
  outline,
  recorded,
  sent,
  writer,
  type Given,
} from './situation.ts';

const absent: Given = { volume: 'absent', memory: noStatus, held: false };
const nothing: Given = { volume: 'absent' };

const full: Spec = {
  ...declared,
  create: {
    capacity: { min: '10Gi', max: '20Gi' },
    parameters: { type: 'gp3' },
    snapshotID: 'snap-1',
  },
  mountOptions: { fsType: 'ext4', mountFlags: ['noatime'] },
  secrets: { user: { name: 'csi', key: 'user' }, pass: { name: 'csi', key: 'pass' } },
  topology: { required: [{ zone: 'a' }], preferred: [{ zone: 'a', rack: '1' }] },
};
const boxes: Given = { secrets: { user: box('csi/user'), pass: box('csi/pass', '4') } };

/** What every body of `full` holds. */
const common = {
  ID: 'data',
  Namespace: 'default',
  PluginID: 'ebs',
  RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
  MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] },
  Secrets: {
    user: { $secret: 'csi/user', version: '1' },
    pass: { $secret: 'csi/pass', version: '4' },
  },
  RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [{ zone: 'a', rack: '1' }] },
  RequestedCapacityMin: 10 * gib,
  RequestedCapacityMax: 20 * gib,
};

const nameIn = (given: Given): string => {
  const { effect } = firstStep(given);
  if (!effect || !('body' in effect)) throw new Error('nothing is named');
  return effect.body.Volumes[0].Name;
};

test('what is destroyed is sent with the declared secrets that are there, boxed: what the service stored may be of another day', () => {
  const id = 'holdfast-retired-1';
  const retired = { volume: { ...existing, ID: id }, sharedWith: [] };
  const { disk } = recorded.own ?? {};
  if (!disk) throw new Error('no disk');
  const memory = { ...noStatus, own: { previous: { disk, retired: id, applied: {} } } };
  const last: Given = { ...nothing, memory, retired, deleting: true, policy: { deletion: 'Delete' } };
  const effectOf = (given: Given) => firstStep({ ...last, ...given }).effect;
  const at = { id, namespace: 'default' };
  const [user, pass] = [box('csi/user'), box('csi/pass', '4')];
  expect(effectOf({ ...boxes, spec: full })).toMatchObject({ params: { ...at, secrets: { user, pass } } });
  expect(effectOf({ spec: full, secrets: { pass } })).toMatchObject({ params: { ...at, secrets: { pass } } });
  expect(effectOf({})).toEqual({ port: 'scheduler', op: 'volume.delete', params: at });
  expect(JSON.stringify(firstStep({ ...last, ...boxes, spec: full }))).not.toContain(canary);
});

describe('where a volume is comes from what was recorded, else from where it is located', () => {
  test('in the path and in the body alike, which counts on servers that ignore the path', () => {
    const { effect } = firstStep(absent);
    expect(effect).toMatchObject({ port: 'scheduler', params: { id: 'data', namespace: 'default' } });
    expect(sent(absent)).toMatchObject({ ID: 'data', Namespace: 'default' });
  });
});

describe('a disk that the plugin makes', () => {
  test('is asked for with all that is declared', () => {
    expect(sent({ ...absent, ...boxes, spec: full })).toEqual({
      ...common,
      Name: 'data-n0nce001',
      Topologies: [{ zone: 'a' }],
      Parameters: { type: 'gp3' },
      SnapshotID: 'snap-1',
    });
  });

  test('is asked for with nothing that is not declared', () => {
    expect(sent(absent)).toEqual({
      ID: 'data',
      Namespace: 'default',
      PluginID: 'ebs',
      Name: nameIn(absent),
      RequestedCapabilities: common.RequestedCapabilities,
      MountOptions: {},
      Secrets: {},
      RequestedCapacityMin: 10 * gib,
    });
  });

  test('is found again by the same request while the volume leaves, secrets that have left apart', () => {
    const given: Given = { ...absent, ...boxes, spec: full };
    const { intent, applied = {} } = firstStep(given);
    const memory = { ...noStatus, applied, ...(intent && { pending: intent }) };
    const again: Given = { ...given, memory, held: true, deleting: true, policy: { deletion: 'Delete' } };
    expect(firstStep(again).summary).toBe('repeat the create whose answer was lost, to delete what it made');
    expect(sent(again)).toEqual(sent(given));
    expect(sent({ ...again, secrets: { pass: box('csi/pass', '4') } })).toMatchObject({
      Name: nameIn(given),
      Secrets: { pass: { $secret: 'csi/pass', version: '4' } },
    });
  });

  test('is never asked for without a secret that is declared', () => {
    expect(() => sent({ ...absent, spec: full })).toThrow('/secrets/user is not resolved');
  });
});

test('a disk that is there already is registered by its ID', () => {
  expect(sent({ ...absent, register: 'vol-9' })).toEqual({
    ID: 'data',
    Namespace: 'default',
    PluginID: 'ebs',
    ExternalID: 'vol-9',
    Name: nameIn({ ...absent, register: 'vol-9' }),
    RequestedCapabilities: common.RequestedCapabilities,
    MountOptions: {},
    Secrets: {},
  });
});

describe('a lost registration comes back', () => {
  test('with the disk, the name and what the provider said of it, as recorded', () => {
    const wrote = {
      '/create/capacity/max': 20 * gib,
      '/topology/required': common.RequestedTopologies.Required,
      '/topology/preferred': common.RequestedTopologies.Preferred,
    };
    expect(sent({ ...nothing, ...boxes, spec: full, wrote })).toMatchObject({
      ...common,
      ExternalID: 'vol-1',
      Name: existing.Name,
      Capacity: 10 * gib,
      Context: { lun: '3' },
      Topologies: [{ zone: 'a' }],
    });
  });

  test('on another disk than the one declared, where that one is recorded', () => {
    // Registering another disk in place of a lost one would be a replacement that nobody allowed.
    expect(sent({ ...nothing, register: 'vol-9' })).toMatchObject({ ExternalID: 'vol-1' });
  });

  test('with edits that were made meanwhile', () => {
    const mountOptions = { fsType: 'xfs' };
    expect(sent({ ...nothing, spec: { mountOptions } })).toMatchObject({ MountOptions: { FsType: 'xfs' } });
  });
});

describe('an update repeats all that leaving out would wipe or turn into a conflict', () => {
  const zones = { Required: [{ zone: 'a' }], Preferred: [{ zone: 'a', rack: '1' }] };
  const live: Given = {
    spec: { ...full, capabilities: [writer, { ...writer, accessMode: 'multi-node-single-writer' }] },
    volume: {
      Name: 'legacy',
      RequestedTopologies: zones,
      Parameters: { type: 'gp3' },
      RequestedCapacityMax: 20 * gib,
      MountOptions: { FsType: 'ext4', MountFlags: ['[REDACTED]'] },
    },
    wrote: {
      '/create/capacity/max': 20 * gib,
      '/create/parameters': { type: 'gp3' },
      '/mountOptions/fsType': 'ext4',
      '/mountOptions/mountFlags': ['noatime'],
      '/secrets': common.Secrets,
      '/topology': { required: zones.Required, preferred: zones.Preferred },
    },
  };

  test('what is to change as declared, everything else as it is there; nothing grows along', () => {
    const { RequestedCapacityMin: _min, RequestedCapacityMax: _max, ...rest } = common;
    const body = sent({ ...live, ...boxes });
    expect(body).not.toHaveProperty('RequestedCapacityMin');
    expect(body).toMatchObject({
      ...rest,
      Name: 'legacy',
      ExternalID: 'vol-1',
      RequestedCapabilities: [
        ...common.RequestedCapabilities,
        { AccessMode: 'multi-node-single-writer', AttachmentMode: 'file-system' },
      ],
    });
  });

  test('a file system and a topology that nobody declares stay as they are', () => {
    const spec = { capabilities: live.spec?.capabilities ?? [] };
    const volume = { RequestedTopologies: zones, MountOptions: { FsType: 'ext4' } };
    expect(sent({ spec, volume })).toMatchObject({
      MountOptions: { FsType: 'ext4' },
      RequestedTopologies: zones,
    });
  });

  test.for([
    {
      why: 'a file system',
      given: { wrote: { '/mountOptions/fsType': 'ext4' }, volume: { MountOptions: { FsType: 'ext4' } } },
      expect: { MountOptions: {} },
    },
    {
      why: 'flags, beside a file system that stays',
      given: {
        spec: { mountOptions: { fsType: 'ext4' } },
        wrote: { '/mountOptions/fsType': 'ext4', '/mountOptions/mountFlags': ['noatime'] },
        volume: { MountOptions: { FsType: 'ext4', MountFlags: ['[REDACTED]'] } },
      },
      expect: { MountOptions: { FsType: 'ext4' } },
    },
    { why: 'secrets', given: { wrote: { '/secrets': common.Secrets } }, expect: { Secrets: {} } },
  ])('what is let go is cleared: $why', (row) => {
    const shown = sent(row.given);
    for (const [field, value] of Object.entries(row.expect)) expect(shown).toHaveProperty(field, value);
  });

  test('growing asks for the new size, whatever else is the same', () => {
    expect(sent({ spec: { create: { capacity: { min: '30Gi' } } } })).toMatchObject({
      RequestedCapacityMin: 30 * gib,
      ExternalID: 'vol-1',
    });
  });
});

test('no plan shows a secret: not its steps, its changes, or what is remembered of it', () => {
  const given: Given = { ...boxes, spec: full, volume: 'absent', memory: noStatus };
  const step = firstStep(given);
  expect(JSON.stringify(step)).toContain('csi/pass');
  expect(JSON.stringify(step)).not.toContain(canary);
  expect(step.applied).toMatchObject({ '/secrets': common.Secrets });
});

const named = (spec: Partial<Spec>) => nameIn({ ...absent, spec });
/** While the create of this is under way, unanswered. */
const lost = (given: Given): Given => {
  const { intent, applied = {} } = firstStep({ ...absent, ...given });
  if (!intent) throw new Error('no intent');
  return { ...absent, ...given, memory: { ...noStatus, applied, pending: intent } };
};

describe('the name at the provider', () => {
  test('is drawn for each create: derived, a copy of the repository found the same disk, and destroyed it', () => {
    expect(named({})).toBe('data-n0nce001');
    expect(nameIn({ ...absent, nonce: 'another' })).toBe('data-another');
  });

  test('is recorded with the intent, and a repeat has it again: else it would make a second disk', () => {
    expect(firstStep(absent).intent).toMatchObject({ op: 'create', evidence: { name: named({}) } });
    expect(nameIn({ ...lost({}), nonce: 'another' })).toBe(named({}));
  });

  test.for<{ why: string; spec: Partial<Spec> }>([
    { why: 'size', spec: { create: { capacity: { min: '30Gi', max: '40Gi' } } } },
    { why: 'capabilities', spec: { capabilities: [{ ...writer, accessMode: 'multi-node-reader-only' }] } },
    { why: 'mount options', spec: { mountOptions: { fsType: 'xfs' } } },
    { why: 'policies', spec: { deletionPolicy: 'Delete' } },
  ])(
    'stays with other $why edited meanwhile: else a repeated create would make a second disk',
    ({ spec }) => {
      expect(nameIn({ ...lost({}), spec, nonce: 'another' })).toBe(named({}));
    },
  );

  test('holds what providers allow, for the longest names that can be declared', () => {
    const name = 'a'.repeat(63);
    const shown = nameIn({ ...absent, key: { ...key, name } });
    expect(shown).toMatch(/^[a-z0-9-]{1,128}$/);
    expect(shown).toBe(`${name}-${nonce}`);
    expect(nameIn({ ...absent, key: { ...key, name: 'b'.repeat(253) } }).length).toBeLessThanOrEqual(128);
  });

  test('proves what a lost create made, and nothing where nothing is remembered', () => {
    const volume = { Name: named({}) };
    expect(outline({ ...lost({}), volume, held: true })).toBe('adopt');
    expect(outline({ ...absent, volume, held: true })).toBe('stalled AdoptionRefused until live');
    expect(outline({ ...lost({}), volume: { Name: 'data-another' } })).toMatch(/^stalled AdoptionRefused/);
  });
});
