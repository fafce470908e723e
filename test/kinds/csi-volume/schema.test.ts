import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';

const created: Spec = {
  connectionRef: { name: 'production' },
  pluginID: 'ebs',
  capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
  create: { capacity: { min: '10Gi' } },
};
const { create: _create, ...common } = created;
const registered: Spec = { ...common, register: { externalID: 'vol-1' }, deletionPolicy: 'Deregister' };

/** Every field that there is. */
const full: Spec = {
  ...created,
  externalName: 'app-data',
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Delete',
  replacePolicy: 'WhenUnused',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/topology'] },
  suspend: false,
  create: {
    capacity: { min: 10_737_418_240, max: '20Gi' },
    parameters: { type: 'gp3' },
    snapshotID: 'snap-1',
  },
  mountOptions: { fsType: 'ext4', mountFlags: ['noatime'] },
  secrets: { 'user.name': { name: 'csi', key: 'user' } },
  topology: { required: [{ 'topology.ebs.csi.aws.com/zone': 'eu-1a' }], preferred: [{ zone: 'eu-1a' }] },
};

const said = (spec: unknown): readonly string[] => {
  const checked = validate(declaration, { spec });
  return 'problems' in checked ? checked.problems.map((p) => p.message) : [];
};
const entries = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  for (const spec of [created, registered, full]) {
    expect(said(spec)).toStrictEqual([]);
    expect(validate(declaration, { spec })).toStrictEqual({ spec });
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const capability = created.capabilities[0];
describe('what is wrong is refused by both, at its place', () => {
  test.each([
    {
      spec: common,
      says: '/spec: exactly one of create and register is needed, got none',
      why: 'neither source of a disk',
    },
    {
      spec: { ...created, register: { externalID: 'x' } },
      says: '/spec: exactly one of create and register is needed, got create and register',
      why: 'both sources of a disk',
    },
    {
      spec: { ...registered, deletionPolicy: 'Delete' },
      says: '/spec/deletionPolicy: a registered disk was not made by Holdfast',
      why: 'deleting what is not ours',
    },
    {
      spec: { ...created, create: { capacity: { min: '10Gi', max: '10G' } } },
      says: '/spec/create/capacity/max: must not be smaller than min',
      why: 'G is less than Gi',
    },
    {
      spec: { ...created, create: { capacity: { min: 2, max: 1 } } },
      says: '/spec/create/capacity/max: must not be smaller',
      why: 'plain numbers are compared too',
    },
    {
      spec: { ...created, create: { capacity: { min: '1Ki', max: 1023 } } },
      says: '/spec/create/capacity/max: must not be smaller',
      why: 'both forms are compared',
    },
    { spec: { ...created, create: {} }, says: '/spec/create/capacity: is required', why: 'no size' },
    {
      spec: { ...created, connectionRef: undefined },
      says: '/spec/connectionRef: is required',
      why: 'no connection',
    },
    {
      spec: { ...created, connectionRef: { name: 'a', namespace: 'b' } },
      says: '/spec/connectionRef/namespace: unknown field',
      why: 'a namespace in a reference',
    },
    {
      spec: { ...created, capabilities: [] },
      says: '/spec/capabilities: expected at least 1 entry',
      why: 'no capability',
    },
    {
      spec: { ...created, capabilities: Array.from({ length: 11 }, () => capability) },
      says: '/spec/capabilities: expected at most 10 entries',
      why: 'too many capabilities',
    },
    {
      spec: { ...created, capabilities: [{ accessMode: 'RWX', attachmentMode: 'file-system' }] },
      says: '/spec/capabilities/0/accessMode: expected one of single-node-reader-only, single-node-writer, multi-node-reader-only, multi-node-single-writer, multi-node-multi-writer, got "RWX"',
      why: 'the words of Kubernetes',
    },
    {
      spec: { ...created, pluginID: '' },
      says: '/spec/pluginID: expected one line of 1 to 128',
      why: 'no plugin',
    },
    { spec: { ...created, pluginID: 'a\nb' }, says: '/spec/pluginID: expected one line', why: 'two lines' },
    {
      spec: { ...created, externalName: '../other' },
      says: '/spec/externalName: expected a name',
      why: 'a path in a URL',
    },
    {
      spec: { ...created, capasities: [] },
      says: '/spec/capasities: unknown field "capasities": did you mean "capabilities"?',
      why: 'a typing mistake',
    },
    {
      spec: { ...created, secrets: { 'a,b': { name: 'x', key: 'y' } } },
      says: '/spec/secrets/a,b: expected a key of letters',
      why: 'a comma would end the header entry',
    },
    {
      spec: { ...created, secrets: { 'a=b': { name: 'x', key: 'y' } } },
      says: '/spec/secrets/a=b: expected a key of letters',
      why: 'an equals sign would end the key',
    },
    {
      spec: { ...created, secrets: { a: 'hunter2' } },
      says: '/spec/secrets/a: expected a map, got text',
      why: 'a value where a reference belongs, not repeated',
    },
    {
      spec: { ...created, secrets: { a: { namespace: 'b', name: 'x', key: 'y' } } },
      says: '/spec/secrets/a/namespace: unknown field',
      why: "another tenant's secret",
    },
    {
      spec: { ...created, create: { capacity: { min: 1 }, parameters: entries(33) } },
      says: '/spec/create/parameters: expected at most 32 entries',
      why: 'too many parameters',
    },
    {
      spec: { ...created, create: { capacity: { min: 1 }, parameters: { ['k'.repeat(129)]: '' } } },
      says: ': expected a key of 1 to 128 characters',
      why: 'a long key',
    },
    {
      spec: { ...created, create: { capacity: { min: 1 }, parameters: { '': '' } } },
      says: '/spec/create/parameters/: expected a key',
      why: 'an empty key',
    },
    {
      spec: {
        ...created,
        create: { capacity: { min: 1 }, parameters: JSON.parse('{"__proto__":"x"}') as unknown },
      },
      says: '/spec/create/parameters: expected keys',
      why: 'a key that copying would drop',
    },
    {
      spec: { ...created, create: { capacity: { min: 1 }, parameters: { a: 'v'.repeat(1025) } } },
      says: '/spec/create/parameters/a: expected at most 1024',
      why: 'a long value',
    },
    {
      spec: { ...created, topology: { required: Array.from({ length: 17 }, () => ({})) } },
      says: '/spec/topology/required: expected at most 16',
      why: 'too many topologies',
    },
    {
      spec: { ...created, topology: { required: [{ Segments: { zone: 'a' } }] } },
      says: '/spec/topology/required/0/Segments: expected text, got a map',
      why: 'the shape that one scheduler has on the wire',
    },
    {
      spec: { ...created, drift: { interval: '10' } },
      says: '/spec/drift/interval: expected a duration',
      why: 'no unit',
    },
    {
      spec: { ...created, drift: { mode: 'Correct', interval: '0s' } },
      says: '/spec/drift/interval: expected a duration',
      why: 'a busy loop',
    },
    {
      spec: { ...created, deletionPolicy: 'Orphan' },
      says: '/spec/deletionPolicy: expected one of Retain, Deregister, Delete',
      why: "another operator's word",
    },
    {
      spec: { ...created, deletionPolicy: 'delete' },
      says: '/spec/deletionPolicy: expected one of Retain, Deregister, Delete (did you mean Delete?), got "delete"',
      why: 'a word of ours in another case',
    },
    { spec: { ...created, suspend: 'true' }, says: '/spec/suspend: expected true or false', why: 'quoted' },
    {
      spec: { ...created, create: null },
      says: '/spec/create: expected a map, got null',
      why: 'a key with nothing below it',
    },
  ])('$why', ({ spec, says }) => {
    const bare = Object.fromEntries(Object.entries(spec).filter(([, held]) => held !== undefined));
    expect(said(bare).join('\n')).toContain(says);
    expect(verdicts(declaration, bare)).toStrictEqual({ parser: false, crd: false });
  });
});

testAgreement(declaration, [full, registered]);

test('references are the connection and each secret, by the names that the plugin knows', () => {
  const key = { kind: 'CSIVolume', namespace: 'shop', name: 'data' };
  expect(referencesIn(declaration.references, full, key)).toStrictEqual([
    {
      to: 'object',
      field: '/connectionRef',
      target: { kind: 'SchedulerConnection', namespace: '', name: 'production' },
      holds: true,
    },
    {
      to: 'secret',
      field: '/secrets/user.name',
      target: { kind: 'Secret', namespace: 'shop', name: 'csi' },
      entry: 'user',
    },
  ]);
});
