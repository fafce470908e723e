import { describe, expect, test } from 'vitest';
import { Router } from '../../../src/embedded/http/router.ts';

const router = new Router([
  { method: 'GET', path: '/v1/things' },
  { method: 'GET', path: '/v1/thing/{id}' },
  { method: 'PUT', path: '/v1/thing/{id}/make' },
  { method: 'PUT', path: '/v1/thing/{id}/{other}' },
  { method: 'GET', path: '/v1/tree' },
  { method: 'GET', path: '/v1/tree/{path...}' },
]);

describe('a router', () => {
  test.each([
    { asked: 'GET /v1/things', is: 'found', params: {}, why: 'a plain path' },
    { asked: 'GET /v1/thing/a', is: 'found', params: { id: 'a' }, why: 'a name' },
    { asked: 'GET /v1/thing/a%20b', is: 'found', params: { id: 'a b' }, why: 'names are decoded' },
    { asked: 'GET /v1/thing/__proto__', is: 'found', params: { id: '__proto__' }, why: 'any text is a name' },
    { asked: 'PUT /v1/thing/a/make', is: 'found', params: { id: 'a' }, why: 'a word goes before a name' },
    { asked: 'PUT /v1/thing/a/b', is: 'found', params: { id: 'a', other: 'b' }, why: 'two names' },
    { asked: 'PUT /v1/thing/a%2Fb', is: 'found', params: { id: 'a', other: 'b' }, why: 'a slash is a slash' },
    { asked: 'GET /v1/tree/a/b', is: 'found', params: { path: 'a/b' }, why: 'all the rest is a name' },
    { asked: 'GET /v1/tree/a%2Fb/', is: 'found', params: { path: 'a/b/' }, why: 'as it is decoded' },
    { asked: 'GET /v1/tree', is: 'found', params: {}, why: 'nothing is no rest' },
    { asked: 'GET /v1/tree/', is: 'unknown', why: 'nor is an empty one' },
    { asked: 'PUT /v1/things', is: 'method', why: 'known path, other method' },
    { asked: 'GET /v1/thing/a/make', is: 'method', why: 'the same, below a name' },
    { asked: 'GET /v1/thing/a/b/c', is: 'below', why: 'deeper than any route' },
    { asked: 'GET /v1/thing/', is: 'below', why: 'a name is not empty' },
    { asked: 'GET /v1', is: 'unknown', why: 'on the way to routes, but none itself' },
    { asked: 'GET /v2/things', is: 'unknown', why: 'no such word' },
    { asked: 'GET /v1/thing/%zz', is: 'malformed', why: 'no percent-encoding' },
  ])('$asked is $is: $why', ({ asked, is, params }) => {
    const [method = '', path = ''] = asked.split(' ');
    const match = router.find(method, path);
    expect(match.is).toBe(is);
    if (match.is === 'found') expect(match.params).toEqual(params);
  });

  test('the same route twice is a mistake that shows at once', () => {
    const route = { method: 'GET', path: '/a' };
    expect(() => new Router([route, route])).toThrow('two routes: GET /a');
  });
});
