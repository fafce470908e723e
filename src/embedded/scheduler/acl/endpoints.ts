// ACL policies and tokens over Nomad's API: enough to set up the same ones here and in Nomad.
import { Fields } from '../../http/decode.ts';
import { Refusal, absent, empty, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { anonymousPolicy, tokenOf } from './access.ts';
import { lifeMinMs, newToken, putToken, settings, writePolicy } from '../fixtures/acl.ts';
import type { PolicyRow, TokenRow } from './model.ts';
import { meta, read } from '../http/blocking.ts';
import { get } from '../http/endpoints.ts';
import { accessIn, denied, tokenIn } from './authorize.ts';
import type { State } from '../state.ts';

export function aclEndpoints(state: State): readonly Endpoint[] {
  const endpoints = [
    get('/v1/acl/policies', 'any', (request) => listPolicies(state, request)),
    get('/v1/acl/policy/{name}', 'any', (request) => readPolicy(state, request)),
    ...write('/v1/acl/policy/{name}', (request) => upsertPolicy(state, request)),
    remove('/v1/acl/policy/{name}', (request) => {
      const { name = '' } = request.params;
      return empty(
        meta(
          state,
          state.store.commit(() => [state.policies.drop(name)]),
        ),
      );
    }),
    get('/v1/acl/tokens', 'management', (request) => {
      const reply = () => json(Array.from(state.tokens.rows(), stub));
      return read(state, request, { table: state.tokens, reply });
    }),
    get('/v1/acl/token/self', 'any', (request) => self(state, request)),
    get('/v1/acl/token/{accessor}', 'any', (request) => readToken(state, request)),
    ...write('/v1/acl/token', (request) => {
      const f = new Fields(request.json(), '');
      if (f.text('AccessorID', '') !== '') throw cannotFind(f.text('AccessorID'));
      return written(state, putToken(state, newToken(state, f, lifeMinMs)));
    }),
    ...write('/v1/acl/token/{accessor}', (request) => changeToken(state, request)),
    remove('/v1/acl/token/{accessor}', (request) => {
      const { accessor = '' } = request.params;
      const row = byAccessor(state, accessor);
      if (!row) throw new Refusal(400, `Cannot delete nonexistent tokens: ${accessor}`);
      return empty(
        meta(
          state,
          state.store.commit(() => [state.tokens.drop(row.SecretID)]),
        ),
      );
    }),
  ];
  return endpoints.map((endpoint) => ({
    ...endpoint,
    handle(request) {
      if (state.managementToken === undefined) throw new Refusal(400, 'ACL support disabled');
      return endpoint.handle(request);
    },
  }));
}

const remove = (path: string, handle: Endpoint['handle']): Endpoint => ({
  method: 'DELETE',
  path,
  acl: 'management',
  handle,
});

const write = (path: string, handle: Endpoint['handle']): readonly Endpoint[] =>
  ['PUT', 'POST'].map((method) => ({ method, path, acl: 'management', handle }));

const cannotFind = (accessor: string) => new Refusal(400, `cannot find token ${accessor}`);

function listPolicies(state: State, request: Incoming): Reply | Promise<Reply> {
  const mayRead = policiesOf(state, request);
  const prefix = request.query.get('prefix') ?? '';
  const wanted = ({ Name }: PolicyRow) => Name.startsWith(prefix) && mayRead(Name);
  const reply = () => {
    const shown = Array.from(state.policies.from('')).filter(wanted);
    return json(shown.map((row) => ({ ...row, Rules: undefined, Parsed: undefined })));
  };
  return read(state, request, { table: state.policies, reply });
}

function readPolicy(state: State, request: Incoming): Reply | Promise<Reply> {
  const { name = '' } = request.params;
  if (name !== anonymousPolicy && !policiesOf(state, request)(name)) throw denied();
  const reply = () => {
    const row = state.policies.get(name);
    return row ? json({ ...row, Parsed: undefined }) : absent('ACL policy not found');
  };
  return read(state, request, { table: state.policies, reply });
}

/** Whether the token may read a policy: a management token any, another token its own ones. */
function policiesOf(state: State, request: Incoming): (name: string) => boolean {
  if (accessIn(state, request).isManagement) return () => true;
  const own = tokenOf(state, tokenIn(state, request.headers))?.Policies ?? [anonymousPolicy];
  return (name) => own.includes(name);
}

function upsertPolicy(state: State, request: Incoming): Reply {
  const f = new Fields(request.json(), '');
  if (f.text('Name', '') !== request.params['name']) {
    throw new Refusal(400, 'ACL policy name does not match request path');
  }
  return empty(meta(state, writePolicy(state, f).ModifyIndex));
}

const byAccessor = (state: State, accessor: string): TokenRow | undefined =>
  Array.from(state.tokens.rows()).find(({ AccessorID }) => AccessorID === accessor);

const stub = (row: TokenRow) => ({ ...row, SecretID: undefined });

const written = (state: State, row: TokenRow): Reply => json(row, meta(state, row.ModifyIndex));

/** Allowed for a management token and for the token itself. */
function readToken(state: State, request: Incoming): Reply {
  const row = byAccessor(state, request.params['accessor'] ?? '');
  const isOwn = row?.SecretID === tokenIn(state, request.headers);
  if (!isOwn && !accessIn(state, request).isManagement) throw denied();
  const reply = row ? json(row) : absent('ACL token not found');
  return { ...reply, headers: meta(state, row?.ModifyIndex ?? state.tokens.index) };
}

function changeToken(state: State, request: Incoming): Reply {
  const { accessor = '' } = request.params;
  const f = new Fields(request.json(), '');
  if (f.text('AccessorID', '') !== accessor) {
    throw new Refusal(400, 'ACL token accessor does not match request path');
  }
  const row = byAccessor(state, accessor);
  if (!row) throw cannotFind(accessor);
  return written(state, putToken(state, { ...row, ...settings(f) }));
}

/** The server's management token and the anonymous token are not stored, so their replies are made up here. */
function self(state: State, request: Incoming): Reply {
  const secret = tokenIn(state, request.headers);
  const row = tokenOf(state, secret);
  const headers = meta(state, state.tokens.index);
  if (row) return json(row, headers);
  const general = { Global: true, CreateTime: '0001-01-01T00:00:00Z', ExpirationTime: null };
  const indexes = { CreateIndex: 1, ModifyIndex: 1 };
  const [Name, Type, AccessorID, Policies] =
    secret === ''
      ? ['Anonymous Token', 'client', 'anonymous', [anonymousPolicy]]
      : ['Bootstrap Token', 'management', '00000000-0000-4000-8000-000000000001', []];
  return json({ AccessorID, SecretID: secret, Name, Type, Policies, ...general, ...indexes }, headers);
}
