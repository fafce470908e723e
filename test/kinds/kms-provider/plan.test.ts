// What KMSProvider plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import {
  canary,
  credentials,
  firstStep,
  outline,
  planned,
  recorded,
  secretOf,
  type Given,
} from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });

const absent: Given = { live: 'absent' };
const unknown: Given = { live: 'unknown' };
const unrecorded: Given = { memory: noStatus };
const foreign: Given = { ...unrecorded, held: false };
const adopting = (adoption: 'AdoptIfIdentical' | 'Adopt'): Given => ({ ...foreign, policy: { adoption } });
const observing: Given = { policy: { management: 'ObserveOnly' } };
const elsewhere: Given = { live: { key_collection: 'others-keys' } };
const pending = { ...noStatus, pending: { op: 'create', token: 't' } };
const created = 'create by kms.provider.write';
const deleted = 'delete by kms.provider.delete';
const updated = (path: string) => `update by kms.provider.write /credentials/${path}`;
const secret = updated('clientSecretSecretRef');

const missing: readonly Row[] = [
  row('never there', { ...absent, ...foreign }, created),
  row('an answer was lost: written again, which is the same', { ...absent, ...unrecorded }, created),
  row('somebody deleted it', absent, 'revive by kms.provider.write'),
  row(
    'deleted by us and declared again',
    { ...absent, memory: { ...noStatus, pending: { op: 'delete', token: 'Delete' } } },
    created,
  ),
  row('an observer writes nothing', { ...absent, ...observing }, 'blocked ExternalNotFound until live'),
];

const owning: readonly Row[] = [
  row(
    'Fail takes nothing: others may have given it its credentials',
    foreign,
    'stalled AdoptionRefused until live',
  ),
  row('AdoptIfIdentical takes what agrees', adopting('AdoptIfIdentical'), 'adopt'),
  row(
    'Adopt sends no credentials either: those that are there may be the right ones',
    { ...adopting('Adopt'), versions: { secret: '9' } },
    'adopt',
  ),
  row(
    'one for another collection can not be brought in line',
    { ...adopting('Adopt'), ...elsewhere },
    'stalled AdoptionRefused until live /keyCollection',
  ),
  row(
    'nor one of another sort',
    { ...adopting('Adopt'), live: { provider: 'awskms' } },
    'stalled AdoptionRefused until live /provider',
  ),
  row('held is ours, where all memory is lost', unrecorded, 'in-sync'),
  row('and what can not be read is trusted then', { ...unrecorded, versions: { secret: '9' } }, 'in-sync'),
  row(
    'made anew by somebody for another collection, it is no longer ours',
    elsewhere,
    'stalled AdoptionRefused until live /keyCollection',
  ),
  row(
    'deleted and declared again: what is there is the new one, though it looks like the old',
    {
      memory: {
        ...recorded,
        pending: {
          op: 'create',
          token: 't',
          evidence: { removed: 'cloud_keystore for invoices-keys' },
          done: true,
        },
      },
    },
    'in-sync',
  ),
  row(
    'another mount is another provider',
    { located: { backend: 'b1', mount: 'keys', name: 'invoices' } },
    'stalled BackendChanged until edit',
  ),
  row(
    'so is another name',
    { located: { backend: 'b1', mount: 'keymgmt', name: 'orders' } },
    'stalled ExternalNameChanged until edit',
  ),
];

const differing: readonly Row[] = [
  row('as declared', {}, 'in-sync'),
  row('the client secret moved', { versions: { secret: '2' } }, secret),
  row(
    'so do other credentials',
    { versions: { tenant: '2', client: '2' } },
    `${updated('tenantIDSecretRef')},/credentials/clientIDSecretRef`,
  ),
  row(
    'an environment is declared',
    { spec: { credentials: { ...credentials, environment: 'GovernmentCloud' } } },
    updated('environment'),
  ),
  row(
    'the environment that is let go',
    { wrote: { '/credentials/environment': 'GovernmentCloud' } },
    updated('environment'),
  ),
  row('unless it is the default', { wrote: { '/credentials/environment': 'PublicCloud' } }, 'in-sync'),
  row(
    'a credential that is let go',
    { spec: { credentials: { tenantIDSecretRef: credentials.tenantIDSecretRef } } },
    `${updated('clientIDSecretRef')},/credentials/clientSecretSecretRef`,
  ),
  row(
    'drift of what is not shown is not guessed, and Warn holds back no edit',
    { policy: { drift: { mode: 'Warn' } }, versions: { secret: '2' } },
    secret,
  ),
  row(
    'an update whose answer was lost is made again',
    { wrote: { '/credentials/clientSecretSecretRef': null } },
    secret,
  ),
  row(
    'an edit that admission let through is refused',
    { spec: { keyCollection: 'others-keys' } },
    'stalled ImmutableFieldChanged until edit /keyCollection',
  ),
  row(
    'an observer reports what it can read',
    { ...elsewhere, ...observing, versions: { secret: '2' } },
    'in-sync drift /keyCollection',
  ),
  row(
    'suspended: not yet',
    { policy: { suspend: true }, versions: { secret: '2' } },
    'blocked Suspended until edit /credentials/clientSecretSecretRef',
  ),
];

