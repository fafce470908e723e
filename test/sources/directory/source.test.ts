import { noStatus } from '../../../src/core/status/status.ts';
import { describe, expect, test } from 'vitest';
import { SpecError, UsageError } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import { connection, declared, memory, volume } from './state/data.ts';
import { Bench, secret } from './source-support.ts';

const key = volume('data');
const data = keyText(key);
const quietMs = 2_000;

describe('what stands in the tree', () => {
  test('is listed at the start, once, and only when all of it is there', async () => {
    const bench = await Bench.set(declared(key), declared(connection));
    await bench.start();
    expect(bench.told()).toEqual([`${data} listed`, `${keyText(connection)} listed`]);
    expect([...bench.source.keys()]).toEqual([data, keyText(connection)]);
    expect(bench.source.read(data)).toMatchObject({
      object: {
        key,
        uid: bench.row(key).object.uid,
        generation: 1,
        deleting: false,
        held: false,
        requests: {},
        spec: { size: 1 },
        origin: 'data.yaml',
      },
      status: noStatus,
    });
    expect(bench.source.read('CSIVolume/shop/none')).toBeUndefined();
  });

  test('and has not changed costs no write and tells nothing: not in a pass, not at a restart', async () => {
    const bench = await (await Bench.set(declared(key), declared(connection))).start();
    bench.told();
    bench.gate.effects.length = 0;
    await bench.change({ objects: [declared(key), declared(connection)] });
    expect(bench.told()).toEqual([]);
    expect(bench.gate.effects).toEqual([]);
    const again = await (await bench.restarted()).start();
    expect(again.told()).toHaveLength(2);
    expect(again.gate.effects).toEqual([]);
    expect(again.row(key).object).toEqual(bench.row(key).object);
  });

  test.each([
    { why: 'a new spec is a new generation', now: { spec: { size: 2 } }, generation: 2, told: 'edited' },
    { why: 'a request is none', now: { requests: { reconcile: 't1' } }, generation: 1, told: 'requested' },
    {
      why: 'both at once',
      now: { spec: { size: 2 }, requests: { reconcile: 't1' } },
      generation: 2,
      told: 'edited',
    },
    {
      why: 'another file is nothing to act on',
      now: { origin: 'other.yaml' },
      generation: 1,
      told: undefined,
    },
  ])('and changes: $why', async ({ now, generation, told }) => {
    const bench = await (await Bench.set(declared(key))).start();
    const before = bench.row(key);
    bench.told();
    await bench.change({ objects: [declared(key, now)] });
    expect(bench.told()).toEqual(told ? [`${data} ${told}`] : []);
    const { object } = bench.row(key);
    expect(object).toMatchObject({ generation, uid: before.object.uid, ...now });
    // Kinds keep what they parsed by the spec's identity.
    if (generation === 1) expect(object.spec).toBe(before.object.spec);
    const again = await (await bench.restarted()).start();
    expect(again.row(key)).toEqual(bench.row(key));
    expect(again.gate.effects).toEqual([]);
  });

  test('shares its spec with the reader: a hundred thousand objects are not held twice', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const again = await (await bench.restarted()).start();
    expect(again.row(key).object.spec).toBe(again.tree.objects[0]?.spec);
  });
});

describe('who an object is', () => {
  test('is drawn and recorded: two copies of one tree, which destroyed each other’s disks, share no UID', async () => {
    const [one, other] = [
      await (await Bench.set(declared(key))).start(),
      await (await Bench.set(declared(key))).start(),
    ];
    const { uid } = one.row(key).object;
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other.row(key).object.uid).not.toBe(uid);
    expect((await (await one.restarted()).start()).row(key).object.uid).toBe(uid);
  });

  test('and each leaving and coming back has a generation of its own, which nothing else raises twice', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const generations = [bench.row(key).object.generation];
    for (const objects of [[], [declared(key)], [], [declared(key, { spec: { size: 2 } })]]) {
      await bench.change({ objects });
      if (objects.length === 0) await bench.wait(quietMs);
      generations.push(bench.row(key).object.generation);
    }
    expect(generations).toEqual([1, 2, 3, 4, 5]);
    bench.gate.effects.length = 0;
    await bench.change({});
    const again = await (await bench.restarted()).start();
    expect(again.row(key)).toEqual(bench.row(key));
    expect([...bench.gate.effects, ...again.gate.effects]).toEqual([]);
  });
});

