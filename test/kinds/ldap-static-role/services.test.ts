// LDAPStaticRole on the services themselves, in both dialects: what the models of the other tests take for granted.
import { describe, expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import type { SchedulerDialectName, SecretsDialectName } from '../../../src/api/dialects.ts';
import { connect } from '../../../src/runtime/services.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { Secret } from '../../../src/core/secret.ts';
import { ManualClock } from '../../embedded/manual-clock.ts';
import * as schedulers from '../../embedded/scheduler/running.ts';
import { configBody, entryDN, rootToken, running } from '../../embedded/secrets/running.ts';
import { eventually } from '../../support/poll.ts';
import { said, textOf } from './asking.ts';
import { connectionTo, restarted, signalled } from './surroundings.ts';
import { World } from './world.ts';

/** A connection to one of them; it goes with the test, not with the visit. */
function service(more: Partial<Connection> & Pick<Connection, 'service' | 'addresses' | 'dialect'>) {
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const made = connect({ ...connectionTo('x'), ...more }, { gate, embedded: () => undefined });
  onTestFinished(() => made.close());
  return { ...made, close: () => Promise.resolve() };
}

async function worldOn(secrets: SecretsDialectName, scheduler: SchedulerDialectName) {
  const clock = new ManualClock();
  const directory = await running({ dialect: secrets }, clock);
  const jobs = await schedulers.running({ dialect: scheduler }, clock);
  onTestFinished(() => directory.stop());
  onTestFinished(() => jobs.stop());
  await directory.client.post('/v1/ldap/config', configBody());
  const token = Secret.of('token', '1', rootToken);
  const at = { addresses: [directory.server.url], dialect: secrets, namespace: '', token };
  const nomad = { service: 'scheduler', addresses: [jobs.server.url], dialect: scheduler } as const;
  const world = new World({
    spec: {
      username: 'shop',
      dn: entryDN('shop'),
      consumers: [signalled('web', { task: 'server' }), restarted('api')],
    },
    config: { url: 'ldap://embedded' },
    services: {
      vault: service({ service: 'secrets', ...at }),
      nomad: service({ ...nomad, namespace: 'default' }),
    },
    onAdvance: (ms) => clock.advance(ms),
    startMs: clock.nowMs(),
  });
  const place = async (jobID: string, others: readonly object[] = []): Promise<string> => {
    const body = { jobID, tasks: [{ name: 'server', restartMs: 5_000 }, ...others] };
    const { ID }: { ID: string } = (await jobs.client.post('/setup/allocations', body)).json();
    return ID;
  };
  return { world, directory, jobs, place };
}

describe.each<[SecretsDialectName, SchedulerDialectName]>([
  ['secrets', 'cluster'],
  ['vault', 'nomad'],
])('on %s and %s', (secrets, scheduler) => {
  test('what is published binds, each allocation is told once of another password, and then all is quiet', async () => {
    const { world, directory, jobs, place } = await worldOn(secrets, scheduler);
    const [web, api, second] = [await place('web'), await place('api'), await place('api')];
    await world.settle();
    expect(await directory.bind(entryDN('shop'), textOf(world, 'password'))).toBe(true);
    world.advance(1_000);
    world.request('rotate', 't1');
    await world.settle();
    expect(await directory.bind(entryDN('shop'), textOf(world, 'password'))).toBe(true);
    const { allocations } = jobs.server.tallies();
    expect(allocations).toMatchObject({
      [web]: { signals: 1, restarts: 0 },
      [api]: { signals: 0, restarts: 1 },
      [second]: { signals: 0, restarts: 1 },
    });
    expect([said(world, 'Ready'), said(world, 'ConsumersNotified')]).toEqual([
      'True InSync',
      'True Notified',
    ]);
    const { length } = world.log;
    await world.settle();
    expect(world.log.slice(length)).toEqual([]);
  });

  test('an allocation is told of another password although some of its tasks do not run', async () => {
    const { world, directory, jobs, place } = await worldOn(secrets, scheduler);
    world.declare({ ...world.spec, consumers: [signalled('web'), restarted('api')] });
    const others = [{ name: 'init', ends: true }, { name: 'agent' }, { name: 'cleanup', poststop: true }];
    const [web, api] = [await place('web', others), await place('api', others)];
    await world.settle();
    world.advance(1_000);
    world.request('rotate', 't1');
    await world.settle();
    expect(await directory.bind(entryDN('shop'), textOf(world, 'password'))).toBe(true);
    const { allocations } = jobs.server.tallies();
    // Two tasks run, and each was told by itself.
    expect([allocations[web]?.signals, allocations[api]?.restarts]).toEqual([2, 2]);
    expect(said(world, 'ConsumersNotified')).toBe('True Notified');
  });

  test('a rotation of the service itself is found and published, and the role goes when it is told to', async () => {
    const { world, directory } = await worldOn(secrets, scheduler);
    await world.settle();
    const before = textOf(world, 'password');
    const role = '/v1/ldap/static-role/app';
    const made = (await directory.client.get(role)).text;
    world.advance(3_600_000);
    await eventually('the service rotates', async () => (await directory.client.get(role)).text !== made);
    await world.settle();
    expect(textOf(world, 'password')).not.toBe(before);
    expect(await directory.bind(entryDN('shop'), textOf(world, 'password'))).toBe(true);
    world.declare({ ...world.spec, deletionPolicy: 'Delete' });
    world.object = { ...world.object, deleting: true };
    await world.settle();
    expect([world.released, world.output]).toEqual(['removed', undefined]);
    expect((await directory.client.get(role)).status).toBe(404);
  });
});
