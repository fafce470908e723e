// The mount table: what is mounted where, and how a mount comes and goes (wire.md 3.3).
import type { Reply } from '../http.ts';
import { touches } from './acl.ts';
import { route, type Call, type CallRoute } from './calls.ts';
import type { MountRow } from './model.ts';
import { mistake, permissionDenied } from './replies.ts';
import type { State } from './state.ts';

/** Types of login methods that can be mounted under `auth/`; the others are engines. */
export const authTypes = ['approle', 'kubernetes', 'jwt'] as const;
const engineTypes = ['ldap'] as const;
const isIn = (list: readonly string[], type: string): boolean => list.includes(type);

/** The longest mount that a path is at or below. */
export function mountOf(state: State, path: string): MountRow | undefined {
  const segments = path.split('/');
  for (let n = segments.length; n > 0; n -= 1) {
    const mount = state.mounts.get(segments.slice(0, n).join('/'));
    if (mount) return mount;
  }
  return undefined;
}

const isAuth = ({ path }: MountRow): boolean => path.startsWith('auth/');

/** @throws Refusal 400 */
export function addMount(state: State, path: string, type: string, description = ''): MountRow {
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(path) || path.length > 255) throw mistake('invalid mount path');
  if (/^(sys|auth\/token)(\/|$)/.test(path) || path === 'auth') {
    throw mistake(`path is already in use at ${path}/`);
  }
  if (!isIn(path.startsWith('auth/') ? authTypes : engineTypes, type)) {
    throw mistake(`plugin not found in the catalog: ${type.slice(0, 100)}`);
  }
  for (const [taken] of state.mounts.rows()) {
    if (`${path}/`.startsWith(`${taken}/`) || taken.startsWith(`${path}/`)) {
      throw mistake(`path is already in use at ${taken}/`);
    }
  }
  const mount = { path, type, description, accessor: `${type}_${state.hex(4)}`, uuid: state.uuid() };
  state.store.commit(state.mounts.put(path, mount));
  return mount;
}

/** With all that it holds. */
function removeMount(state: State, path: string): void {
  const roles = state.roles.rows().filter(([, role]) => role.mount === path);
  const drops = roles.map(([key]) => state.roles.drop(key));
  state.store.commit(...drops, state.configs.drop(path), state.mounts.drop(path));
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

export function mountRoutes(state: State): readonly CallRoute[] {
  const table = (which: (mount: MountRow) => boolean, cut: string) => (): Reply =>
    state.replyTwice(
      Object.fromEntries(
        state.mounts
          .rows()
          .filter(([, mount]) => which(mount))
          .map(([path, mount]) => [`${path.slice(cut.length)}/`, shown(mount)]),
      ),
    );
  return [
    route('/mounts', { read: table((mount) => !isAuth(mount), '') }),
    route('/auth', { read: table(isAuth, 'auth/') }),
    route(
      '/mounts/{mount...}',
      {
        read: ({ params }) => {
          const path = trimmed(params['mount']);
          const mount = state.mounts.get(path);
          if (!mount || isAuth(mount)) throw mistake(`No secret engine mount at ${path}/`);
          return state.replyTwice(shown(mount));
        },
        write: (call) => {
          addMount(state, trimmed(call.params['mount']), call.given().text('type') ?? '');
          return state.done();
        },
        remove: ({ params }) => {
          const path = trimmed(params['mount']);
          return state.turns.take(path, () => {
            if (!path.startsWith('auth/')) removeMount(state, path);
            return state.done();
          });
        },
      },
      { exists: () => true },
    ),
    route(
      '/internal/ui/mounts/{mount...}',
      { read: (call) => visibleMount(state, call) },
      { needs: 'token' },
    ),
  ];
}

/** For any token with some right under it. What is not there is not told from what must not be seen. */
function visibleMount(state: State, { params, token }: Call): Reply {
  const mount = mountOf(state, trimmed(params['mount']));
  if (!mount || !touches(state.policiesOf(token), mount.path)) {
    throw permissionDenied(state.dialectName);
  }
  return state.reply({ data: { ...shown(mount), path: `${mount.path}/` } });
}
