// Bad days that people make, or that a lost answer makes: asked for twice, changed by hand, withdrawn, written wrongly.
import { mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/poll.ts';
import { Bench, configKey, connectionKey, roleKey, well } from './rotation-bench.ts';
import { measured } from './running.ts';

const boundMs = 10_000;
const rotate = (token: string) => ({ 'holdfast.dev/rotate': token });

describe('a rotation', () => {
  test('made by hand in the service is seen when asked to look, else at the drift interval', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    const first = await at.published();
    await at.secrets.call('POST', '/v1/ldap/rotate-role/shop');
    well(await at.command('reconcile', roleKey));
    await measured('from asked to look to published', boundMs, () => at.follows(first));
    const told = (times: number) =>
      eventually(`told ${times} times`, () => at.signals().every((signals) => signals === times));
    await told(1);
    at.role({ drift: { interval: '1s' } });
    const second = await at.published();
    await at.secrets.call('POST', '/v1/ldap/rotate-role/shop');
    await measured('by itself, drift.interval 1s', boundMs, () => at.follows(second));
    await told(2);
    expect(await at.rotations()).toBe(3);
    await at.stop();
  });

  test('asked for again while the first is not answered: at least one after the last token, none without one', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    at.role({}, rotate('one'));
    await eventually('one is begun', async () => (await at.rotations()) === 2);
    at.role({}, rotate('two'));
    at.role({}, rotate('three'));
    const answered = async () => (await at.operator.rows()).get(roleKey)?.status.handledRequests['rotate'];
    await eventually('the last is answered', async () => (await answered()) === 'three');
    await at.rests();
    expect([3, 4]).toContain(await at.rotations());
    expect(await at.works()).toBe(true);
    const rotations = await at.rotations();
    well(await at.command('reconcile', roleKey));
    await at.rests();
    expect(await at.rotations()).toBe(rotations);
    await at.stop();
  });

  test('whose answer is lost is recognised: no second one, one signal', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    const before = await at.published();
    at.faults(({ pattern }) => (pattern.endsWith('/rotate-role/{role}') ? 'drop-after' : 'none'));
    well(await at.command('rotate', roleKey));
    await measured('from lost to published', 2 * boundMs, () => at.follows(before));
    await eventually('everybody told', () => at.signals().every((signals) => signals === 1));
    const { routes, rotations } = await at.secrets.counters();
    expect(rotations['ldap/shop']).toBe(2);
    expect(routes['POST /v1/{mount}/rotate-role/{role}']).toBe(1);
    await at.stop();
  });

  test('of the bind password whose answer is lost is recognised, and the service goes on by it', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    const before = await at.published();
    at.faults(({ pattern }) => (pattern.endsWith('/rotate-root') ? 'drop-after' : 'none'));
    well(await at.command('rotate', configKey));
    expect(await at.operator.reason(configKey, 'Rotated', 'RootPasswordOwned')).toMatch(/^only the service/);
    at.faults();
    const { bindDN, bindPassword } = at.directory;
    expect(await at.directory.bind(bindDN, bindPassword)).toBe(false);
    well(await at.command('rotate', roleKey));
    await at.follows(before);
    const { routes, rootRotations } = await at.secrets.counters();
    expect(rootRotations['ldap']).toBe(1);
    expect(routes['POST /v1/{mount}/rotate-root']).toBe(1);
    await at.stop();
  });
});

describe('what is published', () => {
  test('never overwrites what somebody else put there; freed and asked to look, it is published', async () => {
    const at = await Bench.embedded();
    mkdirSync(dirname(at.output()), { recursive: true });
    writeFileSync(at.output(), 'somebody else’s');
    at.run();
    expect(await at.operator.reason(roleKey, 'OutputConflict')).toBe(
      'output shop/shop-login belongs to somebody else',
    );
    well(await at.command('rotate', roleKey));
    well(await at.command('reconcile', roleKey));
    await at.operator.reason(roleKey, 'OutputConflict');
    expect(await at.published()).toBe('somebody else’s');
    expect(await at.rotations()).toBe(0); // what can't be published is not rotated, nor made to be
    rmSync(dirname(at.output()), { recursive: true });
    well(await at.command('reconcile', roleKey));
    await at.rests();
    expect(await at.works()).toBe(true);
    await at.stop();
  });

  test('is put right when somebody edits, adds or deletes: same password, nobody told', async () => {
    const at = await Bench.embedded();
    at.role({ drift: { interval: '1s' } });
    await at.operator.start();
    const place = dirname(at.output());
    const password = await at.published();
    const extra = join(place, 'extra');
    const isRight = () =>
      [() => readFileSync(at.output(), 'utf8') === password, () => !readsAny(extra)].every((is) =>
        safely(is),
      );
    const harms: Readonly<Record<string, () => void>> = {
      'another value': () => writeFileSync(at.output(), 'edited'),
      'a key deleted': () => unlinkSync(at.output()),
      'a key added': () => writeFileSync(extra, 'not ours'),
      'the link deleted': () => unlinkSync(join(place, '..data')),
      'all of it deleted': () => rmSync(place, { recursive: true, maxRetries: 5 }), // while it is written, too
    };
    for (const [harm, act] of Object.entries(harms)) {
      act();
      expect(isRight(), harm).toBe(false);
      await eventually(`${harm}: put right`, isRight);
    }
    expect(await at.rotations()).toBe(1);
    expect(at.signals()).toEqual([0, 0]);
    await at.stop();
  });

  test('consumers that may not be told through their connection: the role is Ready, and it is said why', async () => {
    const at = await Bench.embedded();
    at.letTell(false);
    await at.operator.start();
    const before = await at.published();
    well(await at.command('rotate', roleKey));
    await at.follows(before);
    expect(await at.operator.reason(roleKey, 'NotificationFailed', 'ConsumersNotified')).toBe(
      '/consumers/0: SchedulerConnection/main gives no Signal of shop to LDAPStaticRole shop from namespace shop',
    );
    expect(await at.operator.condition(roleKey)).toMatchObject({ status: 'True', reason: 'InSync' });
    expect(at.signals()).toEqual([0, 0]);
    at.letTell(true);
    await at.operator.reason(roleKey, 'Notified', 'ConsumersNotified');
    expect(at.signals()).toEqual([1, 1]);
    await at.stop();
  });
});

