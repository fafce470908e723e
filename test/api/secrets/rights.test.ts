// What a token lacks is asked in few requests, and seldom: an object more costs nothing until it is asked about.
import { describe, expect, test } from 'vitest';
import { RightsAsked } from '../../../src/api/secrets/rights.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { UsedBy } from '../../../src/core/kind/permission.ts';

const role = (i: number): UsedBy => ({
  op: 'ldap.role.delete',
  object: `LDAPStaticRole/shop/r${i}`,
  ref: { mount: 'ldap', role: `r${String(i).padStart(5, '0')}` },
});
const many = (count: number) => Array.from({ length: count }, (_, i) => role(i));

function asking(grant: (path: string) => unknown = () => ['delete']) {
  const clock = { nowMs: 0 };
  const requests: (readonly string[])[] = [];
  const asked = new RightsAsked('vault', () => clock.nowMs);
  const of = (calls: readonly UsedBy[], revision = 1) =>
    asked.of({ revision, count: calls.length, calls: () => calls }, (paths) => {
      requests.push(paths);
      return Promise.resolve(Object.fromEntries(paths.map((path) => [path, grant(path)])));
    });
  return { clock, requests, of };
}

describe('how often', () => {
  test('once for what is declared, again for another revision and after ten minutes', async () => {
    const { clock, requests, of } = asking();
    for (const [atMs, revision] of [
      [0, 1],
      [599_999, 1],
      [599_999, 2],
      [1_199_998, 2],
      [1_199_999, 2],
    ] as const) {
      clock.nowMs = atMs;
      await of(many(1), revision);
    }
    expect(requests.length).toBe(3);
  });

  test('a hundred paths a request, ten requests at most, and what was left out is told', async () => {
    const { requests, of } = asking();
    expect(await of(many(1_234))).toEqual({ is: 'known', lacking: [], unasked: 234 });
    expect(requests.map((paths) => paths.length)).toEqual(Array(10).fill(100));
    expect(new Set(requests.flat()).size).toBe(1_000);
  });

  test('what passes by itself is asked again at the next look, what is refused is not', async () => {
    for (const [problem, times] of [
      ['unavailable', 2],
      ['refused', 1],
    ] as const) {
      let asked = 0;
      const rights = new RightsAsked('vault', () => 0);
      const users = { revision: 1, count: 1, calls: () => many(1) };
      for (const _ of [1, 2]) {
        const got = rights.of(users, () => {
          asked += 1;
          return Promise.reject(new ApiError(problem, 'PermissionDenied', 'no'));
        });
        expect(await got).toEqual({ is: 'unknown', message: 'no' });
      }
      expect(asked).toBe(times);
    }
  });
});

describe('what is lacking', () => {
  const config: UsedBy = { op: 'ldap.config.write', object: 'LDAPConfig/shop/d', ref: { mount: 'ldap' } };
  const lackingWith = async (held: unknown) => {
    const got = await asking(() => held).of([config, { ...config, object: 'LDAPConfig/shop/c' }]);
    return got.is === 'known' ? got.lacking.map(({ capability }) => capability) : got;
  };

  test.for<[held: unknown, lacking: readonly string[]]>([
    [['create', 'read', 'update'], []],
    [['root'], []],
    [['update'], ['create']],
    [['deny'], ['create', 'update']],
    [
      ['deny', 'create', 'update'],
      ['create', 'update'],
    ],
    [undefined, ['create', 'update']],
    ['root', ['create', 'update']], // no list
  ])('%j', async ([held, lacking]) => {
    expect(await lackingWith(held)).toEqual(lacking);
  });

  test('is told once, with all who need it', async () => {
    const got = await asking(() => ['create']).of([
      config,
      { ...config, object: 'LDAPConfig/shop/c' },
      config,
    ]);
    expect(got).toMatchObject({
      lacking: [
        { path: 'ldap/config', capability: 'update', objects: ['LDAPConfig/shop/c', 'LDAPConfig/shop/d'] },
      ],
    });
  });
});
