// What the documents say of commands in tasks that no other test asks: what a token needs, and heartbeats.
import { expect, test } from 'vitest';
import { schedulerDialects } from '../../src/api/dialects.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { HttpClient } from '../contract/client.ts';
import { stdin, stdinClose, talk, type Ended } from '../contract/exec.ts';
import { proves } from './proves.ts';

const root = 'root-of-exec';
const rules = (...capabilities: readonly string[]) =>
  JSON.stringify({ namespace: { default: { capabilities } } });
const token = (secretID: string) => ({ secretID, name: secretID, type: 'client', policies: [secretID] });
const seed = {
  nodes: [{ name: 'n' }],
  policies: [
    { name: 'none', rules: rules('read-job') },
    { name: 'exec', rules: rules('read-job', 'alloc-exec') },
    { name: 'both', rules: rules('read-job', 'alloc-exec', 'alloc-node-exec') },
  ],
  tokens: ['none', 'exec', 'both'].map(token),
};

/** A command in a task, for each of these. */
async function ended(
  dialectName: 'cluster' | 'nomad',
  driver: string,
  talks: readonly { readonly token: string; readonly sends: readonly object[] }[],
): Promise<readonly Ended[]> {
  const dialect = schedulerDialects[dialectName];
  const server = await startScheduler({ dialect: dialectName, token: root, seed });
  const setUp = new HttpClient(server.url, { [dialect.headers.token]: root });
  try {
    const body = { jobID: 'web', tasks: [{ name: 'server', driver }] };
    const { ID: id } = (await setUp.post('/setup/allocations', body)).json();
    const query = { task: 'server', command: ['cat'] };
    const service = { url: server.url, dialect, target: { token: root } };
    return await Promise.all(talks.map((one) => talk(service, { id, query, ...one })));
  } finally {
    await setUp.close();
    await server.stop();
  }
}

test.each([
  { driver: 'exec', needs: 'alloc-exec', may: [false, true, true] },
  { driver: 'raw_exec', needs: 'alloc-node-exec, too', may: [false, false, true] },
])('a command in a task of $driver needs $needs', async ({ driver, may }) => {
  proves('exec needs `alloc-exec`, with driver `raw_exec` `alloc-node-exec` as well');
  const talks = ['none', 'exec', 'both'].map((one) => ({
    token: one,
    sends: [stdin('hello\n'), stdinClose],
  }));
  const sessions = await ended('cluster', driver, talks);
  expect(sessions.map(({ stdout }) => stdout === 'hello\n')).toEqual(may);
  for (const { stdout, reason } of sessions) {
    if (stdout === '') expect(reason).toMatch(/Permission denied$/);
  }
});

test.each([
  { dialect: 'cluster', answered: true },
  { dialect: 'nomad', answered: false },
] as const)('in $dialect a heartbeat is answered: $answered', async ({ dialect, answered }) => {
  proves('`{}` is a heartbeat of either side');
  const [session] = await ended(dialect, 'exec', [
    { token: root, sends: [{}, stdin('hello\n'), stdinClose] },
  ]);
  expect(session?.frames.some((one) => Object.keys(one).length === 0)).toBe(answered);
  expect(session?.stdout).toBe('hello\n');
});
