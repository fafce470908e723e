// The one door: every way in which a step may not destroy, whatever its verb.
import { beyondLimits } from '../../../src/controller/reconcile/limits.ts';
import { describe, expect, test } from 'vitest';
import {
  countsTowardsLimits,
  goingID,
  objection,
  refusal,
  type Destruction,
} from '../../../src/controller/reconcile/destruction.ts';
import { deletionID } from '../../../src/core/planning/deletion-limits.ts';
import type { Step, Verb } from '../../../src/core/planning/plan.ts';
import { indexObject } from '../../../src/controller/index/indexing.ts';
import { disk, disks } from '../disks.ts';

const verbs: readonly Verb[] = [
  'create',
  'adopt',
  'revive',
  'update',
  'replace',
  'detach',
  'delete',
  'destroy',
  'act',
];
const counted: readonly Verb[] = ['replace', 'delete'];
const exempt = verbs.filter((verb) => !counted.includes(verb));

async function world(limits?: { perHour: number; percent: number }) {
  const scene = await disks(['a', 'b', 'c', 'd'], limits);
  const { ports, source } = scene.at;
  const about = (verb: Verb, more: Partial<Destruction['step']> = {}, name = 'a') => {
    const entry = source.read(disk(name));
    if (!entry) throw new Error(`no ${name}`);
    const step = { verb, changes: [], destroys: 'data' as const, data: `data of ${name}`, ...more };
    return { key: disk(name), ...entry, connection: 'Conn/c', step };
  };
  const ask = (...of: Parameters<typeof about>) => refusal(about(...of), ports);
  return { ...scene, source, about, ask };
}

describe.for(verbs)('%s', (verb) => {
  test('is let through where nothing is against it', async () => {
    expect((await world()).ask(verb)).toBeUndefined();
  });

  test('destroys nothing on the word of a state that may be of another day', async () => {
    const { ask, source } = await world();
    source.distrusted = { digest: 'd1', message: 'older than it was' };
    expect(ask(verb)).toMatchObject({
      reason: 'StateRestored',
      message: 'older than it was',
      wake: { on: 'approval', digest: 'd1' },
    });
  });

  test('destroys nothing that is recorded for another object, through whatever address', async () => {
    const { at, ask } = await world();
    at.ports.owners.record(disk('b'), ['data of a'], 'another registration of it');
    expect(ask(verb)).toMatchObject({
      reason: 'ReplacementBlocked',
      message: `data of a is recorded for ${disk('b')}, too`,
      wake: { on: 'object' },
    });
  });

  test('destroys nothing that another declaration names, though that waits for something yet', async () => {
    const { at, ask } = await world();
    at.ports.owners.declare(disk('b'), ['data of a']);
    const message = `data of a is declared by ${disk('b')}`;
    expect(ask(verb)).toMatchObject({ reason: 'ReplacementBlocked', message, wake: { on: 'object' } });
    expect(ask(verb, {}, 'b')).toBeUndefined();
  });

  test('says of one that leaves that it is its deletion that waits', async () => {
    const { at, ask, leave } = await world();
    leave('a');
    at.ports.owners.record(disk('b'), ['data of a'], undefined);
    expect(ask(verb)?.reason).toBe('DeletionBlocked');
  });

  test('is not held up by its own record', async () => {
    const { at, ask } = await world();
    at.ports.owners.record(disk('a'), ['data of a'], 'd1');
    expect(ask(verb)).toBeUndefined();
  });
});

test.for(counted)('%s: counts against the limits', async (verb) => {
  const { ask } = await world({ perHour: 0, percent: 100 });
  expect(countsTowardsLimits({ verb })).toBe(true);
  expect(ask(verb)).toMatchObject({ reason: 'DeletionLimitExceeded', wake: { on: 'approval' } });
});

test.for(exempt)('%s: loses nothing, or was counted when it was let go of', async (verb) => {
  const { at, ask } = await world({ perHour: 0, percent: 100 });
  expect(countsTowardsLimits({ verb })).toBe(false);
  expect(ask(verb)).toBeUndefined();
  expect(at.ports.deletions.announced('Conn/c')).toEqual([]);
});

