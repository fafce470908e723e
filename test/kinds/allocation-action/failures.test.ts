// AllocationAction on the embedded scheduler: what goes wrong ends it, waits, or is said; nothing is done twice.
import { expect, test } from 'vitest';
import { all, worldOn } from './world.ts';

const exec = (...command: readonly string[]) => ({ exec: { task: 'server', command } });
const on = (job = 'web') => ({ selector: { job } });
const three = async (world: { readonly place: (job: string) => Promise<string> }) => [
  await world.place('web'),
  await world.place('web'),
  await world.place('web'),
];

test('an exit code that is not expected ends the rollout, and the others are left alone', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('sh', '-c', 'exit 3') });
  await three(world);
  await world.settle();
  expect(world.ready).toBe('False ActionFailed');
  expect(world.phases.toSorted()).toEqual(['Failed', 'Pending', 'Pending']);
  expect(world.own.results.find(({ phase }) => phase === 'Failed')).toMatchObject({
    exitCode: 3,
    message: 'exit code 3',
  });
  expect(world.status.conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'Ready False',
    'Synced False',
    'Stalled True',
    'Failed True',
  ]);
});

test('where failures are to be passed over, each has its turn, and the whole has failed all the same', async () => {
  const spec = { ...on(), action: exec('false'), rollout: { onFailure: 'Continue', maxParallel: 2 } };
  const world = await worldOn('cluster', spec);
  const ids = await three(world);
  await world.settle();
  expect(world.phases).toEqual(['Failed', 'Failed', 'Failed']);
  expect(ids.map((id) => world.commands(id))).toEqual([1, 1, 1]);
  expect(world.ready).toBe('False ActionFailed');
});

test('another exit code may be what is expected', async () => {
  const world = await worldOn('nomad', {
    ...on(),
    action: { exec: { task: 'server', command: ['sh', '-c', 'exit 3'], expectedExitCodes: [0, 3] } },
  });
  await world.place('web');
  await world.settle();
  expect(world.ready).toBe('True InSync');
});

test('a command that does not end in time is Unknown: nobody knows what it did', async () => {
  const world = await worldOn('nomad', {
    ...on(),
    action: { exec: { task: 'server', command: ['sleep', '3600'], timeout: '1s' } },
  });
  const id = await world.place('web');
  await world.settle();
  expect(world.phases).toEqual(['Unknown']);
  expect(world.own.results[0]?.message).toContain('allocation.exec');
  expect(world.commands(id)).toBe(1);
});

test('an allocation that ends amid the rollout is told of, and nothing is run in it', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('true'), rollout: { onFailure: 'Continue' } });
  await three(world);
  await world.visit();
  await world.visit();
  const gone = world.own.results[1]?.allocation ?? '';
  await world.service.client.put(`/setup/allocations/${gone}`, { ClientStatus: 'complete' });
  await world.settle();
  expect(world.own.results[1]).toMatchObject({ phase: 'Failed', message: 'it runs no more' });
  expect(world.phases.toSorted()).toEqual(['Failed', 'Succeeded', 'Succeeded']);
  expect(world.commands(gone)).toBe(0);
});

test('a node that is down is told of, as the service has it', async () => {
  const world = await worldOn('nomad', { ...on(), action: { signal: { name: 'SIGHUP' } } });
  const id = await world.place('web');
  await world.visit();
  const nodes = (await world.service.client.get('/v1/nodes')).json();
  for (const { ID } of nodes) await world.service.client.put(`/setup/nodes/${ID}`, { Status: 'down' });
  await world.settle();
  expect(world.own.results[0]?.phase).toBe('Failed');
  expect(world.service.server.tallies().allocations[id]?.signals).toBe(0);
});

test('a task that does not run, or that there is none of, is named', async () => {
  const world = await worldOn('nomad', { ...on(), action: { exec: { task: 'other', command: ['true'] } } });
  await world.place('web');
  await world.settle();
  expect(world.own.results[0]).toMatchObject({ phase: 'Failed', message: 'it has no task other' });
});

test('what selects nothing has failed: what is placed later was not meant', async () => {
  const world = await worldOn('nomad', { ...on('nobody'), action: exec('true') });
  await world.settle();
  expect(world.ready).toBe('False ActionFailed');
  const id = await world.place('nobody');
  await world.visit();
  expect(world.commands(id)).toBe(0);
});

test('more allocations than can be recorded are refused, and nothing is done to any', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('true') });
  for (let n = 0; n < 501; n++) await world.place('web');
  const visit = await world.visit();
  expect(visit?.ending).toMatchObject({ is: 'failed' });
  expect(world.ready).toBe('False TooManyAllocations');
  expect(world.service.server.tallies().commands).toEqual({});
});

