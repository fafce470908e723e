// What CSIVolume plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import {
  allocation,
  box,
  claimedBy,
  declared,
  existing,
  firstStep,
  gib,
  outline,
  planned,
  reader,
  recorded,
  writer,
  type Given,
} from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });

const sized = (min: string, max?: string): Given => ({
  spec: { create: { capacity: { min, ...(max !== undefined && { max }) } } },
});
const declares = (spec: Partial<Spec>): Given => ({ spec });
const finds = (volume: Given['volume'] & object): Given => ({ volume });

const absent: Given = { volume: 'absent' };
const unrecorded: Given = { memory: noStatus };
const lostAnswer = { ...absent, ...unrecorded };
/** Recorded before it was sent, and never answered. */
const openCreate: Given = {
  ...absent,
  memory: {
    ...noStatus,
    applied: recorded.applied,
    pending: { op: 'create', token: 't', evidence: { name: 'data-0ld0ld00' } },
  },
};
const { own: _own, ...withoutDisk } = recorded;
const deleting: Given = { deleting: true, policy: { deletion: 'Delete' } };
const strict: Given = { upsert: false };
const used: Given = finds(claimedBy(allocation('a1')));
const revived = 'revive by volume.register';

const missing: readonly Row[] = [
  row('the plugin makes a disk', { ...lostAnswer, held: false }, 'create by volume.create'),
  row(
    'its disk is there already',
    { ...lostAnswer, held: false, register: 'vol-9' },
    'create by volume.register',
  ),
  row('an answer was lost: the same create finds what it made', lostAnswer, 'create by volume.create'),
  row('so it does to delete it', { ...openCreate, ...deleting }, 'create by volume.create'),
  row(
    'where no create was begun, there is nothing to look for',
    { ...lostAnswer, ...deleting },
    'gone removed',
  ),
  row('a lost registration: its disk is registered again, not made anew', absent, revived),
  row('half way through an update by registering again', { ...absent, ...strict }, revived),
  row(
    'a lost registration, and nobody knows its disk',
    { ...absent, memory: withoutDisk },
    'stalled ExternalObjectLost until live',
  ),
  row(
    'half way through a replacement',
    { ...absent, memory: { ...noStatus, pending: { op: 'replace', token: '/pluginID' } } },
    'create by volume.create',
  ),
];

const foreign: Given = { ...unrecorded, held: false, ...finds({ Name: 'legacy' }) };
const adoptable: Given = { ...foreign, policy: { adoption: 'Adopt' } };
const identical: Given = { ...foreign, policy: { adoption: 'AdoptIfIdentical' } };
const otherDisk = finds({ ExternalID: 'vol-2' });

const owning: readonly Row[] = [
  row('Fail takes nothing', foreign, 'stalled AdoptionRefused until live'),
  row('AdoptIfIdentical takes what agrees', identical, 'adopt'),
  row(
    'and names what does not',
    { ...identical, ...sized('20Gi') },
    'stalled AdoptionRefused until live /create/capacity/min',
  ),
  row(
    'Adopt brings it in line',
    { ...adoptable, ...sized('20Gi') },
    'adopt then update /create/capacity/min',
  ),
  row('a name proves nothing where all memory is lost', unrecorded, 'stalled AdoptionRefused until live'),
  row('its name proves it to the create that drew it', { ...openCreate, ...finds({}) }, 'adopt'),
  row(
    'the same disk registered by somebody else is another registration',
    finds({ CreateIndex: 4 }),
    'stalled AdoptionRefused until live',
  ),
  row('nor is that one deleted', { ...finds({ CreateIndex: 4 }), ...deleting }, 'gone kept'),
  row(
    "another object's name proves nothing",
    { ...openCreate, ...finds({ Name: existing.Name.replace('data-', 'data-2-') }) },
    'stalled AdoptionRefused until live',
  ),
  row('another disk under the same ID is not ours', otherDisk, 'stalled AdoptionRefused until live'),
  row('nor may it be deleted', { ...otherDisk, ...deleting }, 'gone kept'),
  row(
    'an unhealthy plugin is no reason to do anything',
    finds({ Schedulable: false, ControllersHealthy: 0 }),
    'in-sync',
  ),
];

const flags = declares({ mountOptions: { mountFlags: ['noatime'] } });
const secrets = declares({ secrets: { user: { name: 'csi', key: 'user' } } });
const wroteFlags = { wrote: { '/mountOptions/mountFlags': ['noatime'] } };
const wroteSecret = { wrote: { '/secrets': { user: { $secret: 'csi/user', version: '1' } } } };
const secretOf = (version: string): Given => ({ secrets: { user: box('csi/user', version) } });
const zoned = declares({ topology: { required: [{ zone: 'a' }] } });
const wroteZone = { wrote: { '/topology/required': [{ zone: 'a' }] } };
const hiddenFlags = finds({ MountOptions: { MountFlags: ['[REDACTED]'] } });

const inSync: readonly Row[] = [
  row('as declared', {}, 'in-sync'),
  row('a smaller minimum shrinks nothing', sized('5Gi'), 'in-sync'),
  row('the plugin rounded up', finds({ Capacity: 11 * gib }), 'in-sync'),
  row(
    'capabilities in another order',
    {
      ...declares({ capabilities: [reader, writer] }),
      ...finds({
        RequestedCapabilities: [
          { AccessMode: writer.accessMode, AttachmentMode: writer.attachmentMode },
          { AccessMode: reader.accessMode, AttachmentMode: reader.attachmentMode },
        ],
      }),
    },
    'in-sync',
  ),
  row('flags and secrets are never shown', { ...flags, ...wroteFlags, ...hiddenFlags }, 'in-sync'),
  row('the same version of a secret', { ...secrets, ...wroteSecret, ...secretOf('1') }, 'in-sync'),
  row(
    'no preferred topology, in the words of the service',
    {
      ...zoned,
      ...wroteZone,
      ...finds({ RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: null } }),
    },
    'in-sync',
  ),
  row('a server that shows no requested topology', { ...zoned, ...wroteZone }, 'in-sync'),
  row('what is not declared is not managed', hiddenFlags, 'in-sync'),
];

