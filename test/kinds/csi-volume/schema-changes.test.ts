import { describe, expect, test } from 'vitest';
import { declaration, type Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { validate } from '../../../src/schema/parse.ts';
import { metadata, verdicts } from '../../schema/verdicts.ts';

const common = {
  connectionRef: { name: 'production' },
  pluginID: 'ebs',
  capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
} satisfies Partial<Spec>;
const created: Spec = { ...common, create: { capacity: { min: '10Gi' } } };
const registered: Spec = { ...common, register: { externalID: 'vol-1' } };

const said = (spec: unknown, old: unknown): readonly string[] => {
  const checked = validate(declaration, { metadata, spec }, old);
  return 'problems' in checked ? checked.problems.map((p) => p.message) : [];
};

describe('what may change, by the parser and by the CRD', () => {
  const change = (more: object): unknown => ({ ...created, ...more });
  const max = { ...created, create: { capacity: { min: '10Gi', max: '20Gi' } } };
  test.each([
    { old: created, spec: created, says: [], why: 'nothing' },
    {
      old: created,
      spec: { ...max, capabilities: [] as unknown[] },
      says: ['/spec/capabilities: expected at least 1 entry, got 0 entries'],
      why: 'shape first',
    },
    { old: created, spec: max, says: [], why: 'a largest size may come later' },
    {
      old: created,
      spec: change({ create: { capacity: { min: '20Gi' } }, mountOptions: { fsType: 'xfs' } }),
      says: [],
      why: 'growth and mount options, in place',
    },
    {
      old: created,
      spec: change({ create: { capacity: { min: '10Gi' }, snapshotID: 'x' } }),
      says: [],
      why: 'read when creating only',
    },
    {
      old: created,
      spec: change({ connectionRef: { name: 'other' } }),
      says: ['/spec/connectionRef: never changes; declare another object instead'],
      why: 'another scheduler',
    },
    {
      old: created,
      spec: change({ externalName: 'other' }),
      says: ['/spec/externalName: never changes; declare another object instead'],
      why: 'another name',
    },
    {
      old: created,
      spec: change({ externalName: metadata.name }),
      says: [],
      why: 'the default name, spelt out',
    },
    {
      old: change({ externalName: metadata.name }),
      spec: created,
      says: [],
      why: 'the default name, left out again',
    },
    {
      old: change({ externalName: 'other' }),
      spec: created,
      says: ['/spec/externalName: never changes; declare another object instead'],
      why: 'back to the default name',
    },
    {
      old: created,
      spec: change({ externalName: 'x', replacePolicy: 'WhenUnused' }),
      says: ['/spec/externalName: never changes; declare another object instead'],
      why: 'another name, replacing allowed',
    },
    {
      old: created,
      spec: change({ pluginID: 'other' }),
      says: [expect.stringMatching(/^\/spec\/pluginID: .*replacePolicy: WhenUnused/)],
      why: 'another plugin',
    },
    {
      old: created,
      spec: change({ pluginID: 'other', replacePolicy: 'WhenUnused' }),
      says: [],
      why: 'another plugin, replacing allowed',
    },
    {
      old: created,
      spec: change({ topology: { required: [{ zone: 'a' }] } }),
      says: [expect.stringMatching(/^\/spec\/topology\/required: /)],
      why: 'another topology',
    },
    {
      old: created,
      spec: change({ topology: { preferred: [{ zone: 'a' }] } }),
      says: [],
      why: 'another preference, which replaces nothing',
    },
    {
      old: created,
      spec: change({ create: { capacity: { min: '10Gi' }, parameters: { a: 'b' } } }),
      says: [expect.stringMatching(/^\/spec\/create\/parameters: /)],
      why: 'other parameters',
    },
    {
      old: registered,
      spec: { ...registered, register: { externalID: 'vol-2' } },
      says: [expect.stringMatching(/^\/spec\/register\/externalID: /)],
      why: 'another disk',
    },
    {
      old: { ...created, replacePolicy: 'WhenUnused' },
      spec: { ...registered, replacePolicy: 'WhenUnused' },
      says: ["/spec: create and register can't be exchanged"],
      why: 'another source, even with replacing allowed',
    },
  ])('$why', ({ old, spec, says }) => {
    expect(said(spec, old)).toStrictEqual(says);
    expect(verdicts(declaration, spec, old)).toStrictEqual({
      parser: says.length === 0,
      crd: says.length === 0,
    });
  });
});
