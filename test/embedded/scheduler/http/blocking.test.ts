import { afterEach, describe, expect, test } from 'vitest';
import { HttpClient, until } from '../../../contract/client.ts';
import { create, running, type Running } from '../running.ts';
import { proves } from '../../../coverage/proves.ts';

const list = '/v1/volumes?type=csi';
/** As clients have to: the index of a table that nothing was written to may be 0, which waits for nothing. */
const atLeastOne = (index: number): number => Math.max(1, index);

describe('a blocking query', () => {
  let here: Running;
  afterEach(() => here.stop());

  test.each([
    { dialect: 'nomad', wait: '&wait=10s', ms: 10_000, why: 'as asked' },
    { dialect: 'nomad', wait: '', ms: 300_000, why: 'five minutes by default' },
    { dialect: 'nomad', wait: '&wait=0', ms: 300_000, why: 'nought is the default' },
    { dialect: 'nomad', wait: '&wait=10m', ms: 300_000, why: 'the real limit is five minutes' },
    { dialect: 'cluster', wait: '&wait=10m', ms: 600_000, why: 'that of the documents is ten' },
    { dialect: 'cluster', wait: '&wait=1h', ms: 600_000, why: 'and not more' },
    { dialect: 'cluster', wait: '', ms: 300_000, why: 'five minutes by default here too' },
  ] as const)(
    'in $dialect "$wait" waits $ms ms and up to a sixteenth more: $why',
    async ({ dialect, wait, ms }) => {
      proves('`wait` is 5 minutes by default and 10 at most');
      proves('a random sixteenth is added to each wait');
      here = await running({ dialect, random: () => 0.5 });
      const { client, clock, indexOf } = here;
      const before = await client.get(list);
      let answered = false;
      const answer = client
        .get(`${list}&index=${atLeastOne(indexOf(before))}${wait}`)
        .finally(() => (answered = true));
      await until('it waits', () => clock.waiting === 1);
      clock.advance(ms + ms / 32 - 1);
      await client.get('/v1/status/leader');
      expect([answered, clock.waiting]).toEqual([false, 1]);
      clock.advance(1);
      expect((await answer).text).toBe(before.text);
    },
  );

  test('an index of the future waits until the state has passed it', async () => {
    here = await running();
    const { client, clock, indexOf } = here;
    await create(client, 'first');
    const index = indexOf(await client.get(list)) + 2;
    let answered = false;
    const answer = client.get(`${list}&index=${index}`).finally(() => (answered = true));
    await until('it waits', () => clock.waiting === 1);
    await create(client, 'a'); // a disk and a registration: two commits
    await client.get('/v1/status/leader');
    expect(answered).toBe(false);
    await create(client, 'b');
    expect(indexOf(await answer)).toBeGreaterThan(index);
  });

  test('other tables do not wake it, and one who leaves is forgotten', async () => {
    here = await running();
    const { client, clock, indexOf, server } = here;
    const index = atLeastOne(indexOf(await client.get(list)));
    const waiting = new HttpClient(server.url);
    const answer = waiting.get(`${list}&index=${index}`).catch(() => 'cut');
    await until('it waits', () => clock.waiting === 1);
    await client.post('/setup/jobs', { id: 'web' });
    await client.put('/setup/plugins/hostpath', { healthy: false });
    expect(clock.waiting).toBe(1);
    await waiting.close();
    expect(await answer).toBe('cut');
    await until('it is forgotten', () => clock.waiting === 0);
  });

  test('who waits for a plugin hears of its health', async () => {
    here = await running();
    const { client, clock, indexOf } = here;
    const index = indexOf(await client.get('/v1/plugin/csi/hostpath'));
    const answer = client.get(`/v1/plugin/csi/hostpath?index=${index}`);
    await until('it waits', () => clock.waiting === 1);
    await client.put('/setup/plugins/hostpath', { nodesHealthy: 1 });
    expect((await answer).json()).toMatchObject({ NodesHealthy: 1, NodesExpected: 2 });
  });
});
