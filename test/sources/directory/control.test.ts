import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import {
  callControl,
  serveControl,
  type Control,
  type ControlReply,
} from '../../../src/sources/directory/control.ts';
import { kill, startChild, tempFolder } from './state/support.ts';

const limits = { timeout: 30_000 };

const echo = async (command: Control): Promise<ControlReply> => ({
  ok: true,
  message: 'done',
  data: command,
});

async function serve(path: string, handle: (command: Control) => Promise<ControlReply> = echo) {
  const server = await serveControl(path, handle);
  onTestFinished(() => server.close());
  return server;
}

/** Sends bytes as they are. @returns all that came back before the connection was closed. */
async function raw(path: string, bytes: string): Promise<string> {
  const socket = createConnection(path);
  socket.write(bytes);
  return await text(socket);
}

describe('a command', () => {
  test('reaches whoever listens, and its answer comes back', async () => {
    const path = join(tempFolder(), 'control.sock');
    await serve(path);
    const command = { do: 'reconcile', key: 'CSIVolume/shop/dätä', token: 'line\nbreak' };
    expect(await callControl(path, command)).toEqual({ ok: true, message: 'done', data: command });
    const many = Array.from({ length: 10 }, (_, n) => ({ do: 'approve', digest: String(n) }));
    const replies = await Promise.all(many.map((one) => callControl(path, one)));
    expect(replies.map((reply) => reply?.data)).toEqual(many);
  });

  test('to nobody is no error: the caller takes the lock itself', async () => {
    const path = join(tempFolder(), 'control.sock');
    expect(await callControl(path, { do: 'address' })).toBeUndefined();
    const server = await serve(path);
    await server.close();
    expect(await callControl(path, { do: 'address' })).toBeUndefined();
  });

  test('that fails comes back as its message', async () => {
    const path = join(tempFolder(), 'control.sock');
    await serve(path, () => Promise.reject(new UsageError('no such object: CSIVolume/shop/none')));
    expect(await callControl(path, { do: 'reconcile' })).toEqual({
      ok: false,
      message: 'no such object: CSIVolume/shop/none',
    });
  });

  test('that is not answered before the process stops is an error, not a silence', async () => {
    const path = join(tempFolder(), 'control.sock');
    const started = Promise.withResolvers<void>();
    const server = await serve(path, () => {
      started.resolve();
      return new Promise(() => {});
    });
    const call = callControl(path, { do: 'address' });
    const closed = started.promise.then(() => server.close());
    await expect(call).rejects.toThrow(/can't reach the running holdfast: the connection was closed before/);
    await closed;
  });
});

describe('what is no command gets an answer that says so, and reaches nobody', () => {
  test.each([
    { why: 'not JSON', line: '{' },
    { why: 'not an object', line: '["do"]' },
    { why: 'nothing to do', line: '{"key": "a"}' },
    { why: 'something to do only by inheritance', line: '{"__proto__": {"do": "approve"}}' },
    { why: 'not only texts', line: '{"do": "approve", "digest": 1}' },
    { why: 'beyond all bounds', line: `{"do": "${'x'.repeat(65_536)}"}` },
    { why: 'no end in sight', line: 'x'.repeat(100_000), open: true },
  ])('$why', async ({ line, open }) => {
    const path = join(tempFolder(), 'control.sock');
    const heard: Control[] = [];
    await serve(path, (command) => {
      heard.push(command);
      return echo(command);
    });
    const reply: unknown = JSON.parse(await raw(path, open ? line : `${line}\n`));
    expect(reply).toEqual({ ok: false, message: expect.stringMatching(/^expected a/) });
    expect(heard).toEqual([]);
    expect(await callControl(path, { do: 'address' })).toMatchObject({ ok: true });
  });

  test.each([
    { why: 'not JSON', reply: 'hello' },
    { why: 'another shape', reply: '{"ok": "yes", "message": ""}' },
    { why: 'data that is no text', reply: '{"ok": true, "message": "", "data": {"a": 1}}' },
  ])('nor is an answer believed that is none: $why', async ({ reply }) => {
    const path = join(tempFolder(), 'control.sock');
    const server = createServer((socket) => socket.end(`${reply}\n`));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await expect(callControl(path, { do: 'address' })).rejects.toThrow(/invalid answer/);
  });
});

describe('the socket', () => {
  test('is its owner’s alone, lies where it is looked for, and goes away', async () => {
    const folder = tempFolder();
    const server = await serve(join(folder, 'control.sock'));
    expect(readdirSync(folder)).toEqual(['control.sock']);
    expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600);
    await server.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a killed process is replaced', limits, async () => {
    const path = join(tempFolder(), 'control.sock');
    const { child, lines } = startChild('control', path);
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['listening']);
    expect(await callControl(path, { do: 'address' })).toMatchObject({ ok: true });
    await kill(child);
    expect(existsSync(path)).toBe(true);
    expect(await callControl(path, { do: 'address' })).toBeUndefined();
    await serve(path);
    expect(await callControl(path, { do: 'address' })).toMatchObject({ ok: true });
  });

  test('in a folder whose path is too long for one lies elsewhere, just as private, and is found', async () => {
    const folder = join(tempFolder(), 'x'.repeat(60), 'y'.repeat(60));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'control.sock');
    const server = await serve(path);
    expect(await callControl(path, { do: 'address' })).toMatchObject({ ok: true });
    const real = readFileSync(`${path}.at`, 'utf8');
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect(statSync(join(real, '..')).mode & 0o077).toBe(0);
    await server.close();
    expect(existsSync(join(real, '..'))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    expect(await callControl(path, { do: 'address' })).toBeUndefined();
  });

  test('that can not be made is said so', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(serve(join(folder, 'file', 'control.sock'))).rejects.toThrow(
      /control\.sock: can't listen there/,
    );
  });
});
