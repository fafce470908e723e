// Whatever a name is made of: a call goes to the place in the service that its operation means, or nowhere.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf } from '../../src/api/http/request.ts';
import { ApiError } from '../../src/core/errors.ts';
import { call, operations } from './every-op.ts';
import { client, serve } from './servers.ts';
import { secretsClient } from './secrets/service.ts';

const withSlots = operations.filter(({ slots }) => slots.length > 0);

const pieces = [
  '..',
  '.',
  '/',
  '//',
  '\\',
  '%',
  '%2e',
  '%2E%2e',
  '%2f',
  '\0',
  '\n',
  '\r\n',
  '?',
  '#',
  ';',
  '&',
];
const nasty = fc.oneof(
  fc.constantFrom('', ...pieces, 'a/b', '../sys', '{id}', '{role}', '$&', '$1', '\ud800', '\u202e', 'é', '🂡'),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 4 })
    .map((all) => all.join('')),
);

/** What a router sees: the segments as they were sent, then what each means. */
function seenIn(path: string) {
  const { pathname, searchParams } = new URL(path, 'http://scheduler');
  return {
    sent: path.split('?', 1)[0]?.split('/'),
    meant: pathname.split('/').map(decodeURIComponent),
    searchParams,
  };
}

function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ class: 'refused', mayHaveHadEffect: false });
    return undefined;
  }
}

test.for(withSlots)('$op: each name is its own segments of the path, or is refused', ({ route, slots }) => {
  fc.assert(
    fc.property(fc.record(Object.fromEntries(slots.map((name) => [name, nasty]))), (params) => {
      const path = orRefused(() => pathOf(route, params));
      if (path === undefined) return;
      const { sent, meant } = seenIn(path);
      const expected = route.path.split('/').flatMap((part) => {
        const value = params[part.slice(1, -1)];
        if (!part.startsWith('{') || value === undefined) return [part];
        return part === '{mount}' ? value.split('/') : [value];
      });
      expect(meant).toEqual(expected);
      expect(sent).toHaveLength(expected.length); // nothing was taken for a way up or a segment of its own
    }),
  );
});

test.for(operations)(
  '$op: what goes into the query comes back as it was, or is refused',
  ({ route, slots }) => {
    const fixed = Object.fromEntries(slots.map((name) => [name, 'x']));
    const name = fc.constantFrom('namespace', 'filter', 'prefix', 'next_token', 'node');
    fc.assert(
      fc.property(fc.dictionary(name, nasty), nasty, (params, region) => {
        const path = orRefused(() => pathOf(route, { ...fixed, ...params }, { region }));
        if (path === undefined) return;
        const { searchParams } = seenIn(path);
        expect(Object.fromEntries(searchParams)).toEqual({ ...route.query, ...params, region });
        expect(searchParams.size).toBe(Object.keys({ ...route.query, ...params }).length + 1);
      }),
    );
  },
);

test.for(withSlots)('$op: what is missing, or is no text, leaves no gap in the path', ({ route, slots }) => {
  expect(orRefused(() => pathOf(route, {}))).toBeUndefined();
  const objects = Object.fromEntries(slots.map((name) => [name, {}]));
  expect(orRefused(() => pathOf(route, objects))).toBeUndefined();
});

const refused = ['..', '.', '', '/', 'a/../b', '%2e%2e', '%2f', 'a\nb', 'a\0b', 'a\u0085b', 'a\\b', '\ud800'];
test.for(withSlots)('$op: what leads elsewhere is not sent at all', async (operation) => {
  const { url, seen } = await serve((_, response) => response.end('{}'));
  const sender = operation.service === 'scheduler' ? client([url]) : secretsClient([url]).client;
  for (const value of refused) {
    const came = await call(
      sender,
      operation,
      Object.fromEntries(operation.slots.map((name) => [name, value])),
    );
    const error = { class: 'refused', mayHaveHadEffect: false };
    const outcome = { outcome: { is: 'rejected', error } };
    expect(came, JSON.stringify(value)).toMatchObject(
      operation.route.mutates === false ? { error } : outcome,
    );
  }
  expect(seen).toEqual([]);
});
