// Endpoints for policies and password policies (services.md#mounts-and-policies).
import { mistake } from '../http/mistake.ts';
import { Refusal, type Reply } from '../../http/server.ts';
import { multiError } from '../../http/error-texts.ts';
import { rootPolicy } from './capabilities.ts';
import { parseRules, textOf } from './policy-text.ts';
import { route, type Call, type CallRoute } from '../http/calls.ts';
import { keyIn } from '../store/model.ts';
import { parsePolicy } from '../ldap/passwords.ts';
import { nothing } from '../http/replies.ts';
import type { State } from '../state.ts';
import type { Shelf } from '../store/store.ts';

const builtIn = [rootPolicy, 'default'];

type Place = Pick<Call, 'namespace' | 'params'>;
const nameIn = ({ params }: Place): string => params['name'] ?? '';
const aclNameIn = (place: Place): string => nameIn(place).toLowerCase();
const keyOf = (place: Place): string => keyIn(place.namespace, nameIn(place));
const aclKeyOf = (place: Place): string => keyIn(place.namespace, aclNameIn(place));

export const policyRoutes = (state: State): readonly CallRoute[] => [
  route('/policies/acl', {
    list: ({ namespace }) => {
      const names = namesIn(state.policies, namespace);
      const keys = namespace === '' ? [...names, rootPolicy].toSorted() : names;
      return state.reply({ data: { keys } });
    },
  }),
  route(
    '/policies/acl/{name}',
    {
      read(call) {
        const name = aclNameIn(call);
        if (name === rootPolicy) return state.reply({ data: { name, policy: '' } });
        const policy = state.policies.get(aclKeyOf(call));
        if (!policy) throw nothing();
        return state.reply({ data: { name, policy: policy.text ?? textOf(policy.rules) } });
      },
      write: (call) => writeACL(state, call),
      remove(call) {
        const name = aclNameIn(call);
        if (builtIn.includes(name)) throw mistake(`cannot delete ${JSON.stringify(name)} policy`);
        state.store.commit(state.policies.drop(aclKeyOf(call)));
        return state.done();
      },
    },
    { exists: () => true },
  ),
  route('/policies/password', {
    list: ({ namespace }) => {
      const keys = namesIn(state.passwordPolicies, namespace);
      if (keys.length === 0) throw nothing();
      return state.reply({ data: { keys } });
    },
  }),
  route(
    '/policies/password/{name}',
    {
      read(call) {
        const policy = state.passwordPolicies.get(keyOf(call));
        if (!policy) throw new Refusal(404, multiError(['policy does not exist']));
        return state.reply({ data: { policy: policy.text } });
      },
      write: (call) => writePasswordPolicy(state, call),
      remove(call) {
        state.store.commit(state.passwordPolicies.drop(keyOf(call)));
        return state.done();
      },
    },
    { exists: (place) => state.passwordPolicies.get(keyOf(place)) !== undefined },
  ),
];

const namesIn = (shelf: Shelf<{ readonly namespace?: string }>, namespace: string): readonly string[] =>
  shelf
    .rows()
    .flatMap(([key, row]) => ((row.namespace ?? '') === namespace ? (key.split('\n').at(-1) ?? []) : []));

const owner = ({ namespace }: Place) => (namespace === '' ? {} : { namespace });

function writeACL(state: State, call: Call): Reply {
  const name = aclNameIn(call);
  if (name === rootPolicy) throw mistake('cannot update "root" policy');
  const text = call.given().text('policy') ?? '';
  if (text === '') throw mistake("'policy' parameter not supplied or empty");
  const rules = parseRules(text);
  if (typeof rules === 'string') throw mistake(`failed to parse policy: ${rules}`);
  state.store.commit(state.policies.put(aclKeyOf(call), { ...owner(call), name, rules, text }));
  return state.done();
}

function writePasswordPolicy(state: State, call: Call): Reply {
  const text = call.given().text('policy') ?? '';
  if (text === '') throw mistake(multiError(['missing policy']));
  const rules = parsePolicy(text);
  if (typeof rules === 'string') throw mistake(multiError([`invalid password policy: ${rules}`]));
  state.store.commit(state.passwordPolicies.put(keyOf(call), { ...owner(call), text }));
  return state.done();
}
