// What goes wrong every day is told in one line that says what to do; nobody has to read a stack to find a taken port.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isForeseen, withRemedy } from '../../../src/cli/everyday.ts';
import { StorageError, UsageError } from '../../../src/core/errors.ts';
import { folder, holdfast } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';

/** A port that somebody listens on. */
async function taken(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const at = server.address();
  return at !== null && typeof at === 'object' ? at.port : 0;
}

test.for([
  {
    why: 'the port of the page is taken',
    args: 'run --source tree --listen 127.0.0.1:PORT',
    says: /--listen 127\.0\.0\.1:\d+: .*address already in use.*: stop what listens there, or choose another port$/,
  },
  {
    why: 'the port of a service is taken',
    args: 'dev tree --once --port PORT',
    says: /address already in use 127\.0\.0\.1:\d+: stop what listens there, or choose another port$/,
  },
  {
    why: 'the address is another machine’s',
    args: 'run --source tree --listen 192.0.2.1:8080',
    says: /--listen 192\.0\.2\.1:8080: .*: choose an address of this machine/,
  },
  {
    why: 'there is no certificate',
    args: 'run --source tree --tls-cert-file no.pem --tls-key-file no.key',
    says: /certificate or key: .*no such file.*'no\.pem': check the path$/,
  },
  {
    why: 'there is no directory to run',
    args: 'run --source nowhere',
    says: /nowhere: expected a directory of manifests, and there is none$/,
  },
  {
    why: 'there is no directory to plan',
    args: 'plan nowhere',
    says: /nowhere: expected a directory or a file of manifests, and there is none$/,
  },
  {
    why: 'there is no directory to check',
    args: 'validate nowhere',
    says: /nowhere: expected a directory or a file of manifests, and there is none$/,
  },
  {
    why: 'there is no directory to try',
    args: 'dev nowhere --once',
    says: /nowhere: expected a directory of manifests, and there is none$/,
  },
  {
    why: 'there are no Secrets',
    args: 'apply tree --secrets-dir nowhere',
    says: /nowhere: expected the directory of Secrets, and there is none$/,
  },
  {
    why: 'the state is a file',
    args: 'apply tree --state-dir file',
    says: /file can't be made: .*: check the path: a file stands in the place of a directory$/,
  },
  {
    why: 'the state can not be made, where Node alone would try for ever',
    args: 'apply tree --state-dir /proc/holdfast/state',
    says: /\/proc\/holdfast\/state can't be made: .*: check the path$/,
  },
  {
    why: 'nor can that of the embedded services',
    args: 'dev tree --once --state-dir /proc/holdfast/state',
    says: /\/proc\/holdfast\/state can't be made: .*: check the path$/,
  },
])('$why: one line says what to do, and the exit code is 1', async ({ args, says }) => {
  const cwd = await folder();
  new Tree(join(cwd, 'tree')).put('holdfast.yaml', installation());
  mkdirSync(join(cwd, 'empty'));
  writeFileSync(join(cwd, 'file'), '');
  const line = args.replace('PORT', String(await taken()));
  const { code, stdout, stderr } = await holdfast(line.split(' '), { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr.trimEnd()).toMatch(says);
  expect(stderr).toMatch(/^holdfast: (?!a bug)/);
});

const ofSystem = (code: string, syscall = 'write') =>
  Object.assign(new Error('write failed'), { code, syscall });

test.for([
  {
    why: 'a disk that is full',
    error: new StorageError('x', { cause: ofSystem('ENOSPC') }),
    says: 'x: free space on its disk',
  },
  {
    why: 'SQLite’s word for it',
    error: new UsageError('x', {
      cause: Object.assign(new Error('full'), { errcode: 13, code: 'ERR_SQLITE_ERROR' }),
    }),
    says: 'x: free space on its disk',
  },
  {
    why: 'its extended word for read-only',
    error: new UsageError('x', { cause: Object.assign(new Error('ro'), { errcode: 1544 }) }),
    says: 'x: make it writable again, or use another directory',
  },
  {
    why: 'what has its remedy already',
    error: new UsageError('x: free space on its disk', { cause: ofSystem('ENOSPC') }),
    says: 'x: free space on its disk',
  },
  {
    why: 'a file of somebody else',
    error: new UsageError('x', { cause: ofSystem('EACCES', 'open') }),
    says: 'x: check its owner and its mode',
  },
  {
    why: 'a port of the system, which has neither',
    error: new UsageError('x', { cause: ofSystem('EACCES', 'listen') }),
    says: 'x: a port below 1024 needs more rights',
  },
  { why: 'wrong input', error: new UsageError('x: expected y'), says: 'x: expected y' },
])('$why is no bug, and has one remedy', ({ error, says }) => {
  expect(isForeseen(error)).toBe(true);
  expect(withRemedy(error)).toBe(says);
});

test.for([new TypeError('x is not a function'), ofSystem('EWHATEVER'), 'text', undefined])(
  'what nobody foresaw is a bug: %s',
  (error) => expect(isForeseen(error)).toBe(false),
);
