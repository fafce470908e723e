// What a refusal of the API server means, and what of it is shown: its text may quote values of the object.
import { describe, expect, test } from 'vitest';
import { isAbsent, ofCluster, refusal } from '../../../src/api/kubernetes/refusals.ts';
import { ApiError, type ApiErrorClass } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import type { Reason } from '../../../src/core/status/reasons.ts';
import { everythingOf } from '../servers.ts';

const canary = 'canary-4f1d';
const reply = (status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers,
  text: typeof body === 'string' ? body : JSON.stringify(body),
});

test.for<{ status: number; class: ApiErrorClass; reason: Reason; acted: boolean }>([
  { status: 400, class: 'refused', reason: 'Rejected', acted: false },
  { status: 401, class: 'unavailable', reason: 'ClusterUnavailable', acted: false },
  { status: 403, class: 'refused', reason: 'PermissionDenied', acted: false },
  { status: 404, class: 'refused', reason: 'Rejected', acted: false },
  { status: 422, class: 'refused', reason: 'Rejected', acted: false },
  { status: 429, class: 'throttled', reason: 'Throttled', acted: false },
  { status: 500, class: 'unavailable', reason: 'ClusterUnavailable', acted: true },
  { status: 503, class: 'unavailable', reason: 'ClusterUnavailable', acted: false },
  { status: 504, class: 'unavailable', reason: 'ClusterUnavailable', acted: true },
])('$status is $class, and it may have been done: $acted', ({ status, acted, ...is }) => {
  expect(refusal('disks.get', reply(status))).toMatchObject({ ...is, status, mayHaveHadEffect: acted });
});

test('the API server says how long to wait', () => {
  expect(refusal('disks.get', reply(429, '', { 'retry-after': '7' })).retryAfterMs).toBe(7_000);
  expect(refusal('disks.get', reply(503, '', { 'retry-after': 'soon' })).retryAfterMs).toBeUndefined();
});

describe('what is shown', () => {
  test.for<{ why: string; status: number; body: unknown; shown: string }>([
    { why: 'is the status where nothing was said', status: 500, body: '', shown: 'disks.get: 500' },
    {
      why: 'is what is missing where the resource is not served: a number told nobody that its definition was taken away',
      status: 404,
      body: '404 page not found\n',
      shown: 'disks.get: 404, as where its CustomResourceDefinition is not installed',
    },
    {
      why: 'is the status where it was no JSON',
      status: 502,
      body: `<b>${canary}</b>`,
      shown: 'disks.get: 502',
    },
    {
      why: 'is reason and fields of a refused object, not what they hold',
      status: 422,
      body: {
        kind: 'Status',
        reason: 'Invalid',
        message: `Secret "a" is invalid: data: Invalid value: "${canary}"`,
        details: {
          name: 'a',
          causes: [
            { reason: 'FieldValueInvalid', field: 'data.password', message: `Invalid value: "${canary}"` },
            { field: 7, message: canary },
          ],
        },
      },
      shown: 'disks.get: Invalid data.password',
    },
    {
      why: 'is what a refused permission says: it quotes names alone',
      status: 403,
      body: { reason: 'Forbidden', message: 'User "ann" cannot get\nresource "secrets"' },
      shown: 'disks.get: User "ann" cannot get resource "secrets"',
    },
    {
      why: 'is that of the API server itself, which names the resource first',
      status: 403,
      body: {
        reason: 'Forbidden',
        message: 'secrets "shop-login" is forbidden: User "ann" cannot update resource "secrets"',
      },
      shown: 'disks.get: secrets "shop-login" is forbidden: User "ann" cannot update resource "secrets"',
    },
    {
      why: 'is which quota is used up, in numbers',
      status: 403,
      body: {
        reason: 'Forbidden',
        message: 'secrets "a" is forbidden: exceeded quota: small, requested: secrets=1, used: secrets=5',
      },
      shown:
        'disks.get: secrets "a" is forbidden: exceeded quota: small, requested: secrets=1, used: secrets=5',
    },
    {
      why: 'is which webhook denied it, and not what it says: that may be a value',
      status: 403,
      body: {
        reason: 'Forbidden',
        message: `admission webhook "secrets.corp.example" denied the request: User "${canary}" cannot be a password`,
      },
      shown: 'disks.get: Forbidden denied by admission webhook "secrets.corp.example"',
    },
    {
      why: 'is no reason that a webhook made up of what it says',
      status: 403,
      body: {
        reason: `${canary} is a known password`,
        message: `admission webhook "secrets.corp.example" denied the request: ${canary} is a known password`,
      },
      shown: 'disks.get: denied by admission webhook "secrets.corp.example"',
    },
    {
      why: 'is which policy denied it, and not what it says',
      status: 422,
      body: {
        reason: 'Invalid',
        message: `secrets "a" is forbidden: ValidatingAdmissionPolicy 'known' with binding 'all' denied request: ${canary}`,
      },
      shown: "disks.get: Invalid denied by ValidatingAdmissionPolicy 'known'",
    },
    {
      why: 'is what a policy of ours says: which verb is needed',
      status: 403,
      body: {
        reason: 'Forbidden',
        message: `disks "a" is forbidden: ValidatingAdmissionPolicy 'holdfast-requests' with binding 'holdfast-requests' denied request: needs the verb x`,
      },
      shown: `disks.get: disks "a" is forbidden: ValidatingAdmissionPolicy 'holdfast-requests' with binding 'holdfast-requests' denied request: needs the verb x`,
    },
    {
      why: 'is the reason alone of who else refuses',
      status: 403,
      body: { reason: 'Forbidden', message: `secrets "a" is forbidden: ${canary}` },
      shown: 'disks.get: Forbidden',
    },
    {
      why: 'is no more than five fields',
      status: 422,
      body: { reason: 'Invalid', details: { causes: Array.from({ length: 9 }, () => ({ field: 'f' })) } },
      shown: 'disks.get: Invalid f f f f f',
    },
  ])('$why', ({ status, body, shown }) => {
    const error = refusal('disks.get', reply(status, body));
    expect(error.message).toBe(shown);
    expect(everythingOf(error)).not.toContain(canary);
  });

  test('is one line of limited length', () => {
    const long = { reason: 'Forbidden', message: `User "a" cannot\r\n${'b'.repeat(10_000)}` };
    const { message } = refusal('disks.get', reply(403, long));
    expect(message).not.toMatch(/[\r\n]/);
    expect(message.length).toBeLessThan(400);
  });
});

