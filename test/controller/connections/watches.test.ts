// What visits saw is passed on to who watches the same service, and to nobody else: another one's list never has it.
import { expect, test } from 'vitest';
import { Watches } from '../../../src/controller/connections/watches.ts';
import { chain } from '../chain.ts';

test('what a visit saw is passed on to the watch of its service', async () => {
  const { connections } = (await chain()).ports;
  const seen: string[] = [];
  const watches = new Watches<string, string>(
    ({ connection: { backend } }) => ({
      observed: ({ id }) => void seen.push(`${backend} ${id}`),
      stop: async () => {},
      listed: () => undefined,
      view: () => ({ watch: 'live' }),
    }),
    { changed: () => {}, complete: () => {}, trouble: () => {} },
  );
  const volume = { type: 'scheduler/volume', backend: 'second', id: 'data' } as const;
  watches.observed(volume);
  for (const key of ['Conn/first', 'Conn/second']) {
    const opened = connections.get(key);
    if ('early' in opened) throw new Error(opened.message);
    watches.begin(key, opened);
  }
  watches.observed(volume);
  watches.end('Conn/second');
  watches.observed(volume);
  expect(seen).toEqual(['second data']);
});
