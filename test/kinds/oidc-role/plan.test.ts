// What OIDCRole plans for what was declared, seen and remembered: the verb, the operation, and why not.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { firstStep, outline, planned, recorded, type Given } from './situation.ts';

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
const other = finds({ groups_claim: 'teams' });
const written = (path: string) => `update by oidc.role.write ${path}`;
const pending = { ...noStatus, pending: { op: 'create', token: 't' } };

/** By a create without an answer. */
const sent = (claim: string) => ({ ...pending, applied: { '/userClaim': claim, '/roleType': 'oidc' } });

const missing: readonly Row[] = [
  row('never there', { ...absent, ...foreign }, 'create by oidc.role.write'),
  row(
    'an answer was lost: written again, which is the same',
    { ...absent, ...unrecorded },
    'create by oidc.role.write',
  ),
  row('somebody deleted it', absent, 'revive by oidc.role.write'),
  row(
    'deleted by us and declared again',
    { ...absent, memory: { ...noStatus, pending: { op: 'delete', token: 'Delete' } } },
    'create by oidc.role.write',
  ),
  row('an observer writes nothing', { ...absent, ...observing }, 'blocked ExternalNotFound until live'),
];

const owning: readonly Row[] = [
  row('Fail takes nothing: others may log in with it', foreign, 'stalled AdoptionRefused until live'),
  row('AdoptIfIdentical takes what agrees', adopting('AdoptIfIdentical'), 'adopt'),
  row(
    'and names what does not',
    { ...adopting('AdoptIfIdentical'), ...other },
    'stalled AdoptionRefused until live /groupsClaim',
  ),
  row('Adopt brings it in line', { ...adopting('Adopt'), ...other }, 'adopt then update /groupsClaim'),
  row('held is ours, where all memory is lost', unrecorded, 'in-sync'),
  row(
    'deleted and declared again: what is there is the new one, though it looks like the old',
    {
      memory: {
        ...recorded,
        pending: { op: 'create', token: 't', evidence: { removed: 'oidc role by sub' }, done: true },
      },
    },
    'in-sync',
  ),
  row(
    'a create whose answer was lost, and one by another claim is there: somebody else made it',
    { memory: sent('sub'), ...finds({ user_claim: 'email' }) },
    'stalled AdoptionRefused until live /userClaim',
  ),
  row(
    'what that create had sent is ours, though it is declared otherwise by now',
    { memory: sent('email'), ...finds({ user_claim: 'email' }) },
    'adopt',
  ),
  row('its claim, changed behind our back, is drift', finds({ user_claim: 'email' }), written('/userClaim')),
  row(
    'so is its type, though nobody declares it: it decides who logs in',
    finds({ role_type: 'jwt' }),
    written('/roleType'),
  ),
  row(
    'another mount is another role',
    { located: { backend: 'b1', mount: 'sso', role: 'staff' } },
    'stalled BackendChanged until edit',
  ),
  row(
    'so is another name',
    { located: { backend: 'b1', mount: 'oidc', role: 'people' } },
    'stalled ExternalNameChanged until edit',
  ),
];

const inSync: readonly Row[] = [
  row('as declared', {}, 'in-sync'),
  row('what is not declared is not managed', finds({ bound_subject: 'me', max_age: 5 }), 'in-sync'),
  row('policies in another order', finds({ token_policies: ['base', 'shop'] }), 'in-sync'),
  row(
    'empty lists and maps, shown as null',
    declares({ scopes: [], claimMappings: {}, boundClaims: {} }),
    'in-sync',
  ),
  row(
    'a bound value that was given alone',
    { ...declares({ boundClaims: { site: ['x'] } }), ...finds({ bound_claims: { site: 'x' } }) },
    'in-sync',
  ),
  row(
    'bound values in another order',
    { ...declares({ boundClaims: { team: ['b', 'a'] } }), ...finds({ bound_claims: { team: ['a', 'b'] } }) },
    'in-sync',
  ),
  row(
    'networks of one address, which are shown without their length',
    {
      ...declares({ tokenBoundCIDRs: ['10.0.0.1/32', '::1/128', '10.1.0.0/16'] }),
      ...finds({ token_bound_cidrs: ['10.0.0.1', '::1', '10.1.0.0/16'] }),
    },
    'in-sync',
  ),
  row('a service that shows no type has only one', { hides: ['role_type'] }, 'in-sync'),
  row('nor does it once all memory is lost', { ...unrecorded, hides: ['role_type'] }, 'in-sync'),
  row('durations come back as seconds', declares({ tokenTTL: '60m' }), 'in-sync'),
  row('an observer reports', { ...other, ...observing }, 'in-sync drift /groupsClaim'),
  row('so does Warn', { ...other, policy: { drift: { mode: 'Warn' } } }, 'in-sync drift /groupsClaim'),
];

