// Runs in a process of its own, to be stopped and continued: stands for election, and writes to a service as fast as it may.
import { setTimeout as pause } from 'node:timers/promises';
import { EffectGate } from '../../../src/api/effect.ts';
import { HttpTransport } from '../../../src/api/http/transport.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { Lease } from '../../../src/sources/kubernetes/lease.ts';
import { clientOf } from './client.ts';

const [, , name = '', url = '', ca = '', token = '', service = ''] = process.argv;
const { nowMs } = systemClock;

process.stdin.resume().once('end', () => process.exit());
const lease = new Lease({
  client: clientOf({ url, ca, tokenOf: () => token }),
  at: { namespace: 'default', name: 'stalls' },
  identity: name,
  clock: systemClock,
  wallMs: systemClock.wallMs,
  random: Math.random,
  onChange: () => {},
  trouble: () => {},
  times: { durationMs: 2_000, renewMs: 1_200, retryMs: 200 },
});
lease.start();
const gate = new EffectGate({ nowMs, fence: () => lease.fence() });
const transport = new HttpTransport({ addresses: [service], connections: 1, gate });
const { signal } = new AbortController();
const info = { port: 'scheduler', op: 'write', mutates: 'repeatable' } as const;
for (;;) {
  const write = { info, method: 'POST', path: `/${name}`, headers: {}, signal, deadlineMs: 5_000 } as const;
  await transport.request(write).catch(() => pause(5)); // refused: it does not lead
}
