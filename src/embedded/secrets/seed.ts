// What a fresh secrets service starts with. A state that was loaded from a file is never seeded.
import { UsageError } from '../../core/errors.ts';
import { Refusal } from '../http.ts';
import { defaultRules } from './acl.ts';
import { additions, type Setup } from './additions.ts';
import { authTypes } from './mounts.ts';

/** Lists of what POST /setup/<list> takes one of. */
export type Seed = Readonly<Partial<Record<keyof typeof additions, readonly unknown[]>>>;

/** For development: it guards a directory that exists in this process only. */
export const embeddedBindDN = 'cn=admin,dc=example,dc=org';
export const embeddedBindPassword = 'holdfast-dev-bind';

const service = (name: string) => ({
  dn: `uid=${name},ou=services,dc=example,dc=org`,
  password: `holdfast-dev-${name}`,
  attributes: { uid: name, cn: name },
});

/** An LDAP engine at `ldap/`, and a directory of three services at `ldap://embedded`. */
export const defaultSeed: Seed = {
  mounts: [{ path: 'ldap', type: 'ldap' }],
  entries: [
    { dn: embeddedBindDN, password: embeddedBindPassword, attributes: { cn: 'admin' } },
    service('shop'),
    service('billing'),
    service('reports'),
  ],
};

/** Adds what every service has, then what the seed lists. @throws UsageError that says which item and why */
export function plant(setup: Setup, seed: Seed): void {
  const always: Seed = {
    mounts: authTypes.map((type) => ({ path: `auth/${type}`, type })),
    policies: [{ name: 'default', rules: defaultRules }],
  };
  setup.state.store.atomically(() => {
    plantLists(setup, always, 'built in');
    plantLists(setup, seed, 'seed');
  });
}

function plantLists(setup: Setup, seed: Seed, name: string): void {
  const lists = new Map<string, readonly unknown[]>(Object.entries(seed));
  for (const [list, add] of Object.entries(additions)) {
    (lists.get(list) ?? []).forEach((item, i) => {
      const at = `${name}.${list}[${i}]`;
      plantOne(() => add(setup, item, at), at);
    });
  }
}

function plantOne(add: () => unknown, at: string): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    throw new UsageError(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error });
  }
}