const leaving: readonly Row[] = [
  row('it stays unless it is to go: keys may depend on it', { deleting: true }, 'gone kept'),
  row('Delete deletes it', { deleting: true, policy: { deletion: 'Delete' } }, deleted),
  row('what others made stays', { ...foreign, deleting: true, policy: { deletion: 'Delete' } }, 'gone kept'),
  row('nothing there', { ...absent, deleting: true, policy: { deletion: 'Delete' } }, 'gone removed'),
  row(
    'an answer was lost: deleted whether or not it is there',
    { ...absent, memory: pending, deleting: true, policy: { deletion: 'Delete' } },
    deleted,
  ),
  row(
    'all memory is lost: held and as declared is ours',
    { ...unrecorded, deleting: true, policy: { deletion: 'Delete' } },
    deleted,
  ),
  row(
    'what was recorded is ours, though it is no longer held',
    { held: false, deleting: true, policy: { deletion: 'Delete' } },
    deleted,
  ),
  row(
    'held proves nothing of one for another collection',
    { ...elsewhere, deleting: true, policy: { deletion: 'Delete' } },
    'gone kept',
  ),
  row(
    'nor of one of another sort',
    { live: { provider: 'awskms' }, deleting: true, policy: { deletion: 'Delete' } },
    'gone kept',
  ),
  row(
    'suspended: not yet',
    { deleting: true, policy: { deletion: 'Delete', suspend: true } },
    'blocked DeletionBlocked until edit',
  ),
];

/** A service that can only be written to, as it is documented. */
const unreadable: readonly Row[] = [
  row('there may be one that is not ours', { ...unknown, ...foreign }, 'stalled AdoptionRefused until edit'),
  row('unless whatever is there may be taken', { ...unknown, ...adopting('Adopt') }, created),
  row('as last written', unknown, 'in-sync'),
  row('a credential moved', { ...unknown, versions: { secret: '2' } }, secret),
  row(
    'what never changes',
    { ...unknown, spec: { keyCollection: 'x' } },
    'stalled ImmutableFieldChanged until edit /keyCollection',
  ),
  row('it is kept', { ...unknown, deleting: true }, 'gone kept'),
  row(
    'it is to go, and deleting may be supported',
    { ...unknown, deleting: true, policy: { deletion: 'Delete' } },
    deleted,
  ),
];

describe.for(Object.entries({ missing, owning, differing, leaving, unreadable }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});

test('nothing tells of changes there, so it is looked at again at its own interval', () => {
  expect(planned({})).toMatchObject({ verdict: 'in-sync', revisitMs: 600_000 });
});

test.for<{ given: Given; summary: string }>([
  { given: { ...absent, ...foreign }, summary: 'create invoices for invoices-keys' },
  { given: absent, summary: 'create invoices for invoices-keys again' },
  { given: { ...unknown, versions: { secret: '2' } }, summary: 'write invoices for invoices-keys' },
  {
    given: { versions: { tenant: '2', secret: '2' } },
    summary:
      'update invoices: /credentials/tenantIDSecretRef, /credentials/clientSecretSecretRef; all its credentials are sent',
  },
  {
    given: { deleting: true, policy: { deletion: 'Delete' } },
    summary: 'delete invoices: the service no longer reaches invoices-keys by it',
  },
])('a step says what it does, and where: $summary', ({ given, summary }) => {
  const step = firstStep(given);
  expect(step.summary).toBe(summary);
  expect(step.effect).toMatchObject({ port: 'secrets', params: { mount: 'keymgmt', name: 'invoices' } });
});

test('a deletion passes the door for what destroys: the service loses its way to the keys', () => {
  expect(firstStep({ deleting: true, policy: { deletion: 'Delete' } }).destroys).toBe('registration');
});

test('adoption remembers what it can not read as declared, and sends nothing', () => {
  const step = firstStep({ ...adopting('Adopt'), versions: { secret: '4' } });
  expect(step).toMatchObject({ verb: 'adopt', changes: [] });
  expect(step.effect).toBeUndefined();
  expect(step).not.toHaveProperty('own');
  expect(step.applied).toEqual({
    ...recorded.applied,
    '/credentials/clientSecretSecretRef': secretOf('secret', '4'),
  });
});

test('whatever is written is remembered as sent by us, also if its answer is lost', () => {
  for (const given of [{ ...absent, ...foreign }, absent, { versions: { secret: '2' } }] satisfies Given[])
    expect(firstStep(given)).toMatchObject({ own: { written: true }, noted: { written: true } });
});

test('no plan shows a secret', () => {
  for (const given of [{ ...absent, ...foreign }, { versions: { secret: '2' } }] satisfies Given[])
    expect(JSON.stringify(planned(given))).not.toContain(canary);
});
