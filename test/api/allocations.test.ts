// Allocations as the client decodes them: both dialects' names become the documents', and what a job copy holds of secrets
// is in boxes, so that no condition, log or plan can show it.
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { reveal, Secret } from '../../src/core/secret.ts';
import { running } from '../embedded/scheduler/running.ts';
import { client, everythingOf, failure, json, never, serve } from './servers.ts';

const id = '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01';
const canary = 'canary-of-a-job-copy';
const read = (url: string) => client([url]).read('allocation.read', { id }, never);

const task = (store: string, token: string) => ({
  Name: 'Env',
  Env: { PASSWORD: canary, EMPTY: '' },
  [store]: { Role: 'r' },
  Meta: { Payload: 'shown' },
  Secrets: [{ Env: { A: canary } }, canary],
  [token]: null,
});
const answer = (token: string, store: string, error: string) => ({
  ID: id,
  Job: {
    ID: 'web',
    [token]: canary,
    Payload: canary,
    TaskGroups: [{ Name: 'main', Tasks: [task(store, token)] }],
  },
  TaskStates: { Env: { State: 'running', Events: [{ Type: 'Driver', Time: 1, [error]: 'e' }] } },
  TaskResources: { VaultError: { CPU: 1 } },
});

test.each([
  ['cluster', answer('SecretsStoreToken', 'SecretsStore', 'SecretsStoreError')],
  ['nomad', answer('VaultToken', 'Vault', 'VaultError')],
] as const)(
  'an answer in the names of %s: its secrets are boxed, its tasks keep their names',
  async (_, wire) => {
    const found = await read((await json(wire)).url);
    const one = found?.Job?.TaskGroups?.[0]?.Tasks?.[0];
    expect(found?.TaskStates).toEqual({
      Env: { State: 'running', Events: [{ Type: 'Driver', Time: 1, SecretsStoreError: 'e' }] },
    });
    expect(found?.TaskResources).toEqual({ VaultError: { CPU: 1 } });
    expect(one).toMatchObject({ Name: 'Env', SecretsStore: { Role: 'r' }, Meta: { Payload: 'shown' } });
    const boxes = [found?.Job?.SecretsStoreToken, found?.Job?.Payload, one?.Env?.['PASSWORD']];
    for (const box of boxes) expect(box && reveal(box)).toBe(canary);
    expect(one?.Env?.['EMPTY']).toBeInstanceOf(Secret);
    expect(one?.Env?.['PASSWORD']?.source).toBe(
      `allocation.read ${id}/Job/TaskGroups/0/Tasks/0/Env/PASSWORD`,
    );
    for (const shown of [JSON.stringify(found), inspect(found, { depth: Infinity })]) {
      expect(shown).not.toContain(canary);
    }
  },
);

test.each(['cluster', 'nomad'] as const)('what the embedded %s says of a job is boxed', async (dialect) => {
  const here = await running({ dialect });
  await here.client.post('/setup/jobs', { id: 'web', secretsStoreToken: canary, payload: canary });
  const body = { jobID: 'web', tasks: [{ name: 'main', env: { A: canary } }] };
  const { ID } = (await here.client.post('/setup/allocations', body)).json();
  const found = await client([here.server.url], { dialect }).read('allocation.read', { id: ID }, never);
  const { Job } = found ?? {};
  expect([Job?.SecretsStoreToken, Job?.Payload, Job?.TaskGroups?.[0]?.Tasks?.[0]?.Env?.['A']]).toEqual([
    expect.any(Secret),
    expect.any(Secret),
    expect.any(Secret),
  ]);
  expect(JSON.stringify(found)).not.toContain(canary);
  await here.stop();
});

test.each([
  ['a job that is none', '{"Job":7}'],
  ['an environment that is none', '{"Job":{"Env":7,"Payload":false}}'],
])('%s is no reason to fall over', async (_, text) => {
  const { url } = await serve((__, response) => response.writeHead(200).end(text));
  await expect(read(url)).resolves.toBeDefined();
});

test.each([
  ['a text', '"x"'],
  ['null', 'null'],
  ['a list', '[{"Env":{"A":"b"}}]'],
])('%s is no allocation', async (_, text) => {
  const { url } = await serve((__, response) => response.writeHead(200).end(text));
  expect(await failure(read(url))).toMatchObject({ class: 'unreadable' });
});

test('an answer nested too deeply is unreadable, and nothing of it is said', async () => {
  const depth = 200_000;
  const text = `{"Job":{"Env":${'['.repeat(depth)}"${canary}"${']'.repeat(depth)}}}`;
  const { url } = await serve((_, response) => response.writeHead(200).end(text));
  const error = await failure(read(url));
  expect(error).toMatchObject({ class: 'unreadable' });
  expect(everythingOf(error)).not.toContain(canary);
});
