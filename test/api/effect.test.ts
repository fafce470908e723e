// The one gate: what passes it is fenced, timed, told of and can be made to fail, and nothing passes unseen.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EffectGate, type GateOptions } from '../../src/api/effect.ts';
import type { EffectInfo } from '../../src/core/effect.ts';
import { HttpTransport } from '../../src/api/http/transport.ts';
import { failure, never, request, serve } from './servers.ts';

const reads: EffectInfo = { port: 'scheduler', op: 'volume.read', mutates: false };
const writes: EffectInfo = {
  port: 'scheduler',
  op: 'volume.create',
  mutates: 'findable',
  key: 'CSIVolume/a/b',
};
const limits = { signal: never, deadlineMs: 60_000 };

/** A gate that writes down all that it is asked and tells, in order. */
function watched(options: Partial<GateOptions> = {}) {
  const log: string[] = [];
  let nowMs = 100;
  const gate = new EffectGate({
    nowMs: () => nowMs,
    fence: () => void log.push('fence'),
    fault: ({ op }, phase) => log.push(`${phase} ${op}`),
    onEffect: ({ op }, durationMs, failed) => log.push(`${op} ${durationMs} ${failed ? 'failed' : 'done'}`),
    ...options,
  });
  const act = () => {
    log.push('act');
    nowMs += 7;
    return 'reply';
  };
  return { gate, log, act };
}
const broken = new Error('broken');
const fails = () => {
  throw broken;
};

/** Both ways through the gate. */
const ways = [
  {
    way: 'run',
    pass: (gate: EffectGate, info: EffectInfo, act: () => string) =>
      gate.run(info, limits, async () => act()),
  },
  {
    way: 'runSync',
    pass: async (gate: EffectGate, info: EffectInfo, act: () => string) => gate.runSync(info, act),
  },
];

describe.for(ways)('$way', ({ pass }) => {
  test('fences a mutation, then acts, then tells how long it took', async () => {
    const { gate, log, act } = watched();
    expect(await pass(gate, writes, act)).toBe('reply');
    expect(log).toEqual([
      'fence',
      'before volume.create',
      'act',
      'after volume.create',
      'volume.create 7 done',
    ]);
  });

  test('lets reads through: looking does no harm', async () => {
    const { gate, log, act } = watched({ fence: fails });
    expect(await pass(gate, reads, act)).toBe('reply');
    expect(log).toEqual(['before volume.read', 'act', 'after volume.read', 'volume.read 7 done']);
  });

  test('does nothing once the fence has fallen', async () => {
    const { gate, log, act } = watched({ fence: fails });
    expect(await failure(pass(gate, writes, act))).toBe(broken);
    expect(log).toEqual([]);
  });

  test('asks the fence anew each time', async () => {
    let fallen = false;
    const { gate, log, act } = watched({ fence: () => (fallen ? fails() : undefined) });
    await pass(gate, writes, act);
    fallen = true;
    expect(await failure(pass(gate, writes, act))).toBe(broken);
    expect(log.filter((line) => line === 'act')).toHaveLength(1);
  });

  test('tells once of what failed, and passes the error on as it is', async () => {
    const { gate, log } = watched();
    expect(await failure(pass(gate, writes, fails))).toBe(broken);
    expect(log).toEqual(['fence', 'before volume.create', 'volume.create 0 failed']);
  });

  test('can be made to fail before anything happened, and after all of it', async () => {
    const before = watched({ fault: (_, phase) => (phase === 'before' ? fails() : undefined) });
    expect(await failure(pass(before.gate, writes, before.act))).toBe(broken);
    expect(before.log).not.toContain('act');
    const after = watched({ fault: (_, phase) => (phase === 'after' ? fails() : undefined) });
    expect(await failure(pass(after.gate, writes, after.act))).toBe(broken);
    expect(after.log).toEqual(['fence', 'act', 'volume.create 7 failed']);
  });

  test('needs no more than a clock', async () => {
    const gate = new EffectGate({ nowMs: () => 0 });
    expect(await pass(gate, writes, () => 'reply')).toBe('reply');
  });
});

test('asks the fence once more, and can be made to fail, right before it is seen outside', async () => {
  const { gate, log, act } = watched();
  const during = (sending: () => void) => {
    sending();
    return act();
  };
  await gate.run(writes, limits, async (_, sending) => during(sending));
  gate.runSync(writes, during);
  const once = [
    'fence',
    'before volume.create',
    'fence',
    'during volume.create',
    'act',
    'after volume.create',
  ];
  expect(log).toEqual([...once, 'volume.create 7 done', ...once, 'volume.create 7 done']);
});

test('sends nothing in another term than it began in: another process may have acted between them', async () => {
  let term = 1;
  const { gate, log, act } = watched({ fence: () => term });
  const waited = (sending: () => void) => {
    term += 1;
    sending();
    return act();
  };
  const refused = { class: 'unavailable', reason: 'NotLeading', mayHaveHadEffect: false };
  expect(await failure(gate.run(writes, limits, async (_, sending) => waited(sending)))).toMatchObject(
    refused,
  );
  expect(() => gate.runSync(writes, waited)).toThrow(expect.objectContaining(refused));
  expect(log).not.toContain('act');
  expect(await gate.run(reads, limits, async (_, sending) => waited(sending))).toBe('reply');
});

/** Ends when it is told to, as a request does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

describe('what takes too long', () => {
  test('is given up at its deadline', async () => {
    const { gate, log } = watched();
    const error = await failure(gate.run(writes, { signal: never, deadlineMs: 5 }, untilAborted));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(log.at(-1)).toBe('volume.create 0 failed');
  });

  test('is given up when whoever asked has gone', async () => {
    const asked = new AbortController();
    const { gate } = watched();
    const ended = failure(gate.run(writes, { ...limits, signal: asked.signal }, untilAborted));
    await setImmediate();
    asked.abort(broken);
    expect(await ended).toBe(broken);
  });
});

test.for([
  { why: 'a service that says no to a mutation', info: writes, status: 500, is: 'failed' },
  { why: 'one that carried it out', info: writes, status: 200, is: 'done' },
  { why: 'that there is nothing is an answer to a read', info: reads, status: 404, is: 'done' },
])('$why: the call is told as $is', async ({ info, status, is }) => {
  const told: string[] = [];
  const gate = new EffectGate({
    nowMs: () => 0,
    onEffect: (_info, _durationMs, failed) => told.push(failed ? 'failed' : 'done'),
  });
  const { url } = await serve((_, response) => response.writeHead(status).end());
  const transport = new HttpTransport({ addresses: [url], gate, connections: 1 });
  await transport.request(request({ info }));
  await transport.close();
  expect(told).toEqual([is]);
});
