// Setting up the secrets service by HTTP, for people and tests. No part of the real API: all of it is under /setup/.
import { Fields } from '../decode.ts';
import { Refusal, empty, json, type Endpoint, type Incoming, type Reply } from '../http.ts';
import type { RequestLog } from '../requests.ts';
import { additions, type Setup } from './additions.ts';
import type { Switches } from './behaviour.ts';

const requestsDefault = 100;

const route = (method: string, path: string, handle: (request: Incoming) => Reply): Endpoint => ({
  method,
  path: `/setup/${path}`,
  acl: 'setup',
  handle,
});

export function setupEndpoints(setup: Setup, log: RequestLog, url: () => string): readonly Endpoint[] {
  const { state, directory } = setup;
  return [
    ...Object.entries(additions).map(([list, add]) =>
      route('POST', list, (request) => json(add(setup, request.json(), ''))),
    ),
    route('POST', 'tokens/revoke', (request) => {
      const token = one(request, 'token');
      const found = state.tokens.rows().find(([key, row]) => key === token || row.accessor === token);
      if (!found) throw new Refusal(404, 'no such token');
      state.store.commit(state.tokens.drop(found[0]));
      return empty();
    }),
    ...['seal', 'unseal'].map((path) =>
      route('POST', path, () => {
        state.sealed = path === 'seal';
        return empty();
      }),
    ),
    route('POST', 'standby', (request) => {
      const f = new Fields(request.json(), '');
      const [isOn, activeURL] = [f.flag('on', true), f.text('activeURL', url())];
      const kind = f.oneOf('kind', ['plain', 'performance', 'recovery'], 'plain');
      f.done();
      state.standby = isOn ? { activeURL, kind } : undefined;
      return empty();
    }),
    route('POST', 'warning', (request) => {
      state.warning = one(request, 'text');
      return empty();
    }),
    route('POST', 'switches', (request) => {
      state.switches = switchesIn(new Fields(request.json(), ''), state.switches);
      return json(state.switches);
    }),
    ...directoryEndpoints(setup),
    route('GET', 'counters', () => json(state.tally.counters(log))),
    route('POST', 'counters/reset', () => {
      log.reset();
      state.tally.reset();
      return empty();
    }),
    route('GET', 'requests', ({ query }) => json(log.recent(Number(query.get('limit')) || requestsDefault))),
    route('GET', 'directory', () =>
      json(directory.entries().map(({ dn, passwordAttribute }) => ({ dn, passwordAttribute }))),
    ),
  ];
}

const directoryEndpoints = ({ directory }: Setup): readonly Endpoint[] => [
  route('POST', 'directory/bind', (request) => {
    const f = new Fields(request.json(), '');
    const ok = directory.bind(f.text('dn'), f.text('password'));
    f.done();
    return json({ ok });
  }),
  ...['down', 'up'].map((path) =>
    route('POST', `directory/${path}`, () => {
      directory.down = path === 'down';
      return empty();
    }),
  ),
];

/** What is left out stays as it is. */
function switchesIn(f: Fields, old: Switches): Switches {
  const switches = {
    checksIssuers: f.flag('checksIssuers', old.checksIssuers),
    keyManagement: f.flag('keyManagement', old.keyManagement),
    kmsReads: f.flag('kmsReads', old.kmsReads),
    environment: f.has('environment') ? f.textMap('environment') : old.environment,
    managedIdentity: f.flag('managedIdentity', old.managedIdentity),
    initialized: f.flag('initialized', old.initialized),
    limited: f.text('limited', old.limited),
    retryAfterSeconds: f.count('retryAfterSeconds', old.retryAfterSeconds),
  };
  f.done();
  return switches;
}

function one(request: Incoming, name: string): string {
  const f = new Fields(request.json(), '');
  const text = f.text(name);
  f.done();
  return text;
}
