// CSISnapshot: what may be declared, with the same verdict from the parser and from the CRD.
import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { referencesIn } from '../../../src/schema/references.ts';
import { testAgreement, verdicts } from '../../schema/verdicts.ts';
import { declared, key, named, ofVolume, withSecrets } from './situation.ts';

/** Every field that goes together. */
const full: Spec = {
  ...ofVolume,
  externalName: 'orders.nightly_1',
  managementPolicy: 'Full',
  adoptionPolicy: 'AdoptIfIdentical',
  deletionPolicy: 'Delete',
  drift: { mode: 'Correct', interval: '10m', ignore: ['/parameters'] },
  suspend: false,
  parameters: { tier: 'cold' },
  secrets: { key: { name: 'ebs', key: 'key' } },
};

const said = (spec: unknown, old?: unknown): string => {
  const checked = validate(declaration, { spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message).join('\n') : '';
};

test('what people declare is accepted as it is, by the parser and by the CRD', () => {
  for (const spec of [declared, ofVolume, named, withSecrets, full]) {
    expect(said(spec)).toBe('');
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: true, crd: true });
  }
});

const one = '/spec: exactly one of volumeRef, volumeID and snapshotID is needed';
const plugin = '/spec/pluginID: is needed with volumeID and snapshotID';
const { connectionRef } = declared;

describe('what can not be taken is refused by both, at its place', () => {
  test.for<{ why: string; spec: object; says: string }>([
    { why: 'of nothing', spec: { connectionRef }, says: one },
    { why: 'of two volumes', spec: { ...ofVolume, volumeRef: { name: 'orders' } }, says: one },
    { why: 'what exists already', spec: { ...ofVolume, snapshotID: 'snap-1' }, says: one },
    { why: 'by nobody knows which plugin', spec: { connectionRef, volumeID: 'legacy' }, says: plugin },
    {
      why: 'by another plugin than that of its volume',
      spec: { ...declared, pluginID: 'ebs' },
      says: plugin,
    },
    {
      why: 'in a way that is over',
      spec: { ...named, parameters: { tier: 'cold' } },
      says: '/spec/parameters: are for a snapshot that is taken',
    },
    {
      why: 'without a disk, there is no registration to keep it by',
      spec: { ...declared, deletionPolicy: 'Deregister' },
      says: '/spec/deletionPolicy: expected',
    },
    {
      why: 'a second time',
      spec: { ...declared, replacePolicy: 'WhenUnused' },
      says: '/spec/replacePolicy: unknown field',
    },
    {
      why: 'of a volume of another namespace',
      spec: { ...declared, volumeRef: { name: 'orders', namespace: 'bank' } },
      says: '/spec/volumeRef/namespace: unknown field',
    },
    {
      why: 'with a secret that no header holds',
      spec: { ...declared, secrets: { 'a,b': { name: 'ebs', key: 'key' } } },
      says: 'a key of letters, digits, -, _ and .',
    },
  ])('$why', ({ spec, says }) => {
    expect(said(spec)).toContain(says);
    expect(verdicts(declaration, spec)).toStrictEqual({ parser: false, crd: false });
  });
});

test.for<{ path: string; old: Spec; spec: Spec }>([
  { path: '/spec/connectionRef', old: declared, spec: { ...declared, connectionRef: { name: 'other' } } },
  { path: '/spec/externalName', old: declared, spec: { ...declared, externalName: 'other' } },
  { path: '/spec/volumeRef', old: declared, spec: { ...declared, volumeRef: { name: 'other' } } },
  { path: '/spec/volumeRef', old: declared, spec: ofVolume },
  { path: '/spec/volumeID', old: ofVolume, spec: { ...ofVolume, volumeID: 'other' } },
  { path: '/spec/snapshotID', old: named, spec: { ...named, snapshotID: 'other' } },
  { path: '/spec/snapshotID', old: declared, spec: named },
  { path: '/spec/pluginID', old: ofVolume, spec: { ...ofVolume, pluginID: 'other' } },
  { path: '/spec/parameters', old: declared, spec: { ...declared, parameters: { a: 'b' } } },
  { path: '/spec/parameters', old: { ...declared, parameters: { a: 'b' } }, spec: declared },
])('what identifies it never changes: $path', ({ path, old, spec }) => {
  expect(said(spec, old)).toContain(`${path}: never changes`);
  expect(verdicts(declaration, spec, old)).toStrictEqual({ parser: false, crd: false });
});

test('policies and secrets do change: a Secret may move', () => {
  const { parameters: _parameters, ...rest } = full;
  expect(
    said(
      { ...rest, volumeID: 'legacy', deletionPolicy: 'Retain' },
      { ...ofVolume, externalName: 'orders.nightly_1' },
    ),
  ).toBe('');
  expect(said({ ...declared, secrets: { key: { name: 'other', key: 'key' } } }, withSecrets)).toBe('');
});

testAgreement(declaration, [full, declared, named]);

test('its volume waits for it until it is taken, and it does not need that any more then', () => {
  expect(referencesIn(declaration.references, withSecrets, key)).toStrictEqual([
    {
      to: 'object',
      field: '/connectionRef',
      target: { kind: 'SchedulerConnection', namespace: '', name: 'production' },
      holds: true,
    },
    {
      to: 'object',
      field: '/volumeRef',
      target: { kind: 'CSIVolume', namespace: 'shop', name: 'orders' },
      holds: 'until-made',
      optional: true,
    },
    {
      to: 'secret',
      field: '/secrets/key',
      target: { kind: 'Secret', namespace: 'shop', name: 'ebs' },
      entry: 'key',
    },
  ]);
});
