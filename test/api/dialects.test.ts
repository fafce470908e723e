// One table of dialects: what clients send is in the connection's dialect, what they read may be in either.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lower, raise, schedulerDialect, schedulerDialects } from '../../src/api/dialects.ts';
import { holdsSecret, Secret, type Sealed } from '../../src/core/secret.ts';
import { json, text } from '../support/arbitraries.ts';

const { cluster, nomad } = schedulerDialects;
const secret = Secret.of('csi/user', '1', 'canary');

describe('names and abilities', () => {
  test('headers have the names of the service, under the prefix of the dialect', () => {
    expect(cluster.headers).toEqual({
      token: 'X-Cluster-Token',
      index: 'X-Cluster-Index',
      lastContact: 'X-Cluster-LastContact',
      knownLeader: 'X-Cluster-KnownLeader',
      nextToken: 'X-Cluster-NextToken',
      csiSecrets: 'X-Cluster-CSI-Secrets',
    });
    expect(nomad.headers).toEqual({
      token: 'X-Nomad-Token',
      index: 'X-Nomad-Index',
      lastContact: 'X-Nomad-LastContact',
      knownLeader: 'X-Nomad-KnownLeader',
      nextToken: 'X-Nomad-NextToken',
      csiSecrets: 'X-Nomad-CSI-Secrets',
    });
  });

  test('registering again is an update only where it is known to be', () => {
    expect(nomad.capabilities.upsert).toBe(true);
    expect(cluster.capabilities.upsert).toBe(false);
  });

  test('a dialect is found by its name; any other name behaves as the document says', () => {
    expect(schedulerDialect('nomad')).toBe(nomad);
    for (const name of ['cluster', 'Nomad', '', 'constructor', '__proto__']) {
      expect(schedulerDialect(name)).toBe(cluster);
    }
  });
});

/** In the documents' shape, and as each dialect has it. */
const shapes: readonly { readonly why: string; readonly neutral: Sealed; readonly nomad: Sealed }[] = [
  { why: 'version', neutral: { Version: '1.2' }, nomad: { ProviderVersion: '1.2' } },
  {
    why: 'file system, deep inside',
    neutral: { Volumes: [{ MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] } }] },
    nomad: { Volumes: [{ MountOptions: { FSType: 'ext4', MountFlags: ['noatime'] } }] },
  },
  {
    why: 'topologies',
    neutral: { Topologies: [{ zone: 'a' }, { zone: 'b', rack: '1' }] },
    nomad: { Topologies: [{ Segments: { zone: 'a' } }, { Segments: { zone: 'b', rack: '1' } }] },
  },
  {
    why: 'requested topologies',
    neutral: { RequestedTopologies: { Required: [{ zone: 'a' }], Preferred: [] } },
    nomad: { RequestedTopologies: { Required: [{ Segments: { zone: 'a' } }], Preferred: [] } },
  },
  {
    why: 'a segment with the name of the wrapping',
    neutral: { Topologies: [{ Segments: 'a' }] },
    nomad: { Topologies: [{ Segments: { Segments: 'a' } }] },
  },
  {
    why: 'what is null stays null',
    neutral: { Topologies: null, RequestedTopologies: { Required: null, Preferred: null } },
    nomad: { Topologies: null, RequestedTopologies: { Required: null, Preferred: null } },
  },
];

describe.for(shapes)('$why', (shape) => {
  test('is sent in the dialect of the connection', () => {
    expect(lower(cluster, shape.neutral)).toEqual(shape.neutral);
    expect(lower(nomad, shape.neutral)).toEqual(shape.nomad);
  });

  test('is read in either', () => {
    expect(raise(shape.neutral)).toEqual(shape.neutral);
    expect(raise(shape.nomad)).toEqual(shape.neutral);
  });
});

test('what users named is theirs: nothing inside secrets, parameters, context and metadata is renamed', () => {
  for (const holder of ['Secrets', 'Parameters', 'Context', 'Meta']) {
    const value = {
      [holder]: { FsType: '1', FSType: '2', Version: '3', ProviderVersion: '4', Topologies: '5' },
    };
    expect(lower(nomad, value)).toEqual(value);
    expect(raise(value)).toEqual(value);
  }
});

test('boxes stay boxed on their way to the wire', () => {
  const lowered = lower(nomad, { Volumes: [{ Secrets: { user: secret }, FsType: secret }] });
  expect(holdsSecret(lowered)).toBe(true);
  expect(lowered).toEqual({ Volumes: [{ Secrets: { user: secret }, FSType: secret }] });
  expect(JSON.stringify(lowered)).not.toContain('canary');
});

test('empty places among topologies are none: a real server answers with them, and they are no drift', () => {
  expect(raise({ Topologies: [null, { Segments: { zone: 'a' } }] })).toEqual({ Topologies: [{ zone: 'a' }] });
});

test('what is undefined is left out: it would not be sent either', () => {
  expect(lower(nomad, { FsType: undefined, MountFlags: null })).toStrictEqual({ MountFlags: null });
});

/** A volume with whatever its users named, names that mean something to JavaScript included. */
const names = fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true });
const topologies = fc.option(fc.array(names, { maxLength: 3 }), { nil: null });
const volume = fc.record({
  Secrets: names,
  Parameters: names,
  Context: fc.option(names, { nil: null }),
  Meta: json,
  Topologies: topologies,
  RequestedTopologies: fc.option(fc.record({ Required: topologies, Preferred: topologies }), { nil: null }),
  MountOptions: fc.record({ FsType: text, MountFlags: fc.array(text, { maxLength: 2 }) }),
  Version: text,
});

test.for(Object.entries(schedulerDialects))(
  'what was sent in %s is read back as it was meant',
  ([, dialect]) => {
    fc.assert(
      fc.property(volume, (one) => {
        const body = { Volumes: [one] };
        expect(JSON.stringify(raise(lower(dialect, body)))).toBe(JSON.stringify(body));
      }),
    );
  },
);
