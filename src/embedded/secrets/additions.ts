// What people and tests put into the secrets service from outside its API: read strictly (an unknown field is a typo).
// Setting up by HTTP and seeding both go through here.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import type { EmbeddedDirectory } from './embedded-directory.ts';
import { below, capabilities, keyIn, type Capability } from './model.ts';
import { addMount } from './mounts.ts';
import { addNamespace, within } from './namespaces.ts';
import { parsePolicy } from './passwords.ts';
import type { State } from './state.ts';
import { issue } from './tokens.ts';

/** Where things are put. */
export interface Setup {
  readonly state: State;
  readonly directory: EmbeddedDirectory;
}

/** Adds one thing, or writes it again. @returns what may be shown of it. @throws Refusal 400 */
type Add = (setup: Setup, value: unknown, at: string) => unknown;

const addOneNamespace: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [parent, path] = [namespaceIn(state, f, 'parent'), f.text('path')];
  f.done();
  return addNamespace(state, parent, path);
};

/** One that is there. @throws Refusal 400 */
function namespaceIn(state: State, f: Fields, name = 'namespace'): string {
  const namespace = f.text(name, '');
  if (namespace === '' || state.namespaces.get(namespace)) return namespace;
  throw new Refusal(400, `${f.place(name)}: there is no such namespace`);
}

const owner = (namespace: string) => (namespace === '' ? {} : { namespace });

const addOneMount: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [path, type, description] = [f.text('path'), f.text('type'), f.text('description', '')];
  const namespace = namespaceIn(state, f);
  f.done();
  return addMount(state, { namespace, path, type, description });
};

function capabilityIn(value: unknown, at: string): Capability {
  const found = capabilities.find((one) => one === value);
  if (found === undefined) throw new Refusal(400, `${at}: expected one of ${capabilities.join(', ')}`);
  return found;
}

const addPolicy: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const name = f.text('name');
  const rules = f.list('rules', (one, place) => {
    const rule = new Fields(one, place);
    const read = { path: rule.text('path'), capabilities: rule.list('capabilities', capabilityIn) };
    rule.done();
    return read;
  });
  const namespace = namespaceIn(state, f);
  f.done();
  const row = { ...owner(namespace), name, rules };
  state.store.commit(state.policies.put(keyIn(namespace, name), row));
  return row;
};

const addPasswordPolicy: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [name, text] = [f.text('name'), f.text('policy')];
  const namespace = namespaceIn(state, f);
  f.done();
  const rules = parsePolicy(text);
  if (typeof rules === 'string') throw new Refusal(400, `${f.place('policy')}: ${rules}`);
  state.store.commit(state.passwordPolicies.put(keyIn(namespace, name), { ...owner(namespace), text }));
  return { name };
};

const ttls = (f: Fields) => ({
  policies: f.texts('policies'),
  ttlSeconds: f.count('ttlSeconds', 0),
  maxTtlSeconds: f.count('maxTtlSeconds', 0),
  renewable: f.flag('renewable', true),
});

/** Answers with the token: this is how one gets it. */
const addToken: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const token = f.has('token') ? { token: f.text('token') } : {};
  const namespace = namespaceIn(state, f);
  const spec = { ...token, ...ttls(f), namespace, displayName: f.text('displayName', 'token') };
  f.done();
  const row = issue(state, spec);
  return { token: row.token, accessor: row.accessor, policies: row.policies };
};

const addAuthRole: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const namespace = namespaceIn(state, f);
  const [mount, name] = [within(namespace, `auth/${f.text('mount')}`), f.text('name')];
  const role = { mount, name, roleID: f.text('roleID', name), accepts: f.text('accepts'), ...ttls(f) };
  f.done();
  if (!state.mounts.get(mount)) throw new Refusal(400, `${at}: nothing is mounted at ${mount}/`);
  state.store.commit(state.authRoles.put(below(mount, name), role));
  return { mount, name };
};

/** A key in a key store, which then can't be deleted. */
const addKMSKey: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const key = { mount: f.text('mount'), provider: f.text('provider'), name: f.text('name') };
  f.done();
  const store = below(key.mount, key.provider);
  if (!state.kmsProviders.get(store)) throw new Refusal(400, `${at}: there is no such key store`);
  state.store.commit(state.kmsKeys.put(below(store, key.name), key));
  return key;
};

const addEntry: Add = ({ directory }, value, at) => {
  const f = new Fields(value, at);
  const entry = {
    dn: f.text('dn'),
    password: f.text('password', ''),
    passwordAttribute: 'userPassword',
    attributes: f.textMap('attributes'),
  };
  f.done();
  directory.put(entry);
  return { dn: entry.dn };
};

/** In the order in which they need each other. */
export const additions = {
  namespaces: addOneNamespace,
  mounts: addOneMount,
  policies: addPolicy,
  passwordPolicies: addPasswordPolicy,
  tokens: addToken,
  authRoles: addAuthRole,
  kmsKeys: addKMSKey,
  entries: addEntry,
} as const satisfies Readonly<Record<string, Add>>;
