// The last answer of an issuer stays while it can't be asked. It stayed after an edit, too: a corrected declaration was not ready by
// what was wrong with the one before, its roles waited for it, and the message named what was not declared any more.
import { expect, test } from 'vitest';
import { documentIn } from '../../../src/api/identity/discovery-document.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { discoveryOf, judged } from '../../../src/kinds/oidc-config/issuer.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { declared, existing } from './situation.ts';

const at = '2026-03-01T00:00:00.000Z';
const late = { reason: 'IssuerSlow', message: 'h: late', transient: true } as const;
const wrong = documentIn(200, JSON.stringify({ issuer: 'https://other.example.com' }));

/** What is said of `spec` while its issuer can't be asked, after it gave a wrong answer to the declared one. */
function saidOf(spec: Spec) {
  const live = { state: 'present', live: existing } as const;
  const related = judged({ at, value: wrong }, declared);
  const first = discoveryOf({ spec: declared, observed: { ...live, related }, status: noStatus });
  expect(first.unready).toMatchObject({ reason: 'IssuerMismatch' });
  const status = { ...noStatus, observed: first.shown };
  return discoveryOf({ spec, status, observed: { ...live, related: judged({ at, value: late }, spec) } });
}

test('what was wrong stays as long as what the issuer was asked for is declared', () => {
  expect(saidOf({ ...declared, defaultRole: 'others' })).toMatchObject({
    unready: { reason: 'IssuerMismatch' },
    conditions: [{ status: 'Unknown', reason: 'IssuerSlow' }],
  });
});

test.each<Partial<Spec>>([
  { discoveryURL: 'https://other.example.com' },
  { discoveryCA: 'another' },
  { clientID: 'another' },
  { jwtSupportedAlgs: ['ES256'] },
])('nothing is known once that is edited: %o', (edit) => {
  const { unready, shown, conditions } = saidOf({ ...declared, ...edit });
  expect(unready).toBeUndefined();
  expect(shown).toEqual({ discovery: { asked: at } });
  expect(conditions).toMatchObject([{ status: 'Unknown', reason: 'IssuerSlow' }]);
});
