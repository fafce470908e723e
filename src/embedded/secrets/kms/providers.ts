// Providers of the key-management engine (services.md#key-management). Read, list and delete are not documented. They
// follow Vault, whose error texts are not published.
import { mistake } from '../http/mistake.ts';
import type { SecretsDialect } from '../../../api/dialects.ts';
import type { Reply } from '../../http/server.ts';
import { pathOf, route, type Call, type CallRoute, type Handler } from '../http/calls.ts';
import { below, type KMSKeyRow, type KMSProviderRow } from '../store/model.ts';
import { neutralValue, wireValue } from '../http/wire-names.ts';
import { nothing, unsupportedOperation, unsupportedPath } from '../http/replies.ts';
import type { State } from '../state.ts';

const kind = 'cloud_keystore';

type Place = Pick<Call, 'mount' | 'params'>;

function nameIn({ params }: Place): string {
  const name = params['name'] ?? '';
  if (!/^\w([\w.-]*\w)?$/.test(name)) throw unsupportedPath();
  return name;
}

const providerAt = (state: State, place: Place): KMSProviderRow | undefined =>
  state.kmsProviders.get(below(place.mount, nameIn(place)));

const keysOf = (state: State, { mount, name }: KMSProviderRow): readonly KMSKeyRow[] =>
  state.kmsKeys.rows().flatMap(([, key]) => (key.mount === mount && key.provider === name ? key : []));

export function kmsRoutes(state: State): readonly CallRoute[] {
  const where = (handler: Handler): Handler =>
    function ifServed(call) {
      if (!state.switches.kmsReads) throw unsupportedOperation();
      return handler(call);
    };
  return [
    route(pathOf('kms.provider.list'), { list: where(({ mount }) => list(state, mount)) }),
    route(
      pathOf('kms.provider.read'),
      {
        read: where((call) => read(state, call)),
        write: (call) => write(state, call),
        remove: where((call) => remove(state, call)),
      },
      { exists: (place) => providerAt(state, place) !== undefined },
    ),
    route('/kms/{name}/key', { list: (call) => listKeys(state, call) }),
    route('/kms/{name}/key/{key}', { remove: (call) => withdraw(state, call) }),
  ];
}

function list(state: State, mount: string): Reply {
  const names = state.kmsProviders.rows().flatMap(([, row]) => (row.mount === mount ? row.name : []));
  if (names.length === 0) throw nothing();
  return state.reply({ data: { keys: names } });
}

function read(state: State, call: Call): Reply {
  const row = providerAt(state, call);
  if (!row) throw nothing();
  const provider = wireValue(state.dialect, 'provider', kind);
  return state.reply({ data: { name: row.name, provider, key_collection: row.keyCollection } });
}

function write(state: State, call: Call): Reply {
  const old = providerAt(state, call);
  const given = call.given();
  const provider = given.text('provider') ?? '';
  if (provider === '') throw mistake('provider is required');
  if (neutralValue(state.dialect, 'provider', provider) !== kind) {
    throw mistake(
      old ? 'provider cannot be changed' : `unsupported provider: ${JSON.stringify(provider.slice(0, 100))}`,
    );
  }
  const keyCollection = given.text('key_collection') ?? old?.keyCollection ?? '';
  if (keyCollection === '') throw mistake('key_collection is required');
  if (old && keyCollection !== old.keyCollection) throw mistake('key_collection cannot be changed');
  const credentials = given.pairs('credentials') ?? old?.credentials ?? {};
  checkCredentials(state, credentials);
  const row = { mount: call.mount, name: nameIn(call), keyCollection, credentials };
  state.store.commit(state.kmsProviders.put(below(row.mount, row.name), row));
  return state.done();
}

const known = ['tenant_id', 'client_id', 'client_secret', 'environment'];

/** The server's environment can replace credentials. @throws Refusal 400, which quotes no value */
function checkCredentials(state: State, credentials: KMSProviderRow['credentials']): void {
  const { dialect, switches } = state;
  const unknown = Object.keys(credentials).find((name) => !known.includes(name));
  if (unknown !== undefined) throw mistake(`unknown credential ${JSON.stringify(unknown.slice(0, 100))}`);
  const needed = switches.managedIdentity ? ['tenant_id'] : ['tenant_id', 'client_id', 'client_secret'];
  const missing = needed.find(
    (name) => !(switches.environment[variable(dialect, name)] || credentials[name]),
  );
  if (missing !== undefined) {
    throw mistake(`missing ${missing}: give it in credentials, or as ${variable(dialect, missing)}`);
  }
}

/** The environment variable of a credential. */
const variable = ({ environmentPrefix }: SecretsDialect, name: string): string =>
  `${environmentPrefix}${name.toUpperCase()}`;

/** Succeeds for a missing provider; refuses one that still has keys. */
function remove(state: State, call: Call): Reply {
  const row = providerAt(state, call);
  if (!row) return state.done();
  const keys = keysOf(state, row).length;
  if (keys > 0) throw mistake(`cannot delete KMS provider: ${keys} keys are still distributed to it`);
  state.store.commit(state.kmsProviders.drop(below(row.mount, row.name)));
  return state.done();
}

function listKeys(state: State, call: Call): Reply {
  const row = providerAt(state, call);
  const keys = row ? keysOf(state, row).map(({ name }) => name) : [];
  if (keys.length === 0) throw nothing();
  return state.reply({ data: { keys } });
}

/** Deletes a key from the key store. Only fixtures add keys. */
function withdraw(state: State, call: Call): Reply {
  const key = below(below(call.mount, nameIn(call)), call.params['key'] ?? '');
  state.store.commit(state.kmsKeys.drop(key));
  return state.done();
}
