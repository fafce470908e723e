// What Holdfast itself learns of an issuer: each fault has a name, an outage takes nothing back, and nobody is asked who may not be.
import { describe, expect, test } from 'vitest';
import { documentIn } from '../../../src/api/identity/discovery-document.ts';
import type { Resolved } from '../../../src/core/resource.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { oidcConfig } from '../../../src/kinds/oidc-config/kind.ts';
import { judged, questionOf } from '../../../src/kinds/oidc-config/issuer.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { Secret } from '../../../src/core/secret.ts';
import { serve } from '../../api/servers.ts';
import { Driven, served } from '../driven.ts';
import { secretsOf } from '../resolved.ts';
import { canary, declared, key } from './situation.ts';

const at = '2026-03-01T00:00:00.000Z';
const issuer = 'https://embedded/staff';
const document = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  id_token_signing_alg_values_supported: ['RS256', 'ES256'],
};
type Answer = ReturnType<typeof documentIn>;
const said = (value: unknown, status = 200): Answer =>
  documentIn(status, typeof value === 'string' ? value : JSON.stringify(value));
const without = (name: keyof typeof document) => ({ ...document, [name]: undefined });
const { clientID: _id, clientSecretSecretRef: _secret, ...clientless } = declared;

test.for<{ why: string; answer: Answer; spec?: Partial<Spec>; reason: string; message?: string }>([
  { why: 'all is there', answer: said(document), reason: 'IssuerAnswers' },
  {
    why: 'it is called otherwise, if only by a slash',
    answer: said({ ...document, issuer: `${issuer}/` }),
    reason: 'IssuerMismatch',
    message: `/discoveryURL: the issuer says that it is called "${issuer}/"`,
  },
  {
    why: 'it does not say what it is called',
    answer: said(without('issuer')),
    reason: 'IssuerMismatch',
  },
  {
    why: 'its name is long',
    answer: said({ ...document, issuer: 'x'.repeat(9_000) }),
    reason: 'IssuerMismatch',
  },
  {
    why: 'it does not sign with RS256, which is what is taken where nothing is said',
    answer: said({ ...document, id_token_signing_alg_values_supported: ['ES256', 'EdDSA'] }),
    reason: 'AlgorithmNotOffered',
    message: '/jwtSupportedAlgs: logins take RS256, and the issuer signs with ES256, EdDSA',
  },
  {
    why: 'it signs with none that is declared',
    answer: said(document),
    spec: { jwtSupportedAlgs: ['PS256', 'PS384'] },
    reason: 'AlgorithmNotOffered',
  },
  {
    why: 'one is enough',
    answer: said(document),
    spec: { jwtSupportedAlgs: ['PS256', 'ES256'] },
    reason: 'IssuerAnswers',
  },
  {
    why: 'it does not say how it signs',
    answer: said({ ...document, id_token_signing_alg_values_supported: [] }),
    reason: 'IssuerAnswers',
  },
  {
    why: 'nobody can log in by browser',
    answer: said(without('authorization_endpoint')),
    reason: 'EndpointsMissing',
    message: 'the issuer names no authorization_endpoint',
  },
  {
    why: 'what it names is no address',
    answer: said({ ...document, token_endpoint: 'file:///token', jwks_uri: 7 }),
    reason: 'EndpointsMissing',
    message: 'the issuer names no token_endpoint, no jwks_uri',
  },
  { why: 'it is elsewhere', answer: said('', 302), reason: 'IssuerRedirects' },
  { why: 'the path is wrong', answer: said('no', 404), reason: 'IssuerRefused', message: 'status 404' },
  { why: 'it is busy', answer: said('', 429), reason: 'IssuerUnavailable' },
  { why: 'it is not well', answer: said('', 503), reason: 'IssuerUnavailable', message: 'status 503' },
  {
    why: 'a proxy greets',
    answer: said('<html>canary'),
    reason: 'IssuerUnreadable',
    message: 'the document is no JSON object',
  },
  { why: 'it is a list', answer: said([document]), reason: 'IssuerUnreadable' },
  {
    why: 'there is no answer',
    answer: { reason: 'IssuerSlow', message: 'h: late', transient: true },
    reason: 'IssuerSlow',
    message: 'h: late',
  },
])('$why: $reason', ({ answer, spec = {}, reason, message }) => {
  const found = judged({ at, value: answer }, { ...declared, ...spec });
  expect(found).toMatchObject({ at, reason, ...(message !== undefined && { message }) });
  expect(JSON.stringify(found).length).toBeLessThan(512);
});

test('tokens alone need keys, and are taken however they are signed', () => {
  const answer = said({
    issuer,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['ES256'],
  });
  expect(judged({ at, value: answer }, clientless)).toMatchObject({ reason: 'IssuerAnswers' });
  expect(judged({ at, value: said({ issuer }) }, clientless)).toMatchObject({
    reason: 'EndpointsMissing',
  });
});

const allowing = (probeHosts: string): Resolved =>
  new Map([['/connectionRef', { state: 'ready', outputs: { dialect: 'vault', probeHosts } }]]);

