// A password from its rotation to those who use it, as a user drives it: a real directory, the program in a process of
// its own, files that programs read, a job that is told.
import { describe, expect, test } from 'vitest';
import { secretsConnection, ldapConfig } from '../support/secrets.ts';
import { eventually } from '../support/poll.ts';
import { hasSlapd } from '../support/slapd.ts';
import { Bench, well } from './rotation-bench.ts';

describe.skipIf(!hasSlapd)('against slapd', () => {
  test('made with onCreate: Rotate: the old password is of no use, the published one is; again, nothing is written', async () => {
    const at = await Bench.open();
    const { dn, password } = at.directory.entries.shop;
    well(await at.apply());
    expect(await at.directory.bind(dn, password)).toBe(false);
    expect(await at.directory.bind(dn, await at.published())).toBe(true);
    expect(at.signals()).toEqual([0, 0]); // nobody used a published password before
    await at.secrets.resetCounters();
    well(await at.apply());
    expect(await at.secrets.counters()).toMatchObject({ writes: 0, rotations: {} });
    await at.stop();
  });

  test('onCreate: Keep leaves the password as it is, until a rotation is asked for', async () => {
    const at = await Bench.open();
    const { dn, password } = at.directory.entries.shop;
    at.role({ onCreate: 'Keep' });
    await at.apply();
    expect(await at.directory.bind(dn, password)).toBe(true);
    expect(await at.rotations()).toBe(0);
    at.role({ onCreate: 'Keep' }, { 'holdfast.dev/rotate': 'now' });
    well(await at.apply());
    expect(await at.directory.bind(dn, password)).toBe(false);
    expect(await at.directory.bind(dn, await at.published())).toBe(true);
    await at.stop();
  });

  test('rotated by command while it runs: one rotation, the file changes, each allocation is told once', async () => {
    const at = await Bench.open();
    well(await at.apply());
    const before = await at.published();
    const run = at.run();
    await run.says(/"msg":"running"/);
    well(await at.command('rotate', 'LDAPStaticRole/shop/shop'));
    await eventually('another password', async () => (await at.published()) !== before);
    await eventually('everybody told', () => at.signals().every((signals) => signals === 1));
    expect(await at.rotations()).toBe(2);
    expect(await at.directory.bind(at.directory.entries.shop.dn, await at.published())).toBe(true);
    await run.stop();
    well(await at.apply());
    expect(at.signals()).toEqual([1, 1]);
    await at.stop();
  });

  test('rotated by hand in the service: published and told as if it had been asked for', async () => {
    const at = await Bench.open();
    well(await at.apply());
    await at.secrets.call('POST', '/v1/ldap/rotate-role/shop');
    well(await at.apply());
    expect(await at.directory.bind(at.directory.entries.shop.dn, await at.published())).toBe(true);
    expect(at.signals()).toEqual([1, 1]);
    await at.stop();
  });

  test('two tokens in one second: at least one rotation after the last, and no endless ones', async () => {
    const at = await Bench.open();
    well(await at.apply());
    at.role({}, { 'holdfast.dev/rotate': 'one' });
    at.role({}, { 'holdfast.dev/rotate': 'two' });
    well(await at.apply());
    expect(await at.rotations()).toBe(2);
    well(await at.apply());
    expect(await at.rotations()).toBe(2);
    await at.stop();
  });

  test('StartTLS with the directory’s own authority, and a bind that proves the password', async () => {
    const at = await Bench.open({ tls: true });
    at.tree.put('secrets.yaml', ...secretsConnection(at.secrets, { probeHosts: ['127.0.0.1'] }));
    at.tree.put(
      'directory.yaml',
      ...ldapConfig(at.directory, { startTLS: true, caSecretRef: { name: 'ca', key: 'ca.pem' } }),
    );
    at.tree.put('ca.yaml', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'ca' },
      stringData: { 'ca.pem': at.directory.ca },
    });
    at.role({ verify: { bind: true } });
    well(await at.apply());
    expect(await at.directory.bind(at.directory.entries.shop.dn, await at.published())).toBe(true);
    const { stdout } = await at.command('get', 'LDAPStaticRole/shop/shop', '-o', 'json');
    expect(stdout).toMatch(/"RotationVerified"[^}]*"BindSucceeded"/);
    await at.stop();
  });

  test('after rotate-root and ten edits, labels and restarts the bind password is sent not once more', async () => {
    const at = await Bench.open();
    well(await at.apply());
    const declare = (
      more: Readonly<Record<string, unknown>>,
      labels = {},
      password = at.directory.bindPassword,
    ) => {
      const annotations = { 'holdfast.dev/rotate-root': 'once' };
      const [config = {}, secret = {}] = ldapConfig({ ...at.directory, bindPassword: password }, more);
      const metadata = { namespace: 'shop', name: 'directory', labels, annotations };
      at.tree.put('directory.yaml', { ...config, metadata }, secret);
    };
    declare({});
    well(await at.apply());
    expect(await at.directory.bind(at.directory.bindDN, at.directory.bindPassword)).toBe(false);
    await at.secrets.resetCounters();
    for (let edit = 0; edit < 10; edit++) {
      const timeout = { requestTimeout: `${30 + edit}s` };
      declare(timeout, { edit: `e${edit}` }, `canary-moved-bind-${edit}`);
      well(await at.apply());
    }
    const { bindPasswordWrites, rootRotations } = await at.secrets.counters();
    expect({ bindPasswordWrites, rootRotations }).toEqual({ bindPasswordWrites: {}, rootRotations: {} });
    at.role({}, { 'holdfast.dev/rotate': 'still works' });
    well(await at.apply());
    expect(await at.directory.bind(at.directory.entries.shop.dn, await at.published())).toBe(true);
    await at.stop();
  });
});
