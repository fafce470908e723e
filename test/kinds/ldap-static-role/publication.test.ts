// LDAPStaticRole under the real reconciler: what is published, and what is tried out before.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { jobsAt, said, settled, tells, textOf, versionIn } from './asking.ts';
import { canary } from './services.ts';
import { signalled } from './surroundings.ts';
import { World } from './world.ts';

const hourMs = 3_600_000;
const rotate = (world: World) => world.request('rotate', 't1');
const gone = ({ directory }: World) => (directory.role = undefined);

describe('the output', () => {
  test('is filled in as its templates say', async () => {
    const data = {
      url: 'ldap://{{username}}:{{ password }}@dc?{{  dn }}',
      at: '{{ last_rotation }}',
      plain: '{}',
    };
    const world = await settled({ spec: { output: { secretName: 'app-login', data } } });
    expect(textOf(world, 'url')).toBe(`ldap://app:${canary}-1@dc?uid=app,dc=example,dc=org`);
    expect([textOf(world, 'at'), textOf(world, 'plain')]).toEqual([world.directory.instant, '{}']);
  });

  test('is written again when it was taken away or when its templates change, and tells nobody', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    world.output = undefined;
    await world.settle();
    expect(versionIn(world)).toBe('1');
    const data = { secret: '{{ password }}' };
    world.declare({ consumers: [signalled('web')], output: { secretName: 'app-login', data } });
    await world.settle();
    expect(versionIn(world, 'secret')).toBe('1');
    expect(tells(world, 'web')).toEqual([0]);
  });

  test('of somebody else is not touched, and no password is rotated that could not be published', async () => {
    const world = await settled({ spec: {} });
    world.outputOwner = 'LDAPStaticRole/shop/other';
    world.request('rotate', 't1');
    await world.visit();
    expect(said(world, 'Ready')).toBe('False OutputConflict');
    expect(conditionOf(world.memory.conditions, 'Ready')?.message).toContain('LDAPStaticRole/shop/other');
    expect(world.directory.rotations).toEqual([]);
  });

  test('that stands there whole when nothing is remembered is taken as it is, and nobody is told', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    world.memory = { ...world.memory, own: 'unreadable' };
    const { reads } = world.directory;
    await world.settle();
    expect([world.directory.reads, tells(world, 'web')]).toEqual([reads, [0]]);
    world.memory = { ...world.memory, own: 'unreadable' };
    world.directory.at(world.nowMs + hourMs);
    await world.settle();
    expect(tells(world, 'web')).toEqual([1]); // another one had been published
  });
});

describe('a password that is published', () => {
  test.for<[string, (world: World) => unknown, string]>([
    ['rotated on request', rotate, 'ldap.role.rotate'],
    ['made anew with its role', gone, 'ldap.role.write'],
  ])('is not %s while the new one could not be published: nobody could log in', async ([, happen, op]) => {
    const world = await settled({ spec: {} });
    const [before, { length }] = [world.directory.instant, world.log];
    happen(world);
    world.full = true;
    await world.visit();
    await world.visit();
    expect(world.log.slice(length)).not.toContain(op);
    expect(said(world, 'Ready')).toBe('False OutputUnusable');
    expect(versionIn(world)).toBe('1');
    world.full = false;
    await world.settle();
    expect(world.directory.instant).not.toBe(before);
    expect([said(world, 'Ready'), world.output?.revision.split(' ')[0]]).toEqual([
      'True InSync',
      world.directory.instant,
    ]);
  });

  test('is not set by a role that is created, where it could not be published, unless the old one is kept', async () => {
    const rotating = new World({ spec: {} });
    const keeping = new World({ spec: { onCreate: 'Keep' } });
    for (const world of [rotating, keeping]) {
      world.full = true;
      await world.visit();
    }
    expect([rotating.directory.role, rotating.object.held, said(rotating, 'Ready')]).toEqual([
      undefined,
      false,
      'False OutputUnusable',
    ]);
    expect(keeping.directory.role).toBeDefined();
  });

  test('is not tried out where nothing is published: then there is no disk that has to be well', async () => {
    const world = new World({ spec: {} });
    const { output: _, ...spec } = world.spec;
    world.object = { ...world.object, spec };
    world.full = true;
    rotate(world);
    await world.settle();
    expect(world.directory.role).toBeDefined();
  });

  test.for<[string, (world: World) => unknown]>([
    ['on request', rotate],
    ['by hand', ({ directory }) => directory.rotate()],
    ['by the service itself', (world) => world.advance(hourMs)],
  ])(
    'and was rotated %s, and can not be published: Ready says so, and is True once it is',
    async ([, happen]) => {
      const world = await settled({ spec: { verify: { bind: true } } });
      happen(world);
      world.directory.failing.add('ldap.credential.read');
      await world.visit();
      expect(said(world, 'Ready')).toBe('False Unavailable');
      expect(conditionOf(world.memory.conditions, 'Ready')?.message).toContain(
        'what is published is not the password',
      );
      world.directory.failing.clear();
      world.full = true;
      await world.visit();
      expect(said(world, 'Ready')).toBe('False OutputUnusable');
      world.full = false;
      await world.settle();
      expect(said(world, 'Ready')).toBe('True InSync');
    },
  );

  test('and was rotated while nothing may be done about it, by suspension or by policy: Ready does not stay True', async () => {
    const world = await settled({ spec: {} });
    world.request('suspend', 'true');
    await world.visit();
    expect(said(world, 'Ready')).toBe('True InSync'); // what is published is right
    world.directory.rotate();
    await world.visit();
    expect(said(world, 'Ready')).toBe('False NotPublished');
    world.resume();
    world.declare({ managementPolicy: 'ObserveOnly' });
    await world.visit();
    expect(said(world, 'Ready')).toBe('False NotPublished');
    world.declare({});
    await world.settle();
    expect(said(world, 'Ready')).toBe('True InSync');
  });
});

describe('a bind', () => {
  const verify = { bind: true };

  test('comes before publishing, once per rotation', async () => {
    const world = await settled({ spec: { verify } });
    await world.settle();
    expect(world.directory.binds).toEqual(['1']);
    expect(world.log).toEqual(['hold', 'ldap.role.write', 'ldap.bind', 'publish', 'status']);
    expect(said(world, 'RotationVerified')).toBe('True BindSucceeded');
  });

  test.for<{ why: string; config: Record<string, string>; spec?: object; reason: string }>([
    {
      why: 'a host that the connection does not list',
      config: { url: 'ldap://other:389' },
      reason: 'HostNotAllowed',
    },
    { why: 'the embedded directory', config: { url: 'ldap://embedded' }, reason: 'NotVerifiable' },
  ])('at $why is not tried, and the password is published all the same', async ({ config, reason }) => {
    const world = await settled({ spec: { verify }, config });
    expect(world.directory.binds).toEqual([]);
    expect([said(world, 'RotationVerified'), said(world, 'Ready')]).toEqual([
      `Unknown ${reason}`,
      'True InSync',
    ]);
    expect(versionIn(world)).toBe('1');
  });
});
