// Who may do what: the roles beside docs/kubernetes.md and beside the kinds. One that is missing stops the operator; one too
// many is what an attacker finds.
import { describe, expect, test } from 'vitest';
import { commonRequests } from '../../src/core/source/request.ts';
import { registry } from '../../src/kinds/registry.ts';
import { group } from '../../src/schema/declaration.ts';
import { connections, grants, managed, table, the, documents } from './documents.ts';
import { gated } from './gated.ts';
import * as z from 'zod';

/** `each kind/status` → that of every kind. */
function resources(api: string, cell: string): readonly string[] {
  return cell.split(', ').flatMap((one) => {
    const [resource = '', name] = one.split(' named ');
    const suffix = /\/\w+$/.exec(resource)?.[0] ?? '';
    if (resource.startsWith('each kind')) return [...managed, ...connections].map((kind) => kind + suffix);
    if (resource.startsWith('each managed kind')) return managed.map((kind) => kind + suffix);
    if (resource.startsWith('each connection')) return connections.map((kind) => kind + suffix);
    return [`${api === 'core' ? '' : api}/${resource}${name === undefined ? '' : `/${name}`}`];
  });
}

test('Holdfast may do what the documentation says, and nothing else', () => {
  const documented = table('Permissions').flatMap(([api = '', cell = '', verbs = '']) =>
    resources(api, cell).flatMap((resource) => verbs.split(' ').map((verb) => `${resource} ${verb}`)),
  );
  const granted = [
    ...grants('ClusterRole', 'holdfast'),
    ...grants('ClusterRole', 'holdfast-connections'),
    ...grants('Role', 'holdfast-lease'),
    ...grants('ClusterRole', 'holdfast-workloads'),
    ...grants('ClusterRole', 'holdfast-namespace-shop'),
  ];
  expect(granted.toSorted()).toEqual([...new Set(documented)].toSorted());
});

test('what is bound in chosen namespaces is about nothing but them', () => {
  const own = grants('ClusterRole', 'holdfast');
  expect(own.filter((grant) => connections.some((one) => grant.startsWith(one)))).toEqual([]);
  const everywhere = grants('ClusterRole', 'holdfast-connections').filter(
    (grant) => !connections.some((one) => grant.startsWith(one)),
  );
  expect(everywhere).toEqual([
    'authentication.k8s.io/tokenreviews create',
    'authorization.k8s.io/subjectaccessreviews create',
  ]);
  expect(grants('Role', 'holdfast-connections')).toEqual(['/secrets get']);
  expect(grants('Role', 'holdfast-events')).toEqual([
    'events.k8s.io/events create',
    'events.k8s.io/events patch',
  ]);
});

const each = (kinds: readonly string[], verbs: readonly string[]): readonly string[] =>
  kinds.flatMap((kind) => verbs.map((verb) => `${kind} ${verb}`)).toSorted();
const has = (role: string) => grants('ClusterRole', role).toSorted();

describe('people', () => {
  test.for(['view', 'edit', 'admin'])('who has %s has ours: Kubernetes adds it by a label', (name) => {
    const { metadata } = documents('base').find((one) => one.metadata.name === `holdfast-${name}`) ?? {};
    expect(metadata?.labels).toEqual({
      [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true',
    });
  });

  test('view reads every kind', () => {
    expect(has('holdfast-view')).toEqual(each([...managed, ...connections], ['get', 'list', 'watch']));
  });

  test('edit changes every kind but connections: these say what a tenant may use', () => {
    const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];
    expect(has('holdfast-edit')).toEqual(each(managed, verbs));
  });

  test('admin makes every request of a kind that needs a verb, and writes no status', () => {
    const asked = registry
      .filter(({ kind }) => kind.connectionField !== undefined)
      .flatMap(({ kind, declaration }) =>
        [...commonRequests, ...kind.requests]
          .filter(({ name }) => gated.includes(name))
          .map(({ name }) => `${group}/${declaration.plural} ${name}`),
      );
    expect(has('holdfast-admin')).toEqual(asked.toSorted());
  });

  test('an administrator of connections approves on them, and writes no status', () => {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'approve', 'force-orphan'];
    expect(has('holdfast-connection-admin')).toEqual(each(connections, verbs));
  });

  test.for([
    ['metrics', ['/metrics']],
    ['status', ['/', '/assets/*', '/events', '/objects/*', '/unmanaged']],
  ] as const)('a reader of %s reads paths, and no object', ([name, nonResourceURLs]) => {
    const rules = z.array(
      z.strictObject({ nonResourceURLs: z.array(z.string()), verbs: z.array(z.string()) }),
    );
    expect(the('ClusterRole', `holdfast-${name}-reader`, z.looseObject({ rules })).rules).toEqual([
      { nonResourceURLs, verbs: ['get'] },
    ]);
  });
});
