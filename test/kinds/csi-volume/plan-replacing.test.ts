// A field of a volume that only another disk can have: when a replacement is planned, and when it is not even begun.
import { describe, expect, test } from 'vitest';
import { isEdited } from '../../../src/kinds/csi-volume/body.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { allocation, claimedBy, declared, outline, planned, recorded, type Given } from './situation.ts';

const declares = (spec: Partial<Spec>): Given => ({ spec });
const finds = (volume: Given['volume'] & object): Given => ({ volume });
const wroteZone = { wrote: { '/topology/required': [{ zone: 'a' }] } };

const parameters: Given = {
  ...declares({ create: { capacity: { min: '10Gi' }, parameters: { type: 'io2' } } }),
  ...finds({ Parameters: { type: 'gp3' } }),
  wrote: { '/create/parameters': { type: 'gp3' } },
};
const replacing: readonly { readonly why: string; readonly given: Given; readonly field: string }[] = [
  { why: 'another plugin', given: declares({ pluginID: 'nfs' }), field: '/pluginID' },
  { why: 'other parameters', given: parameters, field: '/create/parameters' },
  {
    why: 'another zone',
    given: { ...wroteZone, ...declares({ topology: { required: [{ zone: 'b' }] } }) },
    field: '/topology/required',
  },
  {
    why: 'another disk',
    given: { register: 'vol-9', wrote: { '/register/externalID': 'vol-1' } },
    field: '/register/externalID',
  },
];

describe('a field that only a new volume can have', () => {
  test.for(replacing)('$why: never unasked', ({ given, field }) => {
    expect(outline(given)).toBe(`stalled ImmutableFieldChanged until edit ${field}`);
  });

  test.for(replacing)('$why: the disk is kept unless it is to be deleted', ({ given, field }) => {
    const under = (deletion: 'Retain' | 'Deregister' | 'Delete') =>
      outline({ ...given, policy: { replace: 'WhenUnused', deletion } });
    expect(under('Retain')).toBe(`replace by volume.deregister ${field} then create`);
    expect(under('Deregister')).toBe(`replace by volume.deregister ${field} then create`);
    expect(under('Delete')).toBe(`replace by volume.deregister ${field} then create then destroy`);
  });

  test('waits for whoever uses the old one, and leaves a disk alone that others have', () => {
    const given: Given = { ...parameters, policy: { replace: 'WhenUnused', deletion: 'Delete' } };
    const blocked = 'blocked ReplacementBlocked until live /create/parameters';
    expect(
      outline({ ...given, volume: { Parameters: { type: 'gp3' }, ...claimedBy(allocation('a1')) } }),
    ).toBe(blocked);
    expect(outline({ ...given, sharedWith: ['other/copy'] })).toBe(blocked);
  });
});

describe('what would fail is not begun', () => {
  const asked = { spec: { pluginID: 'nfs' }, policy: { replace: 'WhenUnused', deletion: 'Delete' } } as const;
  test.for([
    { why: 'a misspelt plugin once cost the data', plugin: null, says: '/pluginID: there is no plugin nfs' },
    {
      why: 'a plugin without a healthy controller makes nothing',
      plugin: { ID: 'nfs', ControllersHealthy: 0 },
      says: '/pluginID: nfs has no healthy controller',
    },
  ])('$why', ({ plugin, says }) => {
    expect(planned({ ...asked, plugin })).toMatchObject({ reason: 'ReplacementBlocked', message: says });
  });
});

test('what is preferred is asked for when a volume is made, and never replaces one', () => {
  const given: Given = {
    ...declares({ topology: { required: [{ zone: 'a' }], preferred: [{ zone: 'a', rack: '2' }] } }),
    wrote: { '/topology/required': [{ zone: 'a' }], '/topology/preferred': [{ zone: 'a', rack: '1' }] },
    policy: { replace: 'WhenUnused', deletion: 'Delete' },
  };
  expect(outline(given)).toBe('in-sync');
});

test('the same zones in another order are the same: to move a line destroyed the data', () => {
  const [a, b] = [{ zone: 'a' }, { zone: 'b' }];
  const policy = { replace: 'WhenUnused', deletion: 'Delete' } as const;
  const wrote = { '/topology/required': [a, b] };
  const moved: Given = { ...declares({ topology: { required: [b, a] } }), wrote, policy };
  expect(outline(moved)).toBe('in-sync');
  expect(outline({ ...moved, volume: { RequestedTopologies: { Required: [a, b] } } })).toBe('in-sync');
  const status = { ...recorded, applied: { ...recorded.applied, ...wrote } };
  const spec = { ...declared, replacePolicy: 'WhenUnused' } as const;
  expect(isEdited({ ...spec, topology: { required: [b, a] } }, status)).toBe(false);
  expect(isEdited({ ...spec, topology: { required: [b] } }, status)).toBe(true);
});