const differing: readonly Row[] = [
  row('drift', other, written('/groupsClaim')),
  row(
    'a policy that somebody added',
    finds({ token_policies: ['shop', 'base', 'root'] }),
    written('/tokenPolicies'),
  ),
  row('an edit', declares({ boundAudiences: ['shop'] }), written('/boundAudiences')),
  row('another user claim', declares({ userClaim: 'email' }), written('/userClaim')),
  row('another type', declares({ roleType: 'jwt', boundSubject: 'me' }), written('/roleType,/boundSubject')),
  row('a field that is let go', { without: ['groupsClaim'] }, written('/groupsClaim')),
  row(
    'a map that is let go',
    { ...finds({ claim_mappings: { a: 'b' } }), wrote: { '/claimMappings': { a: 'b' } } },
    written('/claimMappings'),
  ),
  row(
    'a /32 is not a /3',
    { ...declares({ tokenBoundCIDRs: ['10.0.0.1/3'] }), ...finds({ token_bound_cidrs: ['10.0.0.1'] }) },
    written('/tokenBoundCIDRs'),
  ),
];

const deleted = 'delete by oidc.role.delete';

const leaving: readonly Row[] = [
  row('it goes, unless it is to be kept: what nobody declares is a way in', { deleting: true }, deleted),
  row('Retain keeps it', { deleting: true, policy: { deletion: 'Retain' } }, 'gone kept'),
  row('what others made stays', { ...foreign, deleting: true }, 'gone kept'),
  row('nothing there', { ...absent, deleting: true }, 'gone removed'),
  row(
    'an answer was lost: deleted whether or not it is there',
    { ...absent, memory: pending, deleting: true },
    deleted,
  ),
  row('a service that shows no type has only one', { hides: ['role_type'], deleting: true }, deleted),
  row('and that is what was recorded', { hides: ['role_type'], held: false, deleting: true }, deleted),
  row(
    'all memory is lost, and it shows none',
    { ...unrecorded, hides: ['role_type'], deleting: true },
    deleted,
  ),
  row('all memory is lost: held and as declared is ours', { ...unrecorded, deleting: true }, deleted),
  row(
    'held proves nothing of a role by another claim: a restored backup may have it',
    { ...unrecorded, ...finds({ user_claim: 'email' }), deleting: true },
    'blocked DeletionBlocked until live',
  ),
  row(
    'nor of one of another type',
    { ...finds({ role_type: 'jwt' }), deleting: true },
    'blocked DeletionBlocked until live',
  ),
  row(
    'declared by another claim by now: what was recorded goes',
    { ...declares({ userClaim: 'email' }), deleting: true },
    deleted,
  ),
  row(
    'suspended: not yet',
    { deleting: true, policy: { suspend: true } },
    'blocked DeletionBlocked until edit',
  ),
];

describe.for(Object.entries({ missing, owning, inSync, differing, leaving }))('%s', ([, table]) => {
  test.for(table)('$why: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});

test('nothing tells of changes there, so it is looked at again at its own interval', () => {
  expect(planned({})).toMatchObject({ verdict: 'in-sync', revisitMs: 600_000 });
});

test.for<{ given: Given; summary: string }>([
  { given: { ...absent, ...foreign }, summary: 'create staff' },
  { given: absent, summary: 'create staff again' },
  {
    given: { without: ['groupsClaim'], ...finds({ token_ttl: 5 }) },
    summary: 'update staff: /groupsClaim, /tokenTTL',
  },
  { given: { deleting: true }, summary: 'delete staff: nobody logs in with it any more' },
])('a step says what it does: $summary', ({ given, summary }) => {
  const step = firstStep(given);
  expect(step.summary).toBe(summary);
  expect(step.effect).toMatchObject({ port: 'secrets', params: { mount: 'oidc', role: 'staff' } });
});

test('a deletion passes the door for what destroys: a way in is lost', () => {
  expect(firstStep({ deleting: true }).destroys).toBe('registration');
});

test('what is written three times and still differs is left alone', () => {
  const tried = { ...recorded, tries: { '/groupsClaim': 3 } };
  expect(outline({ memory: tried, ...other })).toBe('stalled NonConverging until edit /groupsClaim');
});

test.for<{ why: string; given: Given; revisitMs: number | undefined }>([
  { why: 'as drift wants', given: {}, revisitMs: 600_000 },
  {
    why: 'more often, for its logins',
    given: { spec: { loginCheck: { interval: '5m' } } },
    revisitMs: 300_000,
  },
  { why: 'no less often for them', given: { spec: { loginCheck: { interval: '24h' } } }, revisitMs: 600_000 },
  {
    why: 'when something changes, if it waits for that',
    given: { spec: { loginCheck: {} }, held: false, memory: noStatus },
    revisitMs: undefined,
  },
])('it is looked at again $why', ({ given, revisitMs }) => {
  expect(Object(planned(given)).revisitMs).toBe(revisitMs);
});

// A service that is too old for a field takes a write of it without a word, and keeps nothing of it.
describe('a service that shows all that it has', () => {
  const asked = { spec: { maxAge: '1h' }, wrote: { '/maxAge': 3_600 } } as const;
  test.for<{ given: Given; expect: string }>([
    { given: { ...asked, hides: ['max_age'] }, expect: written('/maxAge') },
    { given: { ...asked, live: { max_age: 3_600 } }, expect: 'in-sync' },
    {
      given: {
        spec: { userClaimJSONPointer: false },
        wrote: { '/userClaimJSONPointer': false },
        hides: ['user_claim_json_pointer'],
      },
      expect: 'in-sync',
    },
    { given: { ...asked, hides: ['max_age', 'token_policies'] }, expect: 'in-sync' },
  ])('$given.hides: $expect', ({ given, expect: outcome }) => {
    expect(outline(given)).toBe(outcome);
  });
});