test.for(exempt)(
  '%s: one that was declared since may be about to say that it has those data',
  async (verb) => {
    const { at, ask } = await world();
    at.settled = () => false;
    expect(ask(verb)).toMatchObject({ reason: 'DeletionPending', wake: { on: 'object' } });
    expect(at.ports.deletions.waiting).toEqual([disk('a')]);
    expect(ask(verb, { destroys: 'registration' })).toBeUndefined();
  },
);

test('a registration that goes counts like data do: nobody else can tell what it meant', async () => {
  const { ask } = await world({ perHour: 0, percent: 100 });
  expect(ask('delete', { destroys: 'registration' })?.reason).toBe('DeletionLimitExceeded');
});

test('a registration goes whoever else declares the disk: of two that do, each could wait for the other', async () => {
  const { at, about } = await world();
  at.ports.owners.declare(disk('b'), ['data of a']);
  const { step, ...rest } = about('delete', { destroys: 'registration' });
  const { data: _, ...registration } = step;
  expect(refusal({ ...rest, step: registration }, at.ports)).toBeUndefined();
});

test('a replacement is announced, what leaves is known anyway', async () => {
  const { at, ask, leave } = await world();
  ask('replace');
  leave('b');
  ask('delete', {}, 'b');
  expect(at.ports.deletions.announced('Conn/c')).toEqual([disk('a')]);
});

describe('nothing goes before all is known that may go', () => {
  test('others are still to be looked at: the last of them wakes it', async () => {
    const { at, ask } = await world();
    at.settled = () => false;
    expect(ask('delete')).toMatchObject({
      reason: 'DeletionPending',
      message: 'what else may go is looked at first',
      wake: { on: 'object' },
    });
    expect(at.ports.deletions.waiting).toEqual([disk('a')]);
  });

  test('the declarations still change: nobody tells when they don’t, so it asks again', async () => {
    const { at, ask, source } = await world();
    source.synced = false;
    expect(ask('delete')).toMatchObject({
      reason: 'DeletionPending',
      message: 'what is declared still changes: what else may go is not known',
      wake: { on: 'time', atMs: at.clock.nowMs() + 1_000 },
    });
  });

  test('the connection is not open: its limits are not known', async () => {
    const { at, ask } = await world();
    await at.ports.connections.close('Conn/c');
    expect(ask('delete')?.reason).toBe('DeletionPending');
  });
});

const removed = (id: string) => ({
  intent: { op: 'replace', token: '/type', evidence: { removed: id } },
});

/** `a` leaves, and `new` was declared since, which names what it has. */
async function renamed(policy: object = {}) {
  const { at, about, declare, leave } = await world();
  leave('a');
  declare('new', { named: 'a', waits: true, policy });
  await at.visit(disk('new'));
  const { step, ...rest } = about('destroy');
  return objection({ ...rest, step: { ...step, summary: 'destroy it' } }, at.ports);
}

describe('what leaves, and another declares by now', () => {
  test('is not destroyed, though its visit began when nobody did', async () => {
    const message = `it moves to ${disk('new')}`;
    expect(await renamed()).toMatchObject({ reason: 'MoveInProgress', message });
  });

  test('nor where the other only observes it', async () => {
    const message = `kept: ${disk('new')} observes it`;
    const plan = { reason: 'MoveInProgress', message, wake: { on: 'object' } };
    expect(await renamed({ management: 'ObserveOnly' })).toMatchObject(plan);
  });
});

describe('what a refusal is about', () => {
  test('shows what would have been changed: a person decides by it', async () => {
    const { ask } = await world({ perHour: 0, percent: 100 });
    const changes = [{ path: '/type', desired: 'nvme', live: 'ssd', cause: 'edit' } as const];
    expect(ask('replace', { changes })?.changes).toEqual(changes);
  });

  test('names one going: what leaves by its life, what is replaced by what is lost', async () => {
    const { about, leave } = await world();
    const ids = [about('replace', removed('d1')), about('replace', removed('d2')), about('replace')].map(
      goingID,
    );
    expect(new Set(ids).size).toBe(3);
    leave('a');
    const leaving = about('delete', removed('d1'));
    expect(goingID(leaving)).toBe(deletionID(leaving.object));
  });
});

