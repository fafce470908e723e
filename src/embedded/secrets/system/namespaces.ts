// Namespaces (services.md#secrets-namespaces): parts of the service with their own mounts, policies and tokens. The
// keys of rows have full paths, so engines need not know about namespaces.
import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { defaultRules } from '../acl/capabilities.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import { keyIn, type NamespaceRow } from '../store/model.ts';
import { nothing } from '../http/replies.ts';
import type { State } from '../state.ts';

/** A path below a namespace; '' is the root namespace. */
export const within = (namespace: string, path: string): string =>
  namespace === '' ? path : `${namespace}/${path}`;

/** A path relative to a namespace; `undefined` if it lies outside. */
export function seenFrom(namespace: string, path: string): string | undefined {
  if (namespace === '') return path;
  if (path === namespace) return '';
  return path.startsWith(`${namespace}/`) ? path.slice(namespace.length + 1) : undefined;
}

/** The namespace that a header names. Slashes at its ends are ignored, and `root` is the root namespace. */
export function namespaceNamed(header: string): string {
  const name = header.replaceAll(/^\/+|\/+$/g, '');
  return name === 'root' ? '' : name;
}

export function namespaceOf(state: State, path: string): string {
  if (state.namespaces.size === 0) return '';
  const segments = path.split('/');
  for (let n = segments.length; n > 0; n -= 1) {
    const name = segments.slice(0, n).join('/');
    if (state.namespaces.get(name)) return name;
  }
  return '';
}

const reserved = ['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity'];

/** Adds a namespace, or replaces the metadata of an existing one. The parent must exist. @throws Refusal 400 */
export function addNamespace(
  state: State,
  parent: string,
  name: string,
  metadata: NamespaceRow['metadata'] = {},
): NamespaceRow {
  if (name === '') throw mistake('namespace name cannot be empty');
  if (name.includes('/')) throw mistake('namespace name cannot contain /');
  if (reserved.includes(name)) {
    throw mistake(`"${name}/" is a reserved path and cannot be used as a namespace name`);
  }
  if (!/^[\w.-]{1,128}$/.test(name)) throw mistake('a namespace name has letters, digits and ._- only');
  const path = within(parent, name);
  const old = state.namespaces.get(path);
  if (old) {
    const changed = { ...old, metadata };
    state.store.commit(state.namespaces.put(path, changed));
    return changed;
  }
  const taken = state.mounts.rows().find(([at]) => `${at}/`.startsWith(`${path}/`));
  if (taken) throw mistake(`new namespace conflicts with existing mount: ${taken[0]}/`);
  const row = { path, id: state.hex(3), uuid: state.uuid(), metadata };
  const policy = { namespace: path, name: 'default', rules: defaultRules };
  state.store.commit(state.namespaces.put(path, row), state.policies.put(keyIn(path, policy.name), policy));
  return row;
}

const nameIn = ({ params }: Call): string => (params['path'] ?? '').replaceAll(/^\/+|\/+$/g, '');

const at = (call: Call): string => within(call.namespace, nameIn(call));

export const namespaceRoutes = (state: State): readonly CallRoute[] => [
  route('/namespaces', { list: ({ namespace }) => list(state, namespace) }),
  route(
    '/namespaces/{path...}',
    {
      read(call) {
        const row = state.namespaces.get(at(call));
        if (!row) throw nothing();
        return state.reply({ data: shown(row) });
      },
      write(call) {
        const metadata = call.given().pairs('custom_metadata') ?? {};
        return state.reply({ data: shown(addNamespace(state, call.namespace, nameIn(call), metadata)) });
      },
      remove: (call) => remove(state, at(call)),
    },
    { exists: () => true },
  ),
];

const shown = ({ path, id, uuid, metadata }: NamespaceRow) => ({
  path: `${path}/`,
  id,
  uuid,
  tainted: false,
  locked: false,
  custom_metadata: metadata,
});

function list(state: State, namespace: string): Reply {
  const rows = state.namespaces.rows().flatMap(([path, row]): [string, NamespaceRow][] => {
    const name = seenFrom(namespace, path) ?? '';
    return name === '' || name.includes('/') ? [] : [[`${name}/`, row]];
  });
  if (rows.length === 0) throw nothing();
  const info = Object.fromEntries(rows.map(([name, row]) => [name, shown(row)]));
  return state.reply({ data: { keys: rows.map(([name]) => name), key_info: info } });
}

/** Deletes a namespace and everything in it. Refused if it has child namespaces. */
function remove(state: State, path: string): Reply {
  if (!state.namespaces.get(path)) {
    return state.reply({ warnings: ['requested namespace does not exist'] });
  }
  const isParent = state.namespaces.rows().some(([other]) => other.startsWith(`${path}/`));
  if (isParent) throw mistake('unable to delete namespace containing child namespaces');
  const mounts = state.mounts.rows().filter(([, { namespace }]) => namespace === path);
  const own = [state.policies, state.passwordPolicies, state.tokens].flatMap((shelf) =>
    shelf.rows().flatMap(([key, { namespace }]) => (namespace === path ? shelf.drop(key) : [])),
  );
  const drops = mounts.flatMap(([mount]) => state.dropsOf(mount));
  state.store.commit(state.namespaces.drop(path), ...drops, ...own);
  return state.reply({ data: { status: 'in-progress' } });
}
