// Open connections: kept while their definition stands, unusable until probed, closed when it changes.
import { describe, expect, test } from 'vitest';
import { Connections, type Service } from '../../../src/controller/connections/connections.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { Secret } from '../../../src/core/secret.ts';

const token = (version: string): Secret => Secret.of('login/token', version, 'canary-31');
const connection: Connection = {
  service: 'scheduler',
  backend: 'b1',
  addresses: ['http://127.0.0.1:4646'],
  dialect: 'nomad',
  namespace: 'default',
  token: token('1'),
  access: [{}],
  defaults: {},
  limits: { maxConcurrent: 32, deletions: { perHour: 20, percent: 30 } },
};

/** Waiting for it is no news: it is about to be looked at. */
const unprobed = { early: true, message: 'c has not been looked at yet' };

/** Connects to nothing and notes what is opened and closed. */
function world() {
  const log: string[] = [];
  let opened = 0;
  const clock = { nowMs: 0 };
  const connections = new Connections<string, string>(
    () => {
      const name = `s${++opened}`;
      log.push(`open ${name}`);
      const service: Service<string, string> = {
        reader: name,
        perform: () => Promise.resolve({ is: 'done' }),
        close: () => Promise.resolve(void log.push(`close ${name}`)),
      };
      return service;
    },
    () => clock.nowMs,
  );
  return { connections, log, clock };
}

const readerOf = (connections: Connections<string, string>): string => {
  const got = connections.get('c');
  return 'early' in got ? got.message : got.service.reader;
};

describe('a connection is not used before it was found well', () => {
  test('nobody has looked at it', () => {
    const { connections } = world();
    expect(connections.get('c')).toEqual(unprobed);
    expect(connections.limits('c')).toBeUndefined();
  });

  test('it was opened only', () => {
    const { connections } = world();
    connections.open('c', connection);
    expect(connections.get('c')).toEqual(unprobed);
    expect(connections.limits('c')).toEqual({ perHour: 20, percent: 30 }); // deletions ask before it is well
  });

  test('it was well, and is not any more', () => {
    const { connections } = world();
    connections.open('c', connection);
    connections.setHealth('c', true, '');
    expect(readerOf(connections)).toBe('s1');
    connections.setHealth('c', false, 'no leader');
    expect(connections.get('c')).toEqual({ early: false, message: 'c: no leader' });
  });

  test('what it needs is missing: who waits for it is told that, and not that it will be looked at', () => {
    const { connections } = world();
    expect([1, 2].map(() => connections.setHealth('c', false, 'no Secret x'))).toEqual([true, false]);
    expect(connections.get('c')).toEqual({ early: false, message: 'c: no Secret x' });
    connections.open('c', connection);
    expect(connections.get('c')).toEqual(unprobed);
  });

  test.for([false, true])(
    'it was closed: why it could not be opened once is forgotten (opened since: %s)',
    async (isOpened) => {
      const { connections } = world();
      connections.setHealth('c', false, 'no Secret x');
      if (isOpened) connections.open('c', connection);
      await connections.close('c');
      expect(connections.get('c')).toEqual(unprobed);
      expect(connections.setHealth('c', false, 'no Secret x')).toBe(true);
    },
  );

  test('its definition changed since', () => {
    const { connections } = world();
    connections.open('c', connection);
    connections.setHealth('c', true, '');
    connections.open('c', { ...connection, addresses: ['http://127.0.0.1:4647'] });
    expect(connections.get('c')).toEqual(unprobed);
  });
});

test('health is news when it is first known, and when it turns', () => {
  const { connections } = world();
  expect(connections.setHealth('c', true, '')).toBe(false); // there is no such connection
  connections.open('c', connection);
  const news = [false, false, true, true, false].map((healthy) => connections.setHealth('c', healthy, 'm'));
  expect(news).toEqual([true, false, true, false, true]);
});

test.for<{ why: string; to: Connection; reopened: boolean }>([
  { why: 'the same definition, built anew', to: { ...connection, token: token('1') }, reopened: false },
  { why: 'another version of a secret', to: { ...connection, token: token('2') }, reopened: true },
  {
    why: 'a secret of another name',
    to: { ...connection, token: Secret.of('x/y', '1', 'canary-31') },
    reopened: true,
  },
  { why: 'a secret within', to: { ...connection, tls: { ca: token('1') } }, reopened: true },
  { why: 'another address', to: { ...connection, addresses: ['http://127.0.0.1:4647'] }, reopened: true },
  { why: 'other rights: who lost them must not go on', to: { ...connection, access: [] }, reopened: true },
  {
    why: 'other limits',
    to: { ...connection, limits: { ...connection.limits, maxConcurrent: 1 } },
    reopened: true,
  },
])('a connection stays open while its definition stands: $why', ({ to, reopened }) => {
  const { connections, log } = world();
  const before = connections.open('c', connection);
  connections.setHealth('c', true, '');
  const after = connections.open('c', to);
  expect(after === before).toBe(!reopened);
  expect(after.connection.token?.version).toBe(to.token?.version);
  expect(log).toEqual(reopened ? ['open s1', 'close s1', 'open s2'] : ['open s1']);
});

