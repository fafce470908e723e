// The mount table: mounts, unmounts and lists engines and login methods (services.md#mounts-and-policies).
import { mistake } from '../http/mistake.ts';
import type { Reply } from '../../http/server.ts';
import { touches } from '../acl/capabilities.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import type { MountRow } from '../store/model.ts';
import { namespaceOf, seenFrom, within } from './namespaces.ts';
import { permissionDenied } from '../http/replies.ts';
import type { State } from '../state.ts';

/** Types of login methods, mounted under `auth/`; other types are engines. */
export const authTypes = ['approle', 'kubernetes', 'jwt', 'oidc'] as const;
const engineTypes = ['ldap', 'openldap', 'keymgmt'] as const;
const isIn = (list: readonly string[], type: string): boolean => list.includes(type);

export function mountOf(state: State, path: string): MountRow | undefined {
  const segments = path.split('/');
  for (let n = segments.length; n > 0; n -= 1) {
    const mount = state.mounts.get(segments.slice(0, n).join('/'));
    if (mount) return mount;
  }
  return undefined;
}

/** The path of a mount relative to its namespace. */
const pathOf = ({ path, namespace = '' }: MountRow): string => seenFrom(namespace, path) ?? path;
export const isAuth = (mount: MountRow): boolean => pathOf(mount).startsWith('auth/');

/** `path` is relative to the namespace. */
export interface MountSpec {
  readonly namespace: string;
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

export function addMount(state: State, { namespace, path, type, description }: MountSpec): MountRow {
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(path) || path.length > 255) throw mistake('invalid mount path');
  if (/^(sys|auth\/token)(\/|$)/.test(path) || path === 'auth') {
    throw mistake(`path is already in use at ${path.replace(/^auth\//, '')}/`);
  }
  if (type === '') throw mistake('backend type must be specified as a string');
  const isLacking = type === 'keymgmt' && !state.switches.keyManagement;
  if (isLacking || !isIn(path.startsWith('auth/') ? authTypes : engineTypes, type)) {
    throw mistake(`plugin not found in the catalog: ${type.slice(0, 100)}`);
  }
  const whole = within(namespace, path);
  if (namespaceOf(state, whole) !== namespace) {
    throw mistake(`existing mount at ${whole}/auth/token/`);
  }
  for (const [at, row] of state.mounts.rows()) {
    if (`${whole}/`.startsWith(`${at}/`) || at.startsWith(`${whole}/`)) {
      throw mistake(`path is already in use at ${pathOf(row).replace(/^auth\//, '')}/`);
    }
  }
  const mount = {
    ...(namespace !== '' && { namespace }),
    path: whole,
    type,
    description,
    accessor: `${type}_${state.hex(4)}`,
    uuid: state.uuid(),
  };
  state.store.commit(...state.dropsOf(whole), state.mounts.put(whole, mount));
  return mount;
}

const shown = ({ type, description, accessor, uuid }: MountRow) => ({
  type,
  description,
  accessor,
  uuid,
  config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
  options: null,
  local: false,
  seal_wrap: false,
  external_entropy_access: false,
  plugin_version: '',
});

const trimmed = (path: string | undefined): string => (path ?? '').replaceAll(/^\/+|\/+$/g, '');

/** The two tables: engines, and login methods. */
const tables = {
  mounts: { prefix: '', missing: 'No secret engine mount at' },
  auth: { prefix: 'auth/', missing: 'No auth engine at' },
} as const;

export const mountRoutes = (state: State): readonly CallRoute[] => [
  ...tableRoutes(state, 'mounts'),
  ...tableRoutes(state, 'auth'),
  route('/internal/ui/mounts/{mount...}', { read: (call) => visibleMount(state, call) }, { needs: 'token' }),
];

function tableRoutes(state: State, name: keyof typeof tables): readonly CallRoute[] {
  const { prefix, missing } = tables[name];
  const isHere = (mount: MountRow) => isAuth(mount) === (prefix !== '');
  const at = ({ namespace, params }: Pick<Call, 'namespace' | 'params'>): string =>
    within(namespace, `${prefix}${trimmed(params['mount'])}`);
  return [
    route(`/${name}`, {
      read({ namespace }) {
        const rows = state.mounts
          .rows()
          .flatMap(([, row]) => (isHere(row) && (row.namespace ?? '') === namespace ? row : []));
        return state.replyTwice(
          Object.fromEntries(rows.map((row) => [`${pathOf(row).slice(prefix.length)}/`, shown(row)])),
        );
      },
    }),
    route(
      `/${name}/{mount...}`,
      {
        read(call) {
          const mount = state.mounts.get(at(call));
          if (!mount || !isHere(mount)) throw mistake(`${missing} ${trimmed(call.params['mount'])}/`);
          return state.replyTwice(shown(mount));
        },
        write(call) {
          const given = call.given();
          addMount(state, {
            namespace: call.namespace,
            path: `${prefix}${trimmed(call.params['mount'])}`,
            type: given.text('type') ?? '',
            description: given.text('description') ?? '',
          });
          return state.done();
        },
        remove: (call) =>
          state.mutex.take(at(call), () => {
            const mount = state.mounts.get(at(call));
            if (mount && isHere(mount)) state.store.commit(...state.dropsOf(mount.path));
            return state.done();
          }),
      },
      { exists: () => true },
    ),
  ];
}

/** Allowed for any token with a right below the mount. A missing mount is reported like a forbidden one. */
function visibleMount(state: State, { namespace, params, token }: Call): Reply {
  const mount = mountOf(state, within(namespace, trimmed(params['mount'])));
  const seen = mount && seenFrom(token.namespace ?? '', mount.path);
  if (seen === undefined || !mount || !touches(state.policiesOf(token), seen)) {
    throw permissionDenied(state.behaviour);
  }
  // In its own namespace without `auth/`, as the real one has it; seen from another one, whole.
  const isOwn = (mount.namespace ?? '') === namespace;
  const path = isOwn ? pathOf(mount).replace(/^auth\//, '') : mount.path;
  return state.reply({ data: { ...shown(mount), path: `${path}/` } });
}
