import { describe, expect, test } from 'vitest';
import { parseEnvelope } from '../../src/schema/parse.ts';

describe('parseEnvelope', () => {
  const kinds = [
    { kind: 'Disk', scope: 'Namespaced' },
    { kind: 'Hub', scope: 'Cluster' },
  ] as const;
  const disk = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', metadata: { name: 'a' }, spec: {} };
  const hub = { ...disk, kind: 'Hub' };

  test('names the object; a missing namespace is the default one', () => {
    expect(parseEnvelope(disk, kinds)).toStrictEqual({
      declaration: kinds[0],
      key: { kind: 'Disk', namespace: 'default', name: 'a' },
      annotations: {},
      labels: {},
      spec: {},
    });
    const named = {
      name: 'a',
      namespace: 'shop',
      labels: { app: 'x' },
      annotations: { 'holdfast.dev/rotate': '1' },
    };
    expect(parseEnvelope({ ...disk, metadata: named }, kinds)).toMatchObject({
      key: { kind: 'Disk', namespace: 'shop', name: 'a' },
      labels: { app: 'x' },
      annotations: { 'holdfast.dev/rotate': '1' },
    });
    expect(parseEnvelope(hub, kinds)).toMatchObject({ key: { kind: 'Hub', namespace: '', name: 'a' } });
  });

  test('what `kubectl get -o yaml` adds is accepted, so that an export can be committed as it is', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      generation: 3,
      selfLink: '',
      creationTimestamp: '2026-11-22T10:00:00Z',
      deletionTimestamp: '2026-11-22T10:00:00+01:00',
      deletionGracePeriodSeconds: 0,
      finalizers: ['holdfast.dev/finalizer'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true }],
      managedFields: [{ fieldsV1: { 'f:spec': { 'f:id': {} } } }],
    };
    expect(parseEnvelope({ ...disk, metadata }, kinds)).toHaveProperty('key');
  });

  test('the spec is handed on as it is, not copied: its identity is what parsing it again is saved by', () => {
    const parsed = parseEnvelope(disk, kinds);
    expect('spec' in parsed && parsed.spec).toBe(disk.spec);
  });

  test.for([{ uid: 'u1' }, { resourceVersion: '17' }, { creationTimestamp: '2026-01-01T00:00:00Z' }])(
    'a status that an API server printed is let in: what kubectl prints may be committed, tidied or not: %o',
    (set) => {
      const printed = { ...disk, metadata: { ...disk.metadata, ...set }, status: { conditions: [] } };
      expect(parseEnvelope(printed, kinds)).not.toHaveProperty('problems');
    },
  );

  test('a creation time of null is nobody’s print: kubectl writes it into what it generates', () => {
    const generated = { ...disk, metadata: { ...disk.metadata, creationTimestamp: null }, status: {} };
    expect(parseEnvelope(generated, kinds)).toHaveProperty('problems');
  });

  test.each([
    {
      document: null,
      says: ['/: expected a map with apiVersion, kind, metadata and spec, got null'],
      why: 'an empty document',
    },
    {
      document: 'x',
      says: ['/: expected a map with apiVersion, kind, metadata and spec, got "x"'],
      why: 'a text',
    },
    {
      document: [disk],
      says: ['/: expected a map with apiVersion, kind, metadata and spec, got a list'],
      why: 'a list of documents',
    },
    { document: {}, says: ['/kind: is required (one of Disk, Hub)'], why: 'no kind' },
    {
      document: { ...disk, kind: 'disk' },
      says: ['/kind: expected one of Disk, Hub (did you mean Disk?), got "disk"'],
      why: 'nearly a kind',
    },
    {
      document: { ...disk, kind: 'constructor' },
      says: ['/kind: expected one of Disk, Hub, got "constructor"'],
      why: 'not a kind',
    },
    {
      document: { ...disk, apiVersion: 'holdfast.dev/v1' },
      says: ['/apiVersion: expected holdfast.dev/v1alpha1, got "holdfast.dev/v1"'],
      why: 'another version',
    },
    {
      document: { ...disk, metadata: undefined },
      says: ['/metadata: is required (a map)'],
      why: 'no metadata',
    },
    {
      document: { ...disk, metadata: { name: 'A_b' } },
      says: ['/metadata/name: expected a DNS label: a-z, 0-9 and - inside, up to 63 characters, got "A_b"'],
      why: 'no DNS label',
    },
    {
      document: { ...disk, metadata: { name: 'a', namespace: '../b' } },
      says: [expect.stringMatching(/^\/metadata\/namespace: expected a namespace/)],
      why: 'a namespace that is a path',
    },
    {
      document: { ...hub, metadata: { name: 'a', namespace: 'b' } },
      says: ['/metadata/namespace: expected no namespace: objects of this kind are cluster-scoped, got "b"'],
      why: 'a namespace where there are none',
    },
    {
      document: { ...disk, status: { conditions: [] } },
      says: ['/status: expected no status (Holdfast keeps its own: remove it from the file), got a map'],
      why: 'a status written by hand',
    },
    {
      document: { ...disk, metadata: { generateName: 'a-', name: 'a' } },
      says: [expect.stringMatching(/^\/metadata\/generateName: expected no generateName/)],
      why: 'another name at every pass',
    },
    {
      document: { ...disk, metadata: { name: 'a', lables: {} } },
      says: ['/metadata/lables: unknown field "lables": did you mean "labels"?'],
      why: 'a typing mistake',
    },
    {
      document: { ...disk, sepc: {} },
      says: ['/sepc: unknown field "sepc": did you mean "spec"?'],
      why: 'a typing mistake at the top',
    },
    {
      document: { ...disk, metadata: { name: 'a', annotations: { 'holdfast.dev/x': 5 } } },
      says: ['/metadata/annotations/holdfast.dev~1x: expected text in quotes, got 5'],
      why: 'an annotation that is no text',
    },
    {
      document: { ...disk, metadata: { name: 'a', labels: { a: 'x'.repeat(64) } } },
      says: ['/metadata/labels/a: expected at most 63 characters, got 64 characters'],
      why: 'a long label',
    },
    {
      document: JSON.parse('{"kind":"Disk","metadata":{"name":"a","labels":{"__proto__":"x"}}}') as unknown,
      says: [expect.stringMatching(/^\/metadata\/labels: expected keys/)],
      why: 'a key that copying would drop',
    },
  ])('$why', ({ document, says }) => {
    const parsed = parseEnvelope(document, kinds);
    expect('problems' in parsed && parsed.problems.map((p) => p.message)).toStrictEqual(says);
  });
});
