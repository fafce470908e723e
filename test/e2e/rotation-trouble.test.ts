// Rotations when much goes on at once, or when something is wrong for good: hundreds due at once, one that always fails, a
// configuration that goes while its roles stay.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/embedded/clock.ts';
import { volume, type Spec } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { staticRole } from '../support/secrets.ts';
import { report } from './report.ts';
import { Bench, configKey, roleKey, well } from './rotation-bench.ts';

const dnOf = (name: string) => `uid=${name},ou=services,dc=example,dc=org`;
const keyOf = (name: string) => `LDAPStaticRole/shop/${name}`;

const roleNamed = (name: string, spec: Spec = {}): Spec => ({
  ...staticRole({ username: name, dn: dnOf(name), output: { secretName: name }, ...spec }),
  metadata: { namespace: 'shop', name },
});

const enter = (at: Bench, name: string) =>
  at.secrets.call('POST', '/setup/entries', {
    dn: dnOf(name),
    password: `canary-entry-${name}`,
    attributes: {},
  });

const publishedOf = (at: Bench, name: string) =>
  readFile(join(at.cwd, '.holdfast/outputs/shop', name, 'password'), 'utf8').catch(() => '');

const countOf = async (at: Bench, route: string): Promise<number> =>
  (await at.secrets.counters()).routes[route] ?? 0;

/** Each that is not yet published with the password in force. */
async function stale(at: Bench, names: readonly string[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const name of names) {
    const password = await publishedOf(at, name);
    if (password === '' || !(await at.secrets.binds(dnOf(name), password))) left.push(name);
  }
  return left;
}

test('five hundred due at once: each is published once, nothing is rotated twice, and others get their turn', async () => {
  let aheadMs = 0;
  const nowMs = () => systemClock.nowMs() + aheadMs;
  const at = await Bench.embedded({ clock: { ...systemClock, nowMs } });
  const names = Array.from({ length: 500 }, (_, n) => `s${n}`);
  for (const name of names) await enter(at, name);
  at.tree.put('many.yaml', ...names.map((name) => roleNamed(name, { drift: { interval: '10s' } })));
  const run = await at.operator.start();
  // The tree is taken in by parts: what was ready then need not have been all of it.
  await eventually('all are published', async () => (await stale(at, names)).length === 0);

  await at.secrets.resetCounters();
  aheadMs = 25 * 3_600_000; // by the service's clock: all of them are due
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
  // Until then what was published before is still in force, and nothing is stale.
  await eventually('the service has rotated all', async () => {
    const { rotations } = await at.secrets.counters();
    return names.every((name) => rotations[`ldap/${name}`] === 1);
  });
  at.tree.put('volume.yaml', volume('meanwhile'));
  await at.operator.reason('CSIVolume/shop/meanwhile', 'InSync');
  const volumeSeconds = seconds();
  let left = names;
  await eventually('all are published', async () => (left = [...(await stale(at, left))]).length === 0, {
    withinMs: 180_000,
    seen: () => `${left.length} left`,
  });
  report(`500 roles due at once: published within ${seconds()} s, a new volume within ${volumeSeconds} s`);
  const { rotations, writes } = await at.secrets.counters();
  expect(writes).toBe(0); // the service rotated them, and nobody else
  expect(names.filter((name) => rotations[`ldap/${name}`] !== 1)).toEqual([]);
  const reads = await countOf(at, 'GET /v1/{mount}/static-cred/{role}');
  expect(reads).toBeLessThanOrEqual(1.05 * (names.length + 1)); // one each; some may be read again
  const { stdout, stderr } = await run.stop();
  const passwords = await Promise.all(names.map((name) => publishedOf(at, name)));
  expect(passwords.filter((one) => (stdout + stderr).includes(one))).toEqual([]);
  await at.stop();
});

test('a role whose rotation always fails says why all the time, is not tried in a hurry, and holds up nobody', async () => {
  const at = await Bench.embedded();
  at.tree.put('lost.yaml', roleNamed('lost', { onCreate: 'Keep', drift: { interval: '1s' } }));
  at.run();
  await at.operator.reason(roleKey, 'InSync');
  await at.operator.reason(keyOf('lost'), 'AwaitingRotation');
  await at.secrets.resetCounters();
  well(await at.command('rotate', keyOf('lost')));
  await at.operator.reason(keyOf('lost'), 'EntryNotFound');
  const tries = () => countOf(at, 'POST /v1/{mount}/rotate-role/{role}');
  const reasons = new Set<string>();
  const startedMs = performance.now();
  await eventually('tried three times', async () => {
    const condition = await at.operator.condition(keyOf('lost'));
    reasons.add(`${condition?.status} ${condition?.reason}`);
    return (await tries()) >= 3;
  });
  // It is asked for again only once the one before can't be under way any more: after the request timeout, and ten seconds.
  expect(performance.now() - startedMs).toBeGreaterThan(20_000);
  expect([...reasons]).toEqual(['False EntryNotFound']);
  expect((await at.operator.condition(keyOf('lost')))?.message).toContain('No Such Object');

  const before = await at.published();
  well(await at.command('rotate', roleKey));
  await at.follows(before);
  await enter(at, 'lost');
  await at.rests(keyOf('lost'));
  expect(await stale(at, ['lost'])).toEqual([]);
  await at.stop();
});

test('a configuration that goes while its roles stay waits for them; gone by hand, it comes back, and no role notices', async () => {
  const at = await Bench.embedded();
  const deletes = { deletionPolicy: 'Delete' };
  at.configure(deletes);
  await at.operator.start();
  at.tree.remove('directory.yaml');
  expect(await at.operator.reason(configKey, 'DeletionBlocked')).toBe(`still used by ${roleKey}`);
  const before = await at.published();
  well(await at.command('rotate', roleKey));
  await at.follows(before); // the role goes on as if nothing were
  at.configure(deletes);
  await at.rests(configKey);

  await at.secrets.call('DELETE', '/v1/ldap/config');
  const second = await at.published();
  well(await at.command('rotate', roleKey));
  await at.operator.reason(roleKey, 'ConfigNotFound');
  well(await at.command('reconcile', configKey));
  await at.follows(second);
  await at.rests(configKey);
  await at.stop();
});
