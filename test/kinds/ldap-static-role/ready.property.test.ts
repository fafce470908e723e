// LDAPStaticRole: who trusts Ready logs in with what is published. It must never say True while that is a dead password.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTrue } from '../../../src/core/status/condition.ts';
import { instantIn } from '../../../src/kinds/ldap-static-role/publication.ts';
import { said } from './asking.ts';
import { uid } from './surroundings.ts';
import { World, type Fate, type Options } from './world.ts';

type Event = (world: World) => void | Promise<unknown>;

/** What goes on and off: things that keep a rotation from being published. */
const troubles: Readonly<Record<string, (world: World, on: boolean) => void>> = {
  full: (world, on) => (world.full = on),
  taken: (world, on) => (world.outputOwner = on && world.output ? 'LDAPStaticRole/shop/other' : uid),
  unreadable: ({ directory }, on) =>
    void (on
      ? directory.failing.add('ldap.credential.read')
      : directory.failing.delete('ldap.credential.read')),
  'not shown': ({ directory }, on) =>
    void (on ? directory.failing.add('ldap.role.read') : directory.failing.delete('ldap.role.read')),
  'not shown after a call': ({ directory }, on) => {
    directory.changed = on ? () => void directory.failing.add('ldap.role.read') : undefined;
    if (!on) directory.failing.delete('ldap.role.read');
  },
  unreachable: ({ broken }, on) => void (on ? broken.add('vault') : broken.delete('vault')),
  suspended: (world, on) => (on ? world.request('suspend', 'true') : world.resume()),
};

const events: Readonly<Record<string, Event>> = {
  token: (world) => world.request('rotate', `t${world.nowMs}`),
  'by hand': ({ directory }) => directory.rotate(),
  'the role is gone': ({ directory }) => (directory.role = undefined),
  'a second': (world) => world.advance(1_000),
  'a period': (world) => world.advance(301_000),
  'taken away': (world) => (world.output = undefined),
  visit: () => {},
};

const happens = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(events)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(troubles)), fc.boolean())
      .map(([name, on]) => `${name} ${on ? 'on' : 'off'}`),
  },
);

async function happening(world: World, what: string): Promise<void> {
  const [name = '', on] = what.split(/ (?=on$|off$)/);
  if (on === undefined) await events[name]?.(world);
  else troubles[name]?.(world, on === 'on');
}

/** What somebody else did is known after a whole visit; what Holdfast itself did, always. */
class Known {
  #shown = '';
  #isUnseen = false;

  happened(what: string): void {
    if (['taken away', 'taken on', 'taken off'].includes(what)) this.#isUnseen = true;
  }

  visited({ directory }: World): void {
    if (directory.shown !== '') this.#shown = directory.shown;
    this.#isUnseen = false;
  }

  /** Whether what is said holds. */
  holds(world: World): boolean {
    if (this.#isUnseen || !isTrue(world.memory.conditions, 'Ready')) return true;
    const { output, outputOwner, directory } = world;
    const published = output && outputOwner === uid ? instantIn(output.revision) : '';
    return published >= directory.made && published >= this.#shown;
  }
}

/** @returns how it is in the end, with no trouble left */
async function play(options: Options, story: readonly string[]): Promise<World> {
  const world = new World(options);
  const known = new Known();
  const visit = async (): Promise<void> => {
    world.directory.shown = '';
    const visited = await world.visit();
    if (visited && visited.ending.is !== 'parked') known.visited(world);
  };
  const context = () => `${said(world, 'Ready')} ${world.output?.revision}, ${world.log.join()}`;
  for (const what of ['visit', ...story]) {
    await happening(world, what);
    known.happened(what);
    expect(known.holds(world), `${what}: ${context()}`).toBe(true);
    await visit();
    expect(known.holds(world), `visited after ${what}: ${context()}`).toBe(true);
  }
  for (const end of Object.values(troubles)) end(world, false);
  await world.settle();
  return world;
}

test('whatever rotates, fails, dies and is lost: Ready is True only while the last rotation is published', async () => {
  const fate = fc.constantFrom<Fate>('done', 'done', 'unanswered', 'late', 'lost');
  const given = [
    fc.uniqueArray(fc.nat(90), { maxLength: 4 }),
    fc.array(fate, { maxLength: 8 }),
    fc.array(happens, { minLength: 1, maxLength: 14 }),
  ] as const;
  await fc.assert(
    fc.asyncProperty(...given, async (deaths, fates, story) => {
      const spec = { rotationPeriod: '5m' };
      const world = await play({ spec, deaths: new Set(deaths), fates }, story);
      expect(said(world, 'Ready')).toBe('True InSync');
      expect(instantIn(world.output?.revision ?? '')).toBe(world.directory.instant);
    }),
    { numRuns: 500 },
  );
});
