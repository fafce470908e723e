// What OIDCConfig plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { firstStep, outline, planned, recorded, secretOf, type Given } from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });
const declares = (spec: Partial<Spec>): Given => ({ spec });
const finds = (live: Given['live'] & object): Given => ({ live });

const absent: Given = { live: 'absent' };
const unrecorded: Given = { memory: noStatus };
const foreign: Given = { ...unrecorded, held: false };
const adopting = (adoption: 'AdoptIfIdentical' | 'Adopt'): Given => ({ ...foreign, policy: { adoption } });
const observing: Given = { policy: { management: 'ObserveOnly' } };
const other = finds({ default_role: 'others' });
const written = (path: string) => `update by oidc.config.write ${path}`;

/** By a create without an answer. */
const sent = (issuer: string): Status<never> => ({
  ...noStatus,
  pending: { op: 'create', token: 't' },
  applied: { '/discoveryURL': issuer, '/clientID': 'holdfast' },
});

const missing: readonly Row[] = [
  row('never there', { ...absent, ...foreign }, 'create by oidc.config.write'),
  row(
    'an answer was lost: written again, which is the same',
    { ...absent, ...unrecorded },
    'create by oidc.config.write',
  ),
  row('the method was mounted anew: written again, whole', absent, 'revive by oidc.config.write'),
  row('an observer writes nothing', { ...absent, ...observing }, 'blocked ExternalNotFound until live'),
];

const owning: readonly Row[] = [
  row(
    'Fail takes nothing: the secret of a client that others use would be lost',
    foreign,
    'stalled AdoptionRefused until live',
  ),
  row('AdoptIfIdentical takes what agrees', adopting('AdoptIfIdentical'), 'adopt'),
  row(
    'and names what does not',
    { ...adopting('AdoptIfIdentical'), ...other },
    'stalled AdoptionRefused until live /defaultRole',
  ),
  row('Adopt brings it in line', { ...adopting('Adopt'), ...other }, 'adopt then update /defaultRole'),
  row('held is ours, where all memory is lost', unrecorded, 'in-sync'),
  row(
    'a create whose answer was lost, and one of another issuer is there: somebody else made it',
    { memory: sent('https://embedded/staff'), ...finds({ oidc_discovery_url: 'https://others' }) },
    'stalled AdoptionRefused until live /discoveryURL',
  ),
  row(
    'and so it is of another client of that issuer',
    { memory: sent('https://embedded/staff'), ...finds({ oidc_client_id: 'others' }) },
    'stalled AdoptionRefused until live /clientID',
  ),
  row(
    'what that create had sent is ours, though it is declared otherwise by now',
    { memory: sent('https://before'), ...finds({ oidc_discovery_url: 'https://before' }) },
    'adopt',
  ),
  row(
    'no client is declared, and none is there',
    {
      memory: { ...sent('https://embedded/staff'), applied: { '/discoveryURL': 'https://embedded/staff' } },
      without: ['clientID', 'clientSecretSecretRef'],
      ...finds({ oidc_client_id: '' }),
    },
    'adopt',
  ),
  row(
    'where the service does not show the client, the issuer decides',
    { memory: sent('https://embedded/staff'), hides: ['oidc_client_id'] },
    'adopt',
  ),
  row('and what can not be read is trusted then', { ...unrecorded, secret: '9' }, 'in-sync'),
  row(
    'its issuer, changed behind our back, is drift',
    finds({ oidc_discovery_url: 'https://others' }),
    written('/discoveryURL'),
  ),
  row('so is its client', finds({ oidc_client_id: 'others' }), written('/clientID')),
  row(
    'another mount is another configuration',
    { located: { backend: 'b1', mount: 'sso' } },
    'stalled BackendChanged until edit',
  ),
];

const inSync: readonly Row[] = [
  row('as declared', {}, 'in-sync'),
  row(
    'what is not declared is not managed',
    finds({ bound_issuer: 'theirs', jwt_supported_algs: ['ES256'] }),
    'in-sync',
  ),
  row(
    'lists in another order',
    {
      ...declares({ jwtSupportedAlgs: ['RS256', 'ES256'] }),
      ...finds({ jwt_supported_algs: ['ES256', 'RS256'] }),
      wrote: { '/jwtSupportedAlgs': ['RS256', 'ES256'] },
    },
    'in-sync',
  ),
  row(
    'an empty list that is shown as null',
    { ...declares({ jwtSupportedAlgs: [] }), ...finds({ jwt_supported_algs: null }) },
    'in-sync',
  ),
  row(
    'certificates with other line ends',
    { ...declares({ discoveryCA: 'A\nB\n' }), ...finds({ oidc_discovery_ca_pem: 'A\r\nB' }) },
    'in-sync',
  ),
  row('an observer reports', { ...other, ...observing }, 'in-sync drift /defaultRole'),
  row('so does Warn', { ...other, policy: { drift: { mode: 'Warn' } } }, 'in-sync drift /defaultRole'),
];

