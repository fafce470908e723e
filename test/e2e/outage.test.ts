// A scheduler that is away, stalls or refuses: nothing is forgotten, nothing hammers it, and all goes on by itself.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { secret, volume } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve, serviceToken, startService } from '../support/service.ts';
import { report } from './report.ts';
import { measured, Operator } from './running.ts';

const boundMs = 5_000;
const objects = 40;
const flags = { mountOptions: { fsType: 'xfs' } };

/** Stands where the scheduler stood, hangs up on everybody, and notes what each of them asked for. */
async function hangingUp(url: string) {
  const asked: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {}); // it hangs up, too
    socket.once('data', (request) => {
      asked.push(request.toString().split(' ', 2).join(' ').replace(/\?.*/, ''));
      socket.destroy();
    });
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const close = async () => {
    server.close();
    await once(server, 'close');
  };
  return { asked, close };
}

test('while the scheduler is away, objects keep Ready, the requests stay few, and an edit is made up for', async () => {
  const first = await startService();
  const operator = await Operator.on(first.service);
  for (let i = 0; i < objects; i++) operator.tree.put(`v${i}.yaml`, volume(`v${i}`));
  await operator.start();
  first.process.kill('SIGKILL');
  await first.process.ended;
  const startedMs = performance.now();
  const { asked, close } = await hangingUp(first.service.url);

  operator.tree.put('v0.yaml', volume('v0', flags));
  await operator.reason('SchedulerConnection/main', 'Unavailable');
  const probes = () => asked.filter((request) => request === 'GET /v1/status/leader').length;
  await eventually('a third round of probes', () => probes() > 6);
  const seconds = (performance.now() - startedMs) / 1_000;
  report(`${asked.length} requests in ${seconds.toFixed(1)} s for ${objects} objects`);
  expect(asked.length / seconds).toBeLessThan(5);
  expect(asked.filter((request) => request.includes('/v1/volume/csi/')).length).toBeLessThan(objects / 4);
  await operator.reason('CSIVolume/shop/v0', 'ConnectionNotReady', 'Synced'); // it was looked at, and yet:
  for (const name of ['v0', 'v1']) {
    const ready = await operator.condition(`CSIVolume/shop/${name}`);
    expect(ready, name).toMatchObject({ status: 'True', reason: 'InSync' });
  }

  await close();
  const { service } = await startService('nomad', first);
  await measured('from back to made up for', 2 * boundMs, () =>
    eventually('xfs', async () => (await service.volume('v0')).MountOptions.FSType === 'xfs'),
  );
  await operator.reason('SchedulerConnection/main', 'InSync');
  expect((await service.counters()).writes).toBe(1);
});

test('the scheduler is killed while it makes volumes: when it is back, each of them is there once', async () => {
  const first = await startService();
  const operator = await Operator.on(first.service);
  for (let i = 0; i < 5 * objects; i++) operator.tree.put(`v${i}.yaml`, volume(`v${i}`));
  const run = operator.run();
  await eventually('some volumes', async () => (await first.service.volumes()).length > objects);
  first.process.kill('SIGKILL');
  await first.process.ended;
  const { service } = await startService('nomad', first);
  report(`killed when ${(await service.volumes()).length} of ${5 * objects} were made`);
  await eventually('all volumes', async () => (await service.volumes()).length === 5 * objects);
  await operator.reason(`CSIVolume/shop/v${5 * objects - 1}`, 'InSync');
  expect(await service.disks()).toHaveLength(5 * objects);
  expect((await run.stop()).code).toBe(0);
});

test('while the scheduler stalls, objects keep Ready; SIGTERM ends the operator all the same', async () => {
  const { service, process } = await startService();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a'));
  operator.tree.put('b.yaml', volume('b'));
  const run = await operator.start();
  process.kill('SIGSTOP');
  onTestFinished(() => process.kill('SIGCONT'));
  operator.tree.put('a.yaml', volume('a', flags));
  const isTaken = async () => (await operator.rows()).get('CSIVolume/shop/a')?.object.generation === 2;
  await eventually('the edit is taken, and a look at the volume hangs', isTaken);
  expect((await operator.condition('CSIVolume/shop/a'))?.status).toBe('True');
  await measured('SIGTERM', 3 * boundMs, async () => expect((await run.stop()).code).toBe(0));

  process.kill('SIGCONT');
  await operator.start();
  await eventually('xfs', async () => (await service.volume('a')).MountOptions.FSType === 'xfs');
  expect(await service.disks()).toHaveLength(2);
});

test('two short outages leave a line each when they begin and when they end, with the address and the remedy', async () => {
  let at = await startService();
  const operator = await Operator.on(at.service);
  operator.tree.put('a.yaml', volume('a'));
  const run = await operator.start('--listen', 'off');
  for (const times of [1, 2]) {
    const told = (what: string, more = '') =>
      run.says(
        new RegExp(`(?:[^]*?"key":"SchedulerConnection/main".*${more}"msg":"connection ${what}"){${times}}`),
      );
    at.process.kill('SIGKILL');
    await at.process.ended;
    const { host } = new URL(at.service.url);
    await measured('from killed to told', boundMs, () => told('lost', `\\(http://${host}\\).*"remedy":".*`));
    at = await startService('nomad', at);
    await told('is back');
  }
  expect((await run.stop()).code).toBe(0);
});

/** A probe every 30 s, which is given up after 10. */
const toldMs = 60_000;

test('a scheduler that answers nobody is told of within seconds, and is used again when it answers', async () => {
  const { service, process } = await startService();
  const operator = await Operator.on(service);
  operator.tree.put('a.yaml', volume('a'));
  await operator.start();
  process.kill('SIGSTOP');
  onTestFinished(() => process.kill('SIGCONT'));
  const connection = () => operator.condition('SchedulerConnection/main');
  const isTold = async () => ((await connection())?.status === 'False' ? await connection() : undefined);
  const told = await eventually('the connection is not Ready', isTold, { withinMs: toldMs });
  expect(told.message).toMatch(/^status\.leader: no answer in time/);
  process.kill('SIGCONT');
  await operator.reason('SchedulerConnection/main', 'InSync');
});

test('a token that is denied is named where it matters, costs few requests, and another one is used at once', async () => {
  const service = await serve();
  const operator = await Operator.on(service);
  const token = (value: string) => operator.tree.put('token.yaml', secret('system', 'own', { token: value }));
  const auth = { auth: { tokenSecretRef: { namespace: 'system', name: 'own', key: 'token' } } };
  operator.tree.connect(service, auth);
  token(serviceToken);
  operator.tree.put('a.yaml', volume('a'));
  await operator.start();

  token('another');
  expect(await operator.reason('SchedulerConnection/main', 'PermissionDenied')).toBe(
    'volume.list: Permission denied (the token needs csi-read-volume in namespace default)',
  );
  operator.tree.put('b.yaml', volume('b'));
  await operator.reason('CSIVolume/shop/b', 'ConnectionNotReady');
  expect(await operator.condition('CSIVolume/shop/a')).toMatchObject({ status: 'True', reason: 'InSync' });
  expect((await service.volumes()).map((v) => v.ID)).toEqual(['a']);

  token(serviceToken);
  await measured('from granted to done', boundMs, () => operator.reason('CSIVolume/shop/b', 'InSync'));
  expect((await service.volumes()).map((v) => v.ID)).toEqual(['a', 'b']);
});
