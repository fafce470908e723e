// A disk that is full ends: until then nothing is half stored, each request is told why, and what happens by itself happens
// when there is room. It was an internal error, a bug to report, and the end of the process where a timer stored something.
import { execFileSync } from 'node:child_process';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../support/cli.ts';
import { eventually } from '../support/poll.ts';

const token = 'canary-full-disk';

function hasLimits(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function started() {
  const cwd = await folder();
  execFileSync('sh', ['-c', `umask 077; mkdir .holdfast; echo ${token} > .holdfast/embedded-token`], { cwd });
  const dev = new Holdfast(['dev', '--dialect', 'nomad'], { cwd });
  const [, scheduler = ''] = await dev.says(/scheduler +(http:\/\/\S+)/);
  const [, secrets = ''] = await dev.says(/secrets +(http:\/\/\S+)/);
  const ask = async (url: string, method: 'GET' | 'PUT' | 'POST' | 'DELETE', body?: object) => {
    const headers = { 'x-nomad-token': token, 'x-vault-token': token };
    const reply = await request(url, { method, headers, body: body ? JSON.stringify(body) : null });
    return { status: reply.statusCode, text: await reply.body.text() };
  };
  /** No file of it may grow beyond so many bytes. */
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(dev.pid), `--fsize=${bytes}:unlimited`]);
  return { cwd, dev, scheduler, secrets, ask, limit };
}

const volume = (ID: string) => ({
  Volumes: [
    {
      ID,
      Name: ID,
      PluginID: 'hostpath',
      RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
    },
  ],
});

test.skipIf(!hasLimits())(
  'while the disk is full both services refuse with a clear text and answer reads; then they go on, and nothing is half there',
  async () => {
    const { dev, scheduler, secrets, ask, limit } = await started();
    const create = (id: string) => ask(`${scheduler}/v1/volume/csi/${id}/create`, 'PUT', volume(id));
    const read = (id: string) => ask(`${scheduler}/v1/volume/csi/${id}`, 'GET');
    expect((await create('before')).status).toBe(200);
    const claim = { jobID: 'web', volumes: [{ ID: 'before' }] };
    const { ID } = JSON.parse((await ask(`${scheduler}/setup/allocations`, 'POST', claim)).text);
    await ask(`${scheduler}/setup/allocations/${ID}`, 'PUT', { clientStatus: 'complete' }); // released 3 s later
    const endedMs = performance.now();
    limit(1);
    for (let again = 0; again < 3; again += 1) {
      const full = await create('while');
      expect(full).toEqual({
        status: 500,
        text: expect.stringMatching(/scheduler\.sqlite: can't be written: /),
      });
      expect(full.text).not.toContain('internal error');
      expect((await read('while')).status).toBe(404);
      expect((await read('before')).status).toBe(200);
      const mount = await ask(`${secrets}/v1/sys/mounts/k${again}`, 'POST', { type: 'keymgmt' });
      expect(/secrets\.sqlite: can't be written: /.test(mount.text)).toBe(true);
    }
    const isOverdue = async () =>
      (await read('before')).status === 200 && performance.now() > endedMs + 4_000;
    await eventually('the claim is overdue', isOverdue, { withinMs: 10_000 });
    expect(JSON.parse((await read('before')).text).WriteAllocs).toEqual({ [ID]: null });
    limit('unlimited');
    expect((await create('while')).status).toBe(200);
    const released = async () => JSON.stringify(JSON.parse((await read('before')).text).WriteAllocs) === '{}';
    await eventually('its claim is released', released, { withinMs: 10_000 });
    const { stderr, code } = await dev.stop();
    expect([code, stderr]).toEqual([0, '']);
  },
);

test.skipIf(process.getuid?.() !== 0)('a directory that may not be written is no bug of ours', async () => {
  const cwd = await folder();
  execFileSync('sh', ['-c', 'mkdir .holdfast; chmod 555 . .holdfast'], { cwd });
  const { code, stderr } = await holdfast(['dev'], { cwd, unprivileged: true });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^holdfast: .*\.holdfast\/.*(EACCES|permission denied|can't be)/);
  expect(stderr).not.toContain('a bug');
});

test('a port that is taken is no bug of ours, and neither is a second process on the same state', async () => {
  const { cwd, dev, scheduler } = await started();
  const { port } = new URL(scheduler);
  const taken = await holdfast(['dev', '--port', port], { cwd: await folder() });
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/^holdfast: listen EADDRINUSE/) });
  const second = await holdfast(['dev'], { cwd });
  const stderr = `holdfast: .holdfast/embedded.lock is held by another holdfast (pid ${dev.pid}): `;
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(stderr) });
});