test('after its time it does not begin, also when the clock goes back', async () => {
  const world = await worldOn('nomad', {
    ...on(),
    action: exec('true'),
    notAfter: '2026-11-20T01:00:00+01:00',
  });
  const id = await world.place('web');
  world.service.clock.advance(1);
  await world.settle();
  expect(world.ready).toBe('False ActionExpired');
  world.service.clock.advance(-3_600_000);
  await world.settle();
  expect(world.commands(id)).toBe(0);
});

test('nobody may act on a job without being allowed that very action', async () => {
  for (const access of [
    [],
    [{}],
    [{ actions: ['Restart', 'Signal', 'Stop'] }],
    [{ ...all, externalNames: ['api'] }],
    [{ ...all, namespaces: ['blog'] }],
  ]) {
    const world = await worldOn('nomad', { ...on(), action: exec('true') });
    world.access = access;
    const id = await world.place('web');
    await world.settle();
    expect(world.ready).toBe('False AccessDenied');
    expect(world.commands(id)).toBe(0);
  }
});

test('who may act on some jobs only can not name an allocation, or a node, without its job', async () => {
  const world = await worldOn('nomad', { selector: {}, action: exec('true') });
  world.access = [{ ...all, externalNames: ['web'] }];
  const [theirs, own] = [await world.place('api'), await world.place('web')];
  world.declare({ selector: { allocationID: theirs }, action: exec('true') });
  await world.settle();
  expect(world.ready).toBe('False AccessDenied');
  world.declare({ selector: { allocationID: theirs, job: 'web' }, action: exec('true') });
  await world.settle();
  expect(world.ready).toBe('False ActionFailed');
  expect([world.commands(theirs), world.commands(own)]).toEqual([0, 0]);
});

test('a right that is taken away ends nothing, and nothing more begins', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('true') });
  await three(world);
  await world.visit();
  await world.visit();
  world.access = [];
  await world.settle();
  expect(world.ready).toBe('False AccessDenied');
  expect(world.phases.filter((phase) => phase === 'Succeeded').length).toBe(1);
  expect(Object.keys(world.service.server.tallies().commands).length).toBe(1);
});

test('suspended it begins no further wave; resumed it goes on where it was', async () => {
  const spec = { ...on(), action: exec('true') };
  const world = await worldOn('nomad', spec);
  await three(world);
  await world.visit();
  await world.visit();
  world.declare({ ...spec, suspend: true });
  for (let n = 0; n < 3; n++) await world.visit();
  expect(Object.keys(world.service.server.tallies().commands).length).toBe(1);
  world.declare(spec);
  await world.settle();
  expect(Object.values(world.service.server.tallies().commands)).toEqual([1, 1, 1]);
});

test('deleted it lets go at once, whatever the limits say, and no further wave begins', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('true') });
  await three(world);
  await world.visit();
  await world.visit();
  world.declare({ ...on(), action: exec('true') }, { deleting: true });
  expect((await world.settle())?.ending.is).toBe('gone');
  expect(Object.keys(world.service.server.tallies().commands).length).toBe(1);
});

test('a copy of what had begun is not carried out', async () => {
  const world = await worldOn('nomad', { ...on(), action: exec('true') });
  const id = await world.place('web');
  world.declare({ ...on(), action: exec('true') }, { doubt: 'copied' });
  await world.settle();
  expect(world.ready).toBe('False ActionNotRepeated');
  expect(world.commands(id)).toBe(0);
});

test('what waits for longer than the whole may take has failed', async () => {
  const world = await worldOn('nomad', { ...on(), action: { restart: {} }, timeout: '1m' });
  const tasks = [{ name: 'server', restartMs: 3_600_000 }];
  const ids = [await world.place('web', { tasks }), await world.place('web', { tasks })];
  await world.settle();
  expect(world.phases.toSorted()).toEqual(['Failed', 'Pending']);
  expect(world.ready).toBe('False ActionFailed');
  expect(world.status.conditions.find(({ type }) => type === 'Failed')?.message).toContain('/timeout');
  expect(ids.length).toBe(2);
});

test('an allocation of another namespace is not met, although its ID leads there', async () => {
  const world = await worldOn('nomad', { selector: {}, action: exec('true') });
  await world.service.client.post('/setup/namespaces', { name: 'billing' });
  const id = await world.place('web', { namespace: 'billing' });
  world.declare({ selector: { allocationID: id }, action: exec('true') });
  await world.settle();
  expect(world.ready).toBe('False ActionFailed');
  expect(world.commands(id)).toBe(0);
});