const taking = async (more: Partial<Step<string>>, recorded?: string) => {
  const { at, about } = await world();
  if (recorded !== undefined) at.ports.owners.record(disk('b'), [recorded], 'd1');
  const { step, ...rest } = about('adopt');
  const { destroys: _, data: __, ...harmless } = step;
  return objection({ ...rest, step: { ...harmless, summary: 'take it', ...more } }, at.ports);
};

const doubted = async (more: Partial<Step<string>>, held = true) => {
  const { at, about, source } = await world();
  source.distrusted = { digest: 'd1', message: 'older than it was' };
  const { key, object, status: memory, connection } = about('update');
  const changes = [{ path: '/type', desired: 'nvme', live: 'ssd', cause: 'edit' } as const];
  const step = { verb: 'update', summary: 'write', changes, ...more } as const;
  return objection({ key, object: { ...object, held }, status: memory, connection, step }, at.ports);
};

describe('on the word of a state that may be of another day', () => {
  test.for<[string, Partial<Step<string>>]>([
    ['nothing outside is changed', { effect: 'write' }],
    [
      'nothing is published',
      {
        verb: 'act',
        effect: { port: 'source', op: 'output.write', output: { name: 'login', revision: '1', entries: {} } },
      },
    ],
  ])('%s: another one may have made it right since', async ([, step]) => {
    expect(await doubted(step)).toMatchObject({
      reason: 'StateRestored',
      message: 'older than it was',
      wake: { on: 'approval', digest: 'd1' },
      changes: [{ path: '/type' }],
    });
  });

  test('what is there may be taken note of: that changes nothing', async () => {
    expect(await doubted({ verb: 'adopt' })).toBeUndefined();
  });

  test('what was never held may be made: nothing is remembered of it', async () => {
    expect(await doubted({ verb: 'create', effect: 'make' }, false)).toBeUndefined();
  });
});

test('what leaves changes no field', async () => {
  const { at } = await world();
  at.settled = () => false;
  expect(beyondLimits(disk('a'), 'id', 'Conn/c', at.ports)?.changes).toEqual([]);
});

describe('what is taken over', () => {
  test('is not another’s: found at a second address, one disk had two owners', async () => {
    expect(await taking({ data: 'disk 1', identity: 'd1' }, 'disk 1')).toMatchObject({
      verdict: 'blocked',
      reason: 'ExternalNameConflict',
      message: `its external object belongs to ${disk('b')}`,
      wake: { on: 'object' },
    });
  });

  test('is free where nobody has it, or where no data are known', async () => {
    expect(await taking({ data: 'disk 1', identity: 'd1' })).toBeUndefined();
    expect(await taking({ data: 'disk 1', identity: 'd1' }, 'disk 2')).toBeUndefined();
    expect(await taking({ identity: 'd1' }, 'disk 1')).toBeUndefined();
  });

  test('is free as another registration of the same data: neither owner may destroy them then', async () => {
    expect(await taking({ data: 'disk 1', identity: 'd2' }, 'disk 1')).toBeUndefined();
  });

  test('is asked about where it is taken over, and not where what is ours is changed', async () => {
    expect(await taking({ verb: 'update', data: 'disk 1' }, 'disk 1')).toBeUndefined();
  });

  test('and destroyed passes the same door', async () => {
    const found = await taking({ destroys: 'data', data: 'disk 1', verb: 'destroy' }, 'disk 1');
    expect(found?.reason).toBe('ReplacementBlocked');
  });
});

test('who is to be made from it holds up its replacement, and not the end of one that was replaced before', async () => {
  const { at, about, declare } = await world();
  declare('new', { of: 'a', waits: true });
  indexObject(disk('new'), at.ports);
  const asked = (['replace', 'destroy'] as const).map((verb) => {
    const { step, ...rest } = about(verb);
    return objection({ ...rest, step: { ...step, summary: '' } }, at.ports)?.message;
  });
  expect(asked).toEqual([`${disk('new')} is made from it first`, undefined]);
});
