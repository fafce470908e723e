import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { registry } from '../../../src/kinds/registry.ts';
import { crdFiles, crdYaml } from '../../../src/schema/crd/crd-files.ts';
import { crd } from '../../../src/schema/crd/crd.ts';
import type { Declaration } from '../../../src/schema/declaration.ts';
import { at, listAt, structuralFaults, undescribed, type Node } from '../structural.ts';

const declarations: readonly Declaration[] = registry.map(({ declaration }) => declaration);

const schemaOf = (declaration: Declaration): Node =>
  at(crd(declaration), 'spec', 'versions', 0, 'schema', 'openAPIV3Schema');

describe.each(declarations.map((declaration) => ({ declaration, kind: declaration.kind })))(
  '$kind',
  ({ declaration }) => {
    test('has a structural, bounded schema: the API server refuses or weakens any other', () => {
      const { apiVersion, kind, metadata, ...ours } = at(schemaOf(declaration), 'properties');
      expect([apiVersion, kind, metadata]).toStrictEqual([
        { type: 'string' },
        { type: 'string' },
        { type: 'object' },
      ]);
      expect(structuralFaults({ ...schemaOf(declaration), properties: ours })).toStrictEqual([]);
    });

    test('describes every field of the spec: the reference pages are made of it', () => {
      expect(undescribed(at(schemaOf(declaration), 'properties', 'spec'))).toStrictEqual([]);
    });

    test('carries every rule, with a message of one line', () => {
      const rules = listAt(schemaOf(declaration), 'properties', 'spec', 'x-kubernetes-validations');
      expect(rules).toHaveLength(
        declaration.rules.length +
          Object.entries(declaration.fields).filter(
            ([pointer, { change }]) =>
              pointer !== '/externalName' && (change === 'identity' || change === 'replace'),
          ).length,
      );
      for (const rule of rules) expect(rule['message']).toMatch(/^[^\n]{5,}$/);
    });

    test('has conditions that two writers can share, and a status subresource', () => {
      const conditions = at(schemaOf(declaration), 'properties', 'status', 'properties', 'conditions');
      expect(conditions).toMatchObject({
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
      });
      expect(at(crd(declaration), 'spec', 'versions', 0, 'subresources')).toStrictEqual({ status: {} });
    });

    test('shows the same columns at the same places as every other kind, in names without spaces, as scripts cut them', () => {
      const columns = listAt(crd(declaration), 'spec', 'versions', 0, 'additionalPrinterColumns');
      const names = columns.map((column) => column['name']);
      const spec = at(schemaOf(declaration), 'properties', 'spec', 'properties');
      const managed = 'drift' in spec ? ['Drift', 'External-Name'] : [];
      expect(names.slice(0, 2 + managed.length)).toStrictEqual(['Ready', 'Synced', ...managed]);
      expect(names.slice(-2)).toStrictEqual(['Reason', 'Age']);
      for (const name of names) expect(name).toMatch(/^[A-Z][-A-Za-z]*$/);
      // Wide columns stand beside one another.
      const wide = columns.map(({ priority }) => (priority === 1 ? 'w' : '-')).join('');
      expect(wide).toMatch(/^-{4,}w+-$/);
    });

    test('a new object has a status that says that nothing was reconciled yet: else kstatus calls it Current', () => {
      const status = at(schemaOf(declaration), 'properties', 'status');
      expect(status).toMatchObject({
        default: { observedGeneration: -1 },
        properties: { observedGeneration: { minimum: -1 } },
      });
      expect(status).not.toHaveProperty('required'); // the default would not be valid
    });

    test('is the file that is committed, and that file says how it is made', () => {
      const [[name, text] = ['', '']] = crdFiles([declaration]);
      expect(name).toBe(`${declaration.plural}.holdfast.dev.yaml`);
      expect(readFileSync(new URL(`../../../crds/${name}`, import.meta.url), 'utf8')).toBe(text);
      expect(text).toMatch(/^# Generated from .* by `npm run crds`/);
      expect(parse(text)).toStrictEqual(crd(declaration));
      expect(crdYaml(declaration)).toBe(text);
    });
  },
);

test('what field selectors may name is what its kind has, and nothing else', () => {
  const selectable = Object.fromEntries(
    declarations.map((declaration) => {
      const version = at(crd(declaration), 'spec', 'versions', 0);
      const fields = 'selectableFields' in version ? listAt(version, 'selectableFields') : [];
      return [declaration.kind, fields.map(({ jsonPath }) => jsonPath)];
    }),
  );
  expect(selectable).toMatchObject({
    SchedulerConnection: [],
    CSIVolume: ['.spec.connectionRef.name', '.spec.pluginID'],
    LDAPConfig: ['.spec.connectionRef.name'],
    LDAPStaticRole: ['.spec.configRef.name'],
  });
});

test('what only a cluster keeps in a status is not pruned: intents, approvals, and on connections who left them', () => {
  const keeping = declarations.filter((declaration) => {
    const fields = at(schemaOf(declaration), 'properties', 'status', 'properties');
    expect(fields).toHaveProperty('intent');
    expect(fields).toHaveProperty('approved');
    return 'recentDeletions' in fields;
  });
  expect(keeping.map(({ kind }) => kind)).toStrictEqual(['SchedulerConnection', 'SecretsConnection']);
});

test('no file in crds is left from a kind that is gone', () => {
  const files = readdirSync(new URL('../../../crds', import.meta.url));
  expect(files.filter((name) => name.endsWith('.yaml')).toSorted()).toStrictEqual(
    [...crdFiles(declarations).keys()].toSorted(),
  );
});

describe('a rule that the API server would refuse is refused here', () => {
  const text = z.string().max(4).describe('Text.');
  const base: Declaration = {
    kind: 'Disk',
    plural: 'disks',
    shortNames: [],
    scope: 'Namespaced',
    description: 'A disk.',
    spec: z
      .strictObject({ id: text, namespace: text, inner: z.strictObject({ a: text }).describe('Inner.') })
      .describe('A disk.'),
    fields: {},
    references: [],
    rules: [],
    columns: [],
  };

  test.each([
    {
      more: { rules: [{ rule: "self.inner.b == ''", message: 'm' }] },
      says: 'there is no field inner.b',
      why: 'a field that is not there',
    },
    {
      more: { rules: [{ rule: 'has(self.constructor)', message: 'm' }] },
      says: 'there is no field constructor',
      why: 'an inherited name',
    },
    {
      more: { rules: [{ rule: 'self.id == oldSelf.ID', message: 'm' }] },
      says: 'there is no field ID',
      why: 'a misspelt field of the old spec',
    },
    {
      more: { rules: [{ rule: "self.id == ''", message: 'm', fieldPath: '.inner.b' }] },
      says: 'there is no field inner.b',
      why: 'a field path that leads nowhere',
    },
    {
      more: { rules: [{ rule: "self.namespace == ''", message: 'm' }] },
      says: 'namespace is a reserved word',
      why: 'a name that Kubernetes escapes',
    },
    {
      more: { fields: { '/inner/b': { change: 'identity' } } },
      says: 'there is no field inner.b',
      why: 'a row of the field table without a field',
    },
  ] as const)('$why', ({ more, says }) => {
    expect(() => crd(base)).not.toThrow();
    expect(() => crd({ ...base, ...more })).toThrow(says);
  });
});