const twoWays = declares({ capabilities: [writer, reader] });
const fsType = declares({ mountOptions: { fsType: 'xfs' } });
const growth = 'stalled ImmutableFieldChanged until edit /create/capacity/min';

/** expect: where registering again is an update; strict: where it is an error. */
const inPlace: readonly (Row & { readonly strict: string })[] = [
  { given: twoWays, field: '/capabilities', why: 'another way of claiming it' },
  { given: fsType, field: '/mountOptions/fsType', why: 'another file system' },
  { given: flags, field: '/mountOptions/mountFlags', why: 'flags' },
  { given: wroteFlags, field: '/mountOptions/mountFlags', why: 'flags that were let go are reset' },
  {
    given: { wrote: { '/mountOptions/fsType': 'xfs' }, ...finds({ MountOptions: { FsType: 'xfs' } }) },
    field: '/mountOptions/fsType',
    why: 'so is a file system',
  },
  { given: { ...secrets, ...wroteSecret, ...secretOf('2') }, field: '/secrets', why: 'a rotated secret' },
  { given: wroteSecret, field: '/secrets', why: 'secrets that were let go' },
].map(({ given, field, why }) => ({
  ...row(why, given, `update by volume.register ${field}`),
  strict: `update by volume.deregister ${field}`,
}));

const sizes: readonly (Row & { readonly strict: string })[] = [
  { ...row('it grows', sized('20Gi'), 'update by volume.register /create/capacity/min'), strict: growth },
  {
    ...row('it may grow', sized('10Gi', '20Gi'), 'update by volume.register /create/capacity/max'),
    strict: growth.replace('min', 'max'),
  },
];

describe.for(Object.entries({ missing, owning, inSync }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});

describe('a field that differs is written', () => {
  test.for([...inPlace, ...sizes])('$why: in place, where registering again updates', (one) => {
    expect(outline(one.given)).toBe(one.expect);
  });

  test.for([...inPlace, ...sizes])('$why: elsewhere by registering anew, if at all', (one) => {
    expect(outline({ ...one.given, ...strict })).toBe(one.strict);
  });

  test('but nothing is deregistered under a running allocation', () => {
    expect(outline({ ...twoWays, ...strict, ...used })).toBe(
      'blocked UpdateBlocked until live /capabilities',
    );
    expect(outline({ ...twoWays, ...used })).toBe('update by volume.register /capabilities');
  });

  test('nor are mount options, which the service refuses while they are in use', () => {
    expect(outline({ ...flags, ...used })).toBe('blocked UpdateBlocked until live /mountOptions/mountFlags');
  });

  test.for([{ upsert: true }, { upsert: false }])(
    "flags that can't be read back would be wiped, so they have to be declared (upsert: $upsert)",
    ({ upsert }) => {
      const given = { ...twoWays, ...hiddenFlags, upsert };
      expect(outline(given)).toBe('stalled ImmutableFieldChanged until edit /capabilities');
      expect(planned(given)).toMatchObject({
        message: expect.stringMatching(/^\/mountOptions\/mountFlags: .*can't be read back.*declare them/),
      });
      expect(outline({ ...given, spec: { ...twoWays.spec, ...flags.spec } })).toMatch(/^update /);
    },
  );
});

describe('what leaves', () => {
  test.for<Row>([
    row('Retain keeps all', { deleting: true }, 'gone kept'),
    row(
      'Deregister keeps the disk',
      { deleting: true, policy: { deletion: 'Deregister' } },
      'delete by volume.deregister',
    ),
    row(
      'Delete begins with the registration: the service refuses that while anybody claims it',
      deleting,
      'delete by volume.deregister',
    ),
    row(
      'not one that others have',
      { ...deleting, sharedWith: ['other/copy'] },
      'blocked DeletionBlocked until live',
    ),
    row(
      'not one whose Secret left first: deregistered, its disk could not be destroyed any more',
      { ...deleting, ...secrets, missing: ['user'] },
      'blocked DeletionBlocked until live',
    ),
    row(
      'so it may where a create is repeated',
      { ...openCreate, ...deleting, ...secrets },
      'create by volume.create',
    ),
  ])('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });

  test('a shared disk is named, with some of those who share it', () => {
    const sharedWith = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6', 'a/7'];
    expect(planned({ ...deleting, sharedWith })).toMatchObject({
      message: 'data: its disk vol-1 is also registered as a/1, a/2, a/3, a/4, a/5 and 2 more',
    });
  });

  test('nothing is deleted before other registrations were looked for', () => {
    expect(outline({ ...deleting, sharedWith: 'not looked for' })).toBe('blocked DeletionBlocked until live');
  });
});

test('adoption sends nothing, and remembers what it can not read as declared', () => {
  const spec = { ...declared, ...flags.spec, ...secrets.spec };
  const step = firstStep({
    ...identical,
    ...secretOf('1'),
    spec,
    volume: { Name: 'legacy', MountOptions: { MountFlags: ['[REDACTED]'] } },
  });
  expect(step).toMatchObject({ verb: 'adopt', changes: [] });
  expect(step.effect).toBeUndefined();
  expect(step.applied).toEqual({ ...recorded.applied, ...wroteFlags.wrote, ...wroteSecret.wrote });
});
