// The embedded services of a state directory, as other processes find them: those of this directory and user, or none. By
// one constant token and a port, a second user's `apply` once met a stranger's service.
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { tokenFile, tokenIn } from '../../../src/runtime/embedded/token.ts';
import { runningEmbedded } from '../../../src/runtime/embedded/running.ts';
import { startEmbedded, type Embedded } from '../../../src/runtime/embedded/services.ts';
import { acquireLock } from '../../../src/sources/directory/state/lock.ts';
import { connect } from '../../../src/runtime/services.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { folder } from '../../support/cli.ts';

const connection: Connection = {
  service: 'scheduler',
  backend: 'embedded',
  addresses: ['embedded'],
  dialect: 'cluster',
  namespace: 'default',
  access: [],
  defaults: {},
  limits: { maxConcurrent: 4, deletions: { perHour: 1, percent: 1 } },
};

async function started(stateDir: string): Promise<Embedded> {
  const embedded = await startEmbedded({ stateDir, dialect: 'cluster', port: 0, secretsPort: 0 });
  let ended: Promise<void> | undefined;
  const stop = () => (ended ??= embedded.stop());
  onTestFinished(stop);
  return { ...embedded, stop };
}

/** What a process that only knows the directory is told. */
async function askIn(stateDir: string, more: Partial<Connection> = {}): Promise<unknown> {
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const service = connect({ ...connection, ...more }, { gate, embedded: () => runningEmbedded(stateDir) });
  try {
    const { reader } = service;
    const signal = AbortSignal.timeout(10_000);
    return more.service === 'secrets'
      ? await reader.read('token.lookup', {}, signal)
      : await reader.read('volume.list', { namespace: '*' }, signal).catch((error: unknown) => error);
  } finally {
    await service.close();
  }
}

const ownVolumes = expect.any(Array);
const refused = (reason: string) => expect.objectContaining({ reason });

test('both services are found through their directory, with a token that nobody wrote into a manifest', async () => {
  const stateDir = await folder();
  await started(stateDir);
  expect(await askIn(stateDir)).toEqual(ownVolumes);
  const secrets = { service: 'secrets', dialect: 'secrets', namespace: '' } as const;
  expect(await askIn(stateDir, secrets)).toMatchObject({ ttl: 0 });
});

test('each directory has a token of its own, drawn once, which only its owner may read', async () => {
  const [one, other] = [await folder(), await folder()];
  const first = await started(one);
  await started(other);
  const token = tokenIn(one) ?? '';
  expect(token).toMatch(/^[-\w]{32}$/);
  expect(tokenIn(other)).not.toBe(token);
  expect(statSync(tokenFile(one)).mode & 0o777).toBe(0o600);
  await first.stop();
  await started(one);
  expect(tokenIn(one)).toBe(token);
});

test('a stranger who took over the port of services that ended is sent nothing, a live process ID or not', async () => {
  const stateDir = await folder();
  const embedded = await started(stateDir);
  const { port } = new URL(embedded.running.scheduler.url);
  await embedded.stop();
  let heard = 0;
  const stranger = createServer((_, response) => {
    heard += 1;
    response.end('[]');
  });
  stranger.on('connection', () => (heard += 1));
  await new Promise<void>((resolve) => stranger.listen(Number(port), '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());
  expect(JSON.parse(readFileSync(join(stateDir, 'embedded.json'), 'utf8')).pid).toBe(process.pid);
  expect(await askIn(stateDir)).toEqual(refused('EmbeddedNotRunning'));
  const lock = acquireLock(join(stateDir, 'embedded.lock')); // as while they start, or stop
  expect(await askIn(stateDir)).toEqual(refused('Unavailable'));
  lock.release();
  expect(heard).toBe(0);
});

test('a second process is told which one serves them, and takes nothing from it: it read `does another process use it?`', async () => {
  const stateDir = await folder();
  const first = await started(stateDir);
  const held = `${join(stateDir, 'embedded.lock')} is held by another holdfast (pid ${process.pid})`;
  await expect(started(stateDir)).rejects.toThrow(held);
  expect(await askIn(stateDir)).toEqual(ownVolumes);
  await first.stop();
  const second = await started(stateDir);
  await second.stop();
  expect(readdirSync(stateDir)).not.toContain('embedded.lock.pid');
});

test('services that could not start leave their directory to the next', async () => {
  const stateDir = await folder();
  writeFileSync(join(stateDir, 'secrets.sqlite'), 'somebody wrote this down'.repeat(100));
  await expect(started(stateDir)).rejects.toThrow('secrets.sqlite');
  rmSync(join(stateDir, 'secrets.sqlite'));
  await started(stateDir);
  expect(await askIn(stateDir)).toEqual(ownVolumes);
});

test('a copy of a state directory does not lead to the services of the original', async () => {
  const [original, copy] = [await folder(), join(await folder(), 'copy')];
  const { scheduler } = await started(original);
  cpSync(original, copy, { recursive: true, filter: (path) => !path.includes('sockets') });
  expect(await askIn(copy)).toEqual(refused('EmbeddedNotRunning'));
  expect(scheduler.counters().routes).toEqual({});
});

test.skipIf(process.getuid === undefined).each([
  { file: 'embedded.json', mode: 0o666 },
  { file: 'embedded-token', mode: 0o644 },
  { file: 'sockets', mode: 0o755 },
])('where others could have put, read or entered $file, nothing is asked', async ({ file, mode }) => {
  const stateDir = await folder();
  const { scheduler } = await started(stateDir);
  chmodSync(join(stateDir, file), mode);
  expect(await askIn(stateDir)).toEqual(refused('EmbeddedNotTrusted'));
  expect(scheduler.counters().routes).toEqual({});
});

test('in a directory whose path is too long for a socket they are found all the same', async () => {
  const stateDir = join(await folder(), 'long'.repeat(40));
  await started(stateDir);
  expect(await askIn(stateDir)).toEqual(ownVolumes);
});

test('after a restart on other ports a client goes on as if nothing had been', async () => {
  const stateDir = await folder();
  const first = await started(stateDir);
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const service = connect(connection, { gate, embedded: () => runningEmbedded(stateDir) });
  onTestFinished(() => service.close());
  const ask = () => service.reader.read('volume.list', { namespace: '*' }, AbortSignal.timeout(10_000));
  expect(await ask()).toEqual(ownVolumes);
  await first.stop();
  await started(stateDir);
  expect(await ask()).toEqual(ownVolumes);
});
