// A step that would disturb what is frozen is looked at once more after its intent is recorded: a freeze that began meanwhile
// would otherwise be broken by it.
import { expect, test } from 'vitest';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { World } from '../bench.ts';
import { conn, connKey, onFirst, quiet, works } from '../chain.ts';

const key = { kind: 'Actor', namespace: 'shop', name: 'x' };
const name = 'Actor/shop/x';
const freezer = 'Kept/shop/y';

const actor = defineKind<unknown, null, string, string, string>({
  ...quiet,
  ...onFirst,
  name: 'Actor',
  observe: () => Promise.resolve({ state: 'present', live: null }),
  plan: ({ status: { own } }) =>
    own === 'done'
      ? { verdict: 'in-sync', drift: [] }
      : {
          verdict: 'change',
          steps: [
            {
              verb: 'act',
              summary: 'restart it',
              changes: [],
              effect: 'restart',
              intent: { op: 'call', token: '1' },
              noted: 'begun',
              own: 'done',
              disturbs: ['job j'],
            },
          ],
        },
  record: ({ status }) => status.own,
  outputs: () => ({}),
});

/** @param meanwhile what happens while the intent is recorded */
async function world(meanwhile: (at: World) => void): Promise<World> {
  const at = new World([conn, actor], works);
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  at.source.declare({ key, spec: {} });
  const { lasting } = at.source;
  at.source.lasting = async (write, work) => {
    await lasting(write, work);
    if (write.op !== 'hold') return;
    meanwhile(at);
    at.source.lasting = lasting;
  };
  return at;
}

const sent = ({ source }: World): readonly string[] =>
  source.log.filter((line) => line.startsWith('first: '));

test('what was frozen while the intent was recorded is left alone, and nothing counts as begun', async () => {
  const at = await world(({ ports }) => ports.openEffects.add(freezer, ['job j'], 1));
  expect((await at.visit(name))?.ending).toMatchObject({
    is: 'blocked',
    plan: { reason: 'QuiesceInProgress', message: `${freezer} has frozen it` },
  });
  expect(sent(at)).toEqual([]);
  expect(at.source.read(name)?.status.own).toBeUndefined();
  expect(at.source.read(name)?.status.pending).toBeUndefined();
  expect([...at.ports.openEffects.delete(freezer)]).toEqual([name]); // it is woken
  expect((await at.visit(name))?.ending.is).toBe('rest');
  expect(sent(at)).toEqual(['first: restart']);
});

test.for([
  { why: 'something else is frozen', names: ['job k'], untilMs: 1 },
  { why: 'the deadline of the freeze is over', names: ['job j'], untilMs: -1 },
])('it goes on where $why', async ({ names, untilMs }) => {
  const at = await world(({ ports }) => ports.openEffects.add(freezer, names, untilMs));
  expect((await at.visit(name))?.ending.is).toBe('rest');
  expect(sent(at)).toEqual(['first: restart']);
});