describe('one installation', () => {
  test('a state does not start on the tree of another one, and nothing is entered', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const again = await bench.restarted();
    again.tree.installation = 'staging';
    again.tree.objects = [];
    await expect(again.start()).rejects.toThrow(UsageError);
    expect(again.tree.watched).toBe(false);
    expect(again.row(key).object.deleting).toBe(false);
  });

  test('a name that changes under way stops all taking over, is shown, and heals', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    const { appeared } = await bench.change({ installation: 'staging', objects: [declared(volume('new'))] });
    expect(appeared).toMatchObject([{ message: expect.stringContaining('name it "test" again') }]);
    expect([...bench.source.keys()]).toEqual([data]);
    const { cleared } = await bench.change({ installation: 'test' });
    expect(cleared).toEqual(appeared);
    expect([...bench.source.keys()]).toEqual([data, 'CSIVolume/shop/new']);
  });

  test('without a name at first there are no identities; once known, the objects stay and new ones come', async () => {
    const bench = await Bench.set(declared(key));
    bench.tree.installation = undefined;
    await bench.start();
    expect([...bench.source.keys()]).toEqual([]);
    await bench.change({ installation: 'test' });
    expect([...bench.source.keys()]).toEqual([data]);
    await bench.change({ installation: undefined, objects: [declared(volume('new'))] });
    expect([...bench.source.keys()]).toEqual([data, 'CSIVolume/shop/new']);
    expect(bench.clock.waiting).toBe(0);
  });
});

describe('a declaration with a problem', () => {
  const error = new SpecError('/spec/size', 'a number', '"big"');
  const problem = { message: error.message, origin: 'data.yaml', key: data, error };

  test('leaves the last valid one standing, says why, and heals', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    bench.told();
    bench.gate.effects.length = 0;
    expect((await bench.change({ objects: [], problems: [problem] })).appeared).toEqual([problem]);
    expect(bench.source.read(data)?.object).toEqual({ ...bench.row(key).object, problem: error });
    expect(bench.source.problems()).toEqual([problem]);
    expect(bench.told()).toEqual([`${data} edited`]);
    await bench.change({});
    expect(bench.told()).toEqual([]);
    expect((await bench.change({ objects: [declared(key)], problems: [] })).cleared).toEqual([problem]);
    expect(bench.source.read(data)?.object.problem).toBeUndefined();
    expect(bench.told()).toEqual([`${data} edited`]);
    expect(bench.gate.effects).toHaveLength(4); // each time the object, and the problem of its file
  });

  test('is no removal, and brings back what was leaving', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.change({ objects: [] });
    await bench.wait(quietMs);
    expect(bench.row(key).object.deleting).toBe(true);
    bench.told();
    await bench.change({ problems: [problem] });
    expect(bench.row(key).object.deleting).toBe(false);
    expect(bench.told()).toContain(`${data} edited`);
  });
});

const version = async ({ source }: Bench, entry = 'password', namespace = 'shop') => {
  const found = await source.secret(namespace, 'ldap', entry);
  return found.is === 'there' ? found.secret.version : found.is;
};