describe('only a host that the administrator lists is asked', () => {
  test.for<{ why: string; url: string; hosts: string; asked: boolean }>([
    { why: 'none is', url: 'https://id.example.com', hosts: '', asked: false },
    { why: 'this one is', url: 'https://ID.example.com:8443/a/', hosts: 'ldap,Id.example.com', asked: true },
    { why: 'another one is', url: 'https://id.example.com.evil.org', hosts: 'id.example.com', asked: false },
    {
      why: 'it stands for a user only',
      url: 'https://id.example.com@evil.org',
      hosts: 'id.example.com',
      asked: false,
    },
    { why: 'an address of version 6', url: 'https://[::1]:8443', hosts: '::1', asked: true },
  ])('$why', ({ url, hosts, asked }) => {
    const question = questionOf({ ...declared, discoveryURL: url }, allowing(hosts));
    expect(question !== undefined).toBe(asked);
  });

  test('at one address, with the authority of the declaration', () => {
    const spec = { ...declared, discoveryURL: 'https://id.example.com/a/', discoveryCA: 'PEM' };
    expect(questionOf(spec, allowing('id.example.com'))).toEqual({
      url: 'https://id.example.com/a/',
      certificate: 'PEM',
    });
  });
});

async function asking(hosts = '127.0.0.1') {
  const answers = { status: 200, text: '' };
  const { url, seen } = await serve((_, response) => {
    response.writeHead(answers.status).end(answers.text);
  });
  const well = { ...document, issuer: url };
  answers.text = JSON.stringify(well);
  const { service, clock, performed } = await served('vault');
  const secret = Secret.of('oidc/secret', '1', canary);
  const resolved = (now: Spec) =>
    new Map([...secretsOf(now, { clientSecretSecretRef: secret }), ...allowing(hosts)]);
  const spec = { ...declared, discoveryURL: url };
  const driven = new Driven({ kind: oidcConfig, key, service, resolved }, spec);
  const state = async () => {
    await driven.visit();
    const { conditions, observed } = driven.memory;
    const of = (type: 'Ready' | 'DiscoverySucceeded') => {
      const found = conditionOf(conditions, type);
      return found && `${found.status}/${found.reason}`;
    };
    return { ready: of('Ready'), issuer: of('DiscoverySucceeded'), shown: observed?.['discovery'] };
  };
  return { driven, answers, well, seen, clock, performed, state };
}

describe('a configuration whose issuer is asked', () => {
  test('says so, and writes nothing while the answer is fresh', async () => {
    const { state, seen, clock, driven } = await asking();
    const first = await state();
    expect(first).toMatchObject({
      ready: 'True/InSync',
      issuer: 'True/IssuerAnswers',
      shown: { result: 'IssuerAnswers' },
    });
    const before = seen.length;
    const memory = driven.memory;
    clock.turn(3_599_000);
    expect(await state()).toEqual(first);
    expect(driven.memory).toStrictEqual(memory);
    expect(seen.length).toBe(before);
    clock.turn(1_000);
    await state();
    expect(seen.length).toBe(before + 1);
  });

  test('is not ready while no login can work, and is again within a minute after it can', async () => {
    const { state, answers, well, clock } = await asking();
    await state();
    answers.text = JSON.stringify({ ...well, issuer: 'https://other.example.com' });
    clock.turn(3_600_000);
    expect(await state()).toMatchObject({
      ready: 'False/IssuerMismatch',
      issuer: 'False/IssuerMismatch',
    });
    answers.text = JSON.stringify(well);
    clock.turn(60_000);
    expect(await state()).toMatchObject({ ready: 'True/InSync', issuer: 'True/IssuerAnswers' });
  });

  test('is neither taken for sound nor for broken by an outage: what was known stays', async () => {
    const { state, answers, well, clock } = await asking();
    const { shown } = await state();
    answers.status = 503;
    clock.turn(3_600_000);
    const down = await state();
    expect(down).toMatchObject({
      ready: 'True/InSync',
      issuer: 'Unknown/IssuerUnavailable',
      shown: { result: 'IssuerAnswers', answered: shown && Object(shown).answered },
    });
    Object.assign(answers, { status: 200, text: JSON.stringify({ ...well, issuer: 'x' }) });
    clock.turn(60_000);
    await state();
    answers.status = 503;
    clock.turn(60_000);
    expect(await state()).toMatchObject({
      ready: 'False/IssuerMismatch',
      issuer: 'Unknown/IssuerUnavailable',
      shown: { result: 'IssuerMismatch' },
    });
  });

  test('stays ready where only Holdfast may be the one who sees a fault', async () => {
    const { state, answers, clock } = await asking();
    await state();
    for (const [status, text, reason] of [
      [302, '', 'IssuerRedirects'],
      [404, '', 'IssuerRefused'],
      [200, '<html>', 'IssuerUnreadable'],
    ] as const) {
      Object.assign(answers, { status, text });
      clock.turn(3_600_000);
      expect(await state()).toMatchObject({ ready: 'True/InSync', issuer: `False/${reason}` });
    }
  });

  test('asks at once where a person asks to look, and not when it leaves', async () => {
    const { state, seen, driven } = await asking();
    await state();
    const before = seen.length;
    driven.requests = { reconcile: 'now' };
    await state();
    expect(seen.length).toBe(before + 1);
    driven.deleting = true;
    await state();
    expect(seen.length).toBe(before + 1);
  });

  test('says nothing of an issuer that may not be asked', async () => {
    const { state } = await asking('other.example.com');
    expect(await state()).toMatchObject({ ready: 'True/InSync', issuer: undefined, shown: undefined });
  });

  test('that the service refuses says why, from what Holdfast saw', async () => {
    const { state, answers, well, performed } = await asking();
    answers.text = JSON.stringify({ ...well, issuer: 'https://other.example.com' });
    expect(await state()).toMatchObject({ issuer: 'False/IssuerMismatch' });
    expect(performed).toEqual(['oidc.config.write']);
  });
});