const differing: readonly Row[] = [
  row('drift', other, written('/defaultRole')),
  row('an edit', declares({ boundIssuer: 'ours' }), written('/boundIssuer')),
  row('a field that is let go', { without: ['defaultRole'] }, written('/defaultRole')),
  row('the client secret moved', { secret: '2' }, written('/clientSecretSecretRef')),
  row(
    'a provider',
    declares({ providerConfig: { provider: 'cloud_directory' } }),
    written('/providerConfig/provider'),
  ),
  row(
    'a provider that is let go',
    {
      ...finds({ provider_config: { provider: 'cloud_directory' } }),
      wrote: { '/providerConfig/provider': 'cloud_directory' },
    },
    written('/providerConfig/provider'),
  ),
  row(
    'keys from elsewhere are replaced by those of the issuer',
    finds({ oidc_discovery_url: '', jwks_url: 'https://keys' }),
    written('/discoveryURL'),
  ),
];

const unrecordedClient: Given = {
  without: ['clientID', 'clientSecretSecretRef'],
  memory: { ...recorded, applied: {} },
};

/** A write replaces everything: what nobody can send again would be gone. */
const losing: readonly Row[] = [
  row(
    'a client that nobody declares',
    { ...unrecordedClient, ...other },
    'stalled ImmutableFieldChanged until edit /defaultRole',
  ),
  row(
    'no client at all',
    { ...unrecordedClient, ...finds({ oidc_client_id: '', default_role: 'x' }) },
    written('/defaultRole'),
  ),
  row(
    'a client that is let go is meant to go',
    { without: ['clientID', 'clientSecretSecretRef'] },
    written('/clientID,/clientSecretSecretRef'),
  ),
  row(
    'a service account that nobody declares',
    finds({ default_role: 'x', provider_config: { provider: 'workspace_directory' } }),
    'stalled ImmutableFieldChanged until edit /defaultRole',
  ),
  row(
    'nothing, while nothing differs',
    finds({ provider_config: { provider: 'workspace_directory' } }),
    'in-sync',
  ),
];

const leaving: readonly Row[] = [
  row('it stays: the service deletes none', { deleting: true }, 'gone kept'),
  row(
    'so does what a create without an answer may have made',
    { deleting: true, ...absent, ...unrecorded },
    'gone kept',
  ),
];

describe.for(Object.entries({ missing, owning, inSync, differing, losing, leaving }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});

test('nothing tells of changes there, so it is looked at again at its own interval', () => {
  expect(planned({})).toMatchObject({ verdict: 'in-sync', revisitMs: 600_000 });
});

test('adoption sends nothing, and remembers the secret that it can not read as declared', () => {
  const step = firstStep({ ...adopting('AdoptIfIdentical'), secret: '4' });
  expect(step).toMatchObject({ verb: 'adopt', changes: [] });
  expect(step.effect).toBeUndefined();
  expect(step.applied).toEqual({ ...recorded.applied, '/clientSecretSecretRef': secretOf('4') });
});

test('the plan says that the secret is sent with any other field, because others may have changed it', () => {
  expect(firstStep(other).summary).toBe(
    'update oidc: /defaultRole; all of it is sent, with its client secret',
  );
  expect(
    firstStep({ ...unrecordedClient, ...finds({ oidc_client_id: '', default_role: 'x' }) }).summary,
  ).toBe('update oidc: /defaultRole; all of it is sent');
});

test.for<{ given: Given; summary: string }>([
  { given: { ...absent, ...foreign }, summary: 'configure oidc' },
  { given: absent, summary: 'configure oidc again' },
  {
    given: { spec: { boundIssuer: 'a', defaultRole: 'b' } },
    summary: 'update oidc: /defaultRole, /boundIssuer; all of it is sent, with its client secret',
  },
])('a step says what it does, and goes to the mount: $summary', ({ given, summary }) => {
  const step = firstStep(given);
  expect(step.summary).toBe(summary);
  expect(step.effect).toMatchObject({ port: 'secrets', op: 'oidc.config.write', params: { mount: 'oidc' } });
});

test.for([
  { given: { ...unrecordedClient, ...other }, message: /^\/clientID: a write replaces everything/ },
  {
    given: finds({ default_role: 'x', provider_config: { provider: 'workspace_directory' } }),
    message: /^\/providerConfig: a write replaces everything/,
  },
])('a refusal says what would be lost, and what helps: $message', ({ given, message }) => {
  expect(planned(given)).toMatchObject({ message: expect.stringMatching(message) });
});

test('what is written three times and still differs is left alone', () => {
  const tried = { ...recorded, tries: { '/defaultRole': 3 } };
  expect(outline({ memory: tried, ...other })).toBe('stalled NonConverging until edit /defaultRole');
});
