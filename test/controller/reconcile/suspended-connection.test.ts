// A suspended connection holds back every change of the objects that use it: who suspends it on a bad day expects that
// nothing is made, changed or destroyed behind it, and what is open outside is still closed.
import { describe, expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { keyText } from '../../../src/core/resource.ts';
import { connKey } from '../chain.ts';
import { disk, disks } from '../disks.ts';
import { change, rest, toy } from './toy.ts';

const suspend = { requests: { suspend: 'true' } };

/** Two disks; their connection is suspended by now. */
async function suspended() {
  const scene = await disks(['a', 'b']);
  const { at } = scene;
  const connection = { key: connKey('c'), spec: {} };
  at.source.declare({ ...connection, ...suspend });
  await at.visit('Conn/c');
  const told = (name: string, type: 'Ready' | 'Synced') => {
    const { reason, message } = conditionOf(at.source.read(disk(name))?.status.conditions ?? [], type) ?? {};
    return `${reason}: ${message}`;
  };
  const resume = async () => {
    at.source.declare({ ...connection, requests: {} });
    await at.visit('Conn/c');
  };
  return { ...scene, told, resume };
}

describe('behind a suspended connection', () => {
  test('nothing is made until it is resumed', async () => {
    const { at, declare, outside, told, resume } = await suspended();
    declare('new');
    await at.visit(disk('new'));
    expect(outside.has('new')).toBe(false);
    expect(told('new', 'Synced')).toBe('Suspended: not done while Conn/c is suspended: make it');
    await resume();
    await at.visit(disk('new'));
    expect(outside.has('new')).toBe(true);
  });

  test('nothing is replaced, and what is there stays ready', async () => {
    const { at, declare, outside, told } = await suspended();
    declare('a', { type: 'nvme' });
    await at.visit(disk('a'));
    expect(outside.get('a')).toMatchObject({ disk: 'd1', type: 'ssd' });
    expect(told('a', 'Ready')).toBe('InSync: ');
    expect(told('a', 'Synced')).toBe('Suspended: not done while Conn/c is suspended: delete d1');
  });

  test('nothing is destroyed until it is resumed', async () => {
    const { at, leave, outside, told, resume } = await suspended();
    leave('a');
    await at.visit(disk('a'));
    expect(outside.has('a')).toBe(true);
    expect(told('a', 'Ready')).toBe('DeletionBlocked: not done while Conn/c is suspended: delete d1');
    await resume();
    await at.visit(disk('a'));
    expect(outside.has('a')).toBe(false);
  });

  test('an object that declares `suspend: false` is held back as well', async () => {
    const { at, declare, outside } = await suspended();
    declare('new', { policy: { suspend: false } });
    await at.visit(disk('new'));
    expect(outside.has('new')).toBe(false);
  });

  test('the kind is told: a schedule passes over the runs of that time, as it does when it is suspended itself', async () => {
    const { at, resume } = await suspended();
    const policy = () => {
      const entry = at.source.read(disk('a'));
      const met = entry && preconditionsOf({ key: disk('a'), ...entry, secrets: new Map() }, at.ports);
      return met && 'opened' in met ? met.opened.policy : undefined;
    };
    expect(policy()).toMatchObject({ suspend: true, replace: 'WhenUnused' });
    await resume();
    expect(policy()).toMatchObject({ suspend: false, replace: 'WhenUnused' });
  });

  test('what is in sync is looked at and stays so', async () => {
    const { at, told } = await suspended();
    await at.visit(disk('a'));
    expect(told('a', 'Synced')).toBe('InSync: ');
  });

  test('another connection goes on', async () => {
    const { at, declare, outside } = await suspended();
    declare('new', { on: 'other' });
    await at.visit(disk('new'));
    expect(outside.has('new')).toBe(true);
  });
});

describe('a visit of an object', () => {
  const destroying = change({ verb: 'delete', effect: 'delete', destroys: 'data' });

  test('destroys nothing where the connection is suspended after it was looked at and before the call', async () => {
    let looks = 0;
    const { at, visit, sent, remembered } = await toy({
      plans: [destroying],
      object: { deleting: true },
      onObserve: () => {
        if (++looks === 2) at.source.declare({ key: connKey('first'), spec: {}, ...suspend });
      },
    });
    await visit();
    expect(sent()).toEqual([]);
    expect(remembered()?.conditions.find(({ type }) => type === 'Ready')?.reason).toBe('DeletionBlocked');
  });

  const consumer = {
    references: [{ to: 'object', field: '/consumer', target: connKey('second'), holds: true } as const],
  };

  test.for([
    { why: 'through it', via: '/consumer', conn: 'second', sent: 0 },
    { why: 'through its own, which is not', via: undefined, conn: 'second', sent: 1 },
    { why: 'through another, while its own is', via: '/consumer', conn: 'first', sent: 0 },
  ])('that uses two connections, with one suspended, sends $sent effects $why', async (row) => {
    const act = change({ effect: 'restart', ...(row.via !== undefined && { via: row.via }) });
    const { at, visit } = await toy({ plans: [act, rest], kind: consumer });
    at.source.declare({ key: connKey('second'), spec: {} });
    await at.visit('Conn/second');
    at.source.declare({ key: connKey(row.conn), spec: {}, ...suspend });
    at.source.log.length = 0;
    const visited = await visit({ random: () => 0.5 });
    expect(visited?.done).toHaveLength(row.sent);
    const blocked = visited?.ending.is === 'blocked' ? visited.ending.plan.message : undefined;
    expect(blocked).toBe(
      row.sent === 0 ? `not done while ${keyText(connKey(row.conn))} is suspended: act` : undefined,
    );
  });

  test('closes what is open outside though its connection is suspended: a frozen workload must not stay so', async () => {
    const { at, visit, sent } = await toy({ plans: [change({ effect: 'thaw', closes: true }), rest] });
    at.source.declare({ key: connKey('first'), spec: {}, ...suspend });
    await visit();
    expect(sent()).toEqual(['thaw']);
  });
});