const limited = (perHour: number, percent = 100): Connection => ({
  ...connection,
  limits: { maxConcurrent: 32, deletions: { perHour, percent } },
});

describe('deletion limits guard what the commit that raises them deletes', () => {
  const hourMs = 3_600_000;

  test('raised, they hold on for an hour as they were', () => {
    const { connections, clock } = world();
    connections.open('c', limited(1));
    connections.open('c', limited(100));
    expect(connections.limits('c')?.perHour).toBe(1);
    clock.nowMs += hourMs - 1;
    expect(connections.limits('c')?.perHour).toBe(1);
    clock.nowMs += 1;
    expect(connections.limits('c')?.perHour).toBe(100);
  });

  test('lowered, they hold at once', () => {
    const { connections } = world();
    connections.open('c', limited(100));
    connections.open('c', limited(1));
    expect(connections.limits('c')?.perHour).toBe(1);
  });

  test('of two, each by itself: who lowers one may not raise the other by it', () => {
    const { connections } = world();
    connections.open('c', limited(1, 90));
    connections.open('c', limited(90, 1));
    expect(connections.limits('c')).toEqual({ perHour: 1, percent: 1 });
  });

  test('raised in steps, none is forgotten before its hour', () => {
    const { connections, clock } = world();
    connections.open('c', limited(1));
    connections.open('c', limited(2));
    clock.nowMs += hourMs / 2;
    connections.open('c', limited(3));
    expect(connections.limits('c')?.perHour).toBe(1);
    clock.nowMs += hourMs / 2;
    expect(connections.limits('c')?.perHour).toBe(2);
    clock.nowMs += hourMs / 2;
    expect(connections.limits('c')?.perHour).toBe(3);
  });

  test('raised while nobody ran, they hold on for an hour of the process that finds out', () => {
    const { connections, clock } = world();
    connections.open('c', limited(100), { perHour: 1, percent: 100 });
    expect(connections.limits('c')?.perHour).toBe(1);
    clock.nowMs += hourMs;
    expect(connections.limits('c')?.perHour).toBe(100);
  });

  test('what was in force when the last process looked counts once: the limits of today are not of then', () => {
    const { connections, clock } = world();
    const before = { perHour: 1, percent: 100 };
    connections.open('c', limited(100), before);
    clock.nowMs += hourMs;
    connections.open('c', limited(100), before); // the same definition
    connections.open('c', limited(200), before);
    expect(connections.limits('c')?.perHour).toBe(100);
  });

  test('a connection that was closed, or has another name by now, is held to what it said within the hour', async () => {
    const { connections } = world();
    connections.open('c', limited(1));
    connections.open('c', limited(100));
    await connections.close('c');
    expect(connections.limits('c')).toBeUndefined();
    connections.open('d', limited(100));
    expect(connections.limits('d')?.perHour).toBe(1);
  });

  test('closed without having changed, it is held to what it said, too', async () => {
    const { connections } = world();
    connections.open('c', limited(1));
    await connections.close('c');
    connections.open('d', limited(100));
    expect(connections.limits('d')?.perHour).toBe(1);
  });

  test('of another backend are nobody else’s', () => {
    const { connections } = world();
    connections.open('c', limited(1));
    connections.open('d', { ...limited(100), backend: 'b2' });
    expect(connections.limits('d')?.perHour).toBe(100);
  });
});

test('what a connection says is known once it is opened, well or not, until it is closed', async () => {
  const { connections } = world();
  expect(connections.defined('c')).toBeUndefined();
  connections.open('c', connection);
  expect(connections.defined('c')).toBe(connection);
  await connections.close('c');
  expect(connections.defined('c')).toBeUndefined();
});

describe('closing', () => {
  test('one connection leaves the others open', async () => {
    const { connections, log } = world();
    connections.open('c', connection);
    connections.open('d', connection);
    connections.setHealth('d', true, '');
    await connections.close('c');
    expect(log).toEqual(['open s1', 'open s2', 'close s1']);
    expect(connections.get('c')).toEqual(unprobed);
    expect(connections.get('d')).toHaveProperty('service');
  });

  test('all of them, and twice is no error', async () => {
    const { connections, log } = world();
    connections.open('c', connection);
    connections.open('d', connection);
    await connections.closeAll();
    await connections.close('c');
    expect(log).toEqual(['open s1', 'open s2', 'close s1', 'close s2']);
  });
});
