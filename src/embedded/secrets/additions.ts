// What people and tests put into the secrets service from outside its API: read strictly (an unknown field is a typo).
// Setting up by HTTP and seeding both go through here.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import type { EmbeddedDirectory } from './embedded-directory.ts';
import { below, capabilities, type Capability } from './model.ts';
import { addMount } from './mounts.ts';
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

const addOneMount: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [path, type, description] = [f.text('path'), f.text('type'), f.text('description', '')];
  f.done();
  return addMount(state, path, type, description);
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
  f.done();
  state.store.commit(state.policies.put(name, { name, rules }));
  return { name, rules };
};

const addPasswordPolicy: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [name, text] = [f.text('name'), f.text('policy')];
  f.done();
  const rules = parsePolicy(text);
  if (typeof rules === 'string') throw new Refusal(400, `${f.place('policy')}: ${rules}`);
  state.store.commit(state.passwordPolicies.put(name, { text }));
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
  const spec = { ...token, ...ttls(f), displayName: f.text('displayName', 'token') };
  f.done();
  const row = issue(state, spec);
  return { token: row.token, accessor: row.accessor, policies: row.policies };
};

const addAuthRole: Add = ({ state }, value, at) => {
  const f = new Fields(value, at);
  const [mount, name] = [`auth/${f.text('mount')}`, f.text('name')];
  const role = { mount, name, roleID: f.text('roleID', name), accepts: f.text('accepts'), ...ttls(f) };
  f.done();
  if (!state.mounts.get(mount)) throw new Refusal(400, `${at}: nothing is mounted at ${mount}/`);
  state.store.commit(state.authRoles.put(below(mount, name), role));
  return { mount, name };
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
  mounts: addOneMount,
  policies: addPolicy,
  passwordPolicies: addPasswordPolicy,
  tokens: addToken,
  authRoles: addAuthRole,
  entries: addEntry,
} as const satisfies Readonly<Record<string, Add>>;
