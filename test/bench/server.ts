// The scheduler of the benchmarks, in a process of its own: memory only, and it counts what it is asked. Started by
// service.ts, which it outlives by no instant. Argument: milliseconds added before each reply.
import { channel } from 'node:diagnostics_channel';
import { hash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { token } from './input.ts';
import type { Counted } from './service.ts';

const seed = {
  nodes: [{ id: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01', name: 'node' }],
  plugins: [{ id: 'disk', provider: 'disk.csi.example', capabilities: ['CREATE_DELETE_VOLUME'] }],
};

/** Volume → everything asked about it, in order. Bodies by their length: theirs hold the UIDs, which differ. */
const trails = new Map<string, string>();
let inFlight = 0;
let inFlightMax = 0;

function started({ url = '', method, rawHeaders }: IncomingMessage): void {
  inFlight += 1;
  inFlightMax = Math.max(inFlightMax, inFlight);
  const volume = /^\/v1\/volume\/csi\/([^/?]+)/.exec(url)?.[1];
  if (volume === undefined) return;
  const headers = rawHeaders.filter((_, i) => rawHeaders[i - 1]?.toLowerCase() !== 'host'); // its port differs
  trails.set(volume, `${trails.get(volume) ?? ''}${method} ${url} ${headers.join('|')}\n`);
}

channel('http.server.request.start').subscribe((message) => {
  const told =
    message !== null && typeof message === 'object' && 'request' in message ? message.request : null;
  if (told instanceof IncomingMessage) started(told);
});
channel('http.server.response.finish').subscribe(() => {
  inFlight -= 1;
});

const latencyMs = Number(process.argv[2]);
const scheduler = await startScheduler({ dialect: 'cluster', token, seed, latencyMs });

process.on('message', () => {
  const asked = [...trails.values()].toSorted().join('\n');
  const counted: Counted = {
    ...scheduler.counters(),
    asked: hash('sha256', asked),
    operations: hash('sha256', asked.replaceAll(/^(\S+ \S+) .*$/gm, '$1')),
    inFlightMax,
  };
  process.send?.(counted);
});
process.on('disconnect', () => process.exit());
process.send?.({ url: scheduler.url });