/** As somebody writes it: no writer of YAML in between. */
const written = (metadata: string, spec: string) =>
  `apiVersion: holdfast.dev/v1alpha1\nkind: LDAPStaticRole\nmetadata: {namespace: shop, ${metadata}}\n` +
  `spec: {configRef: {name: directory}, username: billing, rotationPeriod: 24h, onCreate: Rotate${spec}}\n`;

function safely(is: () => boolean): boolean {
  try {
    return is();
  } catch {
    return false; // on the move
  }
}

const readsAny = (path: string): boolean => safely(() => readFileSync(path).length > 0);

describe('by command or by removing the manifest', () => {
  test('suspended, nothing is rotated and Ready keeps its value; resumed, what was asked for is done', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    const before = await at.published();
    well(await at.command('suspend', roleKey));
    well(await at.command('rotate', roleKey));
    expect(await at.operator.reason(roleKey, 'Suspended', 'Synced')).toBe(
      'not done while suspended: rotate the password of shop',
    );
    expect(await at.operator.condition(roleKey)).toMatchObject({ status: 'True', reason: 'InSync' });
    expect(await at.rotations()).toBe(1);
    well(await at.command('resume', roleKey));
    await at.follows(before);
    expect(await at.rotations()).toBe(2);
    await at.stop();
  });

  test('Retain leaves role and files as they are, to be adopted; Delete takes both', async () => {
    const at = await Bench.embedded();
    await at.operator.start();
    at.tree.remove('role.yaml');
    await at.operator.left(roleKey);
    expect(await at.works()).toBe(true);
    at.role();
    expect(await at.operator.reason(roleKey, 'AdoptionRefused')).toMatch(/adoptionPolicy: Fail/);
    at.role({ deletionPolicy: 'Delete', adoptionPolicy: 'Adopt' });
    // The files are those of the object that left, which nobody can tell from another operator's: a person takes them away.
    expect(await at.operator.reason(roleKey, 'OutputConflict')).toMatch(/an earlier LDAPStaticRole/);
    expect(await at.works()).toBe(true);
    rmSync(join(at.operator.cwd, '.holdfast/outputs/shop/shop-login'), { recursive: true });
    well(await at.command('reconcile', roleKey));
    await at.rests();
    expect(await at.works()).toBe(true);
    expect(await at.rotations()).toBe(1);
    at.tree.remove('role.yaml');
    await at.operator.left(roleKey);
    await expect(at.published()).rejects.toThrow('ENOENT');
    await expect(at.secrets.call('GET', '/v1/ldap/static-role/shop')).rejects.toThrow('404');
    await at.stop();
  });

  test('orphan lets go of a role that can not be deleted, and touches nothing', async () => {
    const at = await Bench.embedded();
    at.role({ deletionPolicy: 'Delete' });
    await at.operator.start();
    const early = await at.command('orphan', roleKey, '--reason', 'too early');
    expect(early).toMatchObject({
      code: 1,
      stderr: `holdfast: ${roleKey} is not being deleted: remove its manifest first\n`,
    });
    await at.secrets.call('POST', '/setup/seal', {});
    well(await at.command('reconcile', roleKey));
    await at.operator.reason(connectionKey, 'Sealed');
    at.tree.remove('role.yaml');
    await eventually('it is leaving', async () => (await at.operator.rows()).get(roleKey)?.object.deleting);
    well(await at.command('orphan', roleKey, '--reason', 'the service will not come back'));
    await at.operator.left(roleKey);
    await at.secrets.call('POST', '/setup/unseal', {});
    await at.secrets.call('GET', '/v1/ldap/static-role/shop');
    expect(await at.works()).toBe(true);
    await at.stop();
  });

  test('__proto__ as a key is refused where it stands, and disturbs nothing else', async () => {
    const at = await Bench.embedded();
    const run = await at.operator.start();
    const before = await at.published();
    const output = `, output: {secretName: b, data: {__proto__: '{{ password }}'}}`;
    at.tree.put('a-output.yaml', written('name: a', output));
    at.tree.put('an-annotation.yaml', written('name: b, annotations: {__proto__: now}', ''));
    at.tree.put(
      'a-secret.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {namespace: shop, name: s}\nstringData: {__proto__: canary-proto-1}\n',
    );
    for (const file of ['a-output', 'an-annotation', 'a-secret']) {
      await run.says(new RegExp(`"origin":"${file}.yaml","line":\\d+,.*__proto__ is not allowed as a key`));
    }
    well(await at.command('rotate', roleKey));
    await at.follows(before);
    expect([...(await at.operator.rows()).keys()].filter((key) => key.startsWith('LDAPStaticRole/'))).toEqual(
      [roleKey],
    );
    await at.stop();
  });
});