test('nothing that was sent is shown, neither as it was sent nor as what it holds, whoever quotes it', () => {
  const value = 'canary: of {two} words';
  const packed = Buffer.from(value).toString('base64');
  const sent = {
    data: { password: Secret.of('login/password', '1', packed) },
    token: Secret.of('t', '1', 'a.b c'),
  };
  const causes = [{ field: `data[${packed}]` }, { field: `data.password=${value}` }, { field: 'a.b c' }];
  const body = { reason: 'Invalid', details: { causes } };
  expect(refusal('secrets.create', reply(422, body), sent).message).toBe(
    'secrets.create: Invalid data[(secret login/password)] data.password=(secret login/password) (secret t)',
  );
});

test.for<{ why: string; status: number; body: unknown; is: boolean }>([
  {
    why: 'an object that is not there',
    status: 404,
    body: { reason: 'NotFound', details: { name: 'a' } },
    is: true,
  },
  { why: 'a definition that is not there', status: 404, body: '404 page not found', is: false },
  { why: 'a resource that is not there', status: 404, body: { reason: 'NotFound', details: {} }, is: false },
  { why: 'something in between that finds nothing', status: 404, body: '<html>', is: false },
  { why: 'a name that is gone for good', status: 410, body: { details: { name: 'a' } }, is: false },
])('$why is an absent object: $is', ({ status, body, is }) => {
  expect(isAbsent(reply(status, body))).toBe(is);
});

test('an API server that can’t be used is no outage of the services that are declared', () => {
  const timeout = new ApiError('timeout', 'Timeout', 'disks.get: no answer in time', {
    mayHaveHadEffect: true,
  });
  expect(ofCluster(timeout)).toMatchObject({
    class: 'timeout',
    reason: 'ClusterUnavailable',
    message: 'disks.get: no answer in time',
    mayHaveHadEffect: true,
  });
  const lost = new ApiError('unavailable', 'NotLeading', 'the lease is lost');
  expect(ofCluster(lost)).toBe(lost);
});