describe('secrets', () => {
  test('are boxes with a version that follows the value and survives a restart', async () => {
    const bench = await Bench.set();
    bench.tree.secrets = [secret('ldap', { password: 'canary' })];
    await bench.start();
    const box = await bench.source.secret('shop', 'ldap', 'password');
    if (box.is !== 'there') throw new Error(box.is);
    expect(box.secret.source).toBe('ldap/password');
    expect(box.secret.version).toMatch(/^[0-9a-f]{16}$/);
    expect(JSON.stringify(box)).not.toContain('canary');
    expect(await version(bench, 'other')).toBe('missing');
    expect(await version(bench, 'password', 'blog')).toBe('missing');
    const again = await (await bench.restarted()).start();
    expect(await version(again)).toBe(box.secret.version);
    await again.change({ secrets: [secret('ldap', { password: 'changed' })] });
    expect(await version(again)).not.toBe(box.secret.version);
  });

  test.each([
    { why: 'another value', now: [secret('ldap', { password: 'b' })] },
    { why: 'one entry more', now: [secret('ldap', { password: 'a', user: 'b' })] },
    { why: 'another name', now: [secret('ldap', { passwort: 'a' })] },
  ])('that change are told: $why', async ({ now }) => {
    const bench = await Bench.set();
    bench.tree.secrets = [secret('ldap', { password: 'a' })];
    await bench.start();
    expect(bench.told()).toEqual([]);
    await bench.change({ secrets: [secret('ldap', { password: 'a' })] });
    expect(bench.told()).toEqual([]);
    await bench.change({ secrets: now });
    expect(bench.told()).toEqual(['Secret/shop/ldap secret']);
  });

  test('that did not show at first, while not all could be read, are pending; told once it is known which are missing', async () => {
    const bench = await Bench.set();
    bench.tree.problems = [{ message: 'unreadable', origin: 'secrets.yaml' }];
    await bench.start();
    for (const name of ['ldap', 'none'])
      expect(await bench.source.secret('shop', name, 'password')).toEqual({ is: 'pending' });
    await bench.change({ secrets: [secret('ldap', { password: 'a' })], problems: [] });
    expect(bench.told()).toEqual(['Secret/shop/ldap secret', 'Secret/shop/none secret']);
    expect(await bench.source.secret('shop', 'none', 'password')).toEqual({
      is: 'missing',
      holder: 'missing',
    });
    await bench.change({});
    expect(bench.told()).toEqual([]);
  });

  test('that go away are missing after a while of quiet, not before, and not at all where there are problems', async () => {
    const bench = await Bench.set();
    bench.tree.secrets = [secret('ldap', { password: 'a' })];
    await bench.start();
    await bench.change({ secrets: [], problems: [{ message: 'unreadable', origin: 'secrets.yaml' }] });
    expect(bench.clock.waiting).toBe(0);
    expect((await bench.change({ problems: [] })).waiting).toBe(1);
    expect(await bench.source.secret('shop', 'ldap', 'password')).toMatchObject({ is: 'there' });
    expect((await bench.wait(quietMs)).waiting).toBe(0);
    expect(await bench.source.secret('shop', 'ldap', 'password')).toEqual({
      is: 'missing',
      holder: 'missing',
    });
    expect(bench.told()).toEqual(['Secret/shop/ldap secret']);
  });
});

describe('requests given by command', () => {
  test('are seen by the engine, survive a restart, and yield to a newer one in the manifest', async () => {
    const bench = await (await Bench.set(declared(key, { requests: { reconcile: 't1' } }))).start();
    bench.told();
    await bench.source.overlay(data, 'reconcile', 't2');
    await bench.source.overlay(data, 'suspend', 'true');
    expect(bench.told()).toEqual([`${data} requested`, `${data} requested`]);
    expect(bench.source.read(data)?.object.requests).toEqual({ reconcile: 't2', suspend: 'true' });
    const again = await (await bench.restarted()).start();
    expect(again.source.read(data)?.object.requests).toEqual({ reconcile: 't2', suspend: 'true' });
    again.told();
    await again.change({ objects: [declared(key, { requests: { reconcile: 't3' } })] });
    expect(again.source.read(data)?.object.requests).toEqual({ reconcile: 't3', suspend: 'true' });
    expect(again.told()).toEqual([`${data} requested`]);
  });
});

describe('what is remembered', () => {
  test('belongs to the object with that UID only', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.open(data).writeStatus(memory);
    await bench.open(data).hold();
    expect(bench.source.read(data)).toMatchObject({ status: memory, object: { held: true } });
    const another = await bench.opened(key, { uid: 'another' });
    const gone = await bench.opened(volume('none'), undefined);
    for (const [wrong, reason] of [
      [another.writeStatus({ ...noStatus }), 'replaced'],
      [gone.hold(), 'gone'],
      [another.unhold(), 'replaced'],
      [another.release({ removed: true }), 'replaced'],
    ] as const) {
      await expect(wrong).rejects.toMatchObject({ name: 'ConflictError', reason });
    }
    expect(bench.source.read(data)).toMatchObject({ status: memory, object: { held: true } });
    await bench.open(data).unhold();
    const again = await (await bench.restarted()).start();
    expect(again.source.read(data)).toMatchObject({ status: memory, object: { held: false } });
  });

  test('is not written again when it is the same', async () => {
    const bench = await (await Bench.set(declared(key))).start();
    await bench.open(data).writeStatus(memory);
    bench.gate.effects.length = 0;
    await bench.open(data).writeStatus(memory);
    await bench.open(data).unhold();
    expect(bench.gate.effects).toEqual([]);
  });
});
