// Plays damage to what Holdfast remembers: whatever is forgotten or mixed up, nothing goes that should not.
import { openStateReadOnly } from '../../../src/sources/directory/state/snapshot.ts';
import { join } from 'node:path';
import type { Ended } from '../../support/cli.ts';
import { belongingsOf, ownerOf, placeOf, undeclare, type Belongings } from '../world/ownership.ts';
import { chance } from '../../support/chance.ts';
import { damagesTo, inflict, type Damage } from './damage.ts';
import type { Column, Finding } from '../table/comparison.ts';
import { effective } from '../world/ledger.ts';
import type { Failure, Rowed, RowOptions } from '../table/row.ts';
import { broken } from '../table/tally.ts';
import { World } from '../world/world.ts';

/** What comes after the damage. */
const afters = ['declared, then deleted', 'deleted'] as const;

interface Case {
  readonly name: string;
  readonly key: string;
  readonly damage: Damage;
  readonly after: (typeof afters)[number];
}

/** Whose memory is damaged, and with whose it is swapped. */
const pairs: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  CSIVolume: [
    ['made', 'twin'],
    ['made', 'registered'],
    ['registered', 'made'],
    ['refused', 'made'],
  ],
  LDAPConfig: [
    ['second', 'directory'],
    ['third', 'second'],
  ],
  LDAPStaticRole: [
    ['shop', 'billing'],
    ['reports', 'shop'],
  ],
};

/**
 * All that damage may cost, and only in the place of the object whose memory it is. `held` is trusted on its own where a
 * kind leaves no mark outside (docs/reliability.md): who is taken for the owner behaves as one. And a request of which it
 * is forgotten that it was answered is answered once more.
 */
const allowed: readonly { readonly name: RegExp; readonly what: RegExp }[] = [
  { name: /^LDAP\w+\/shop\/(third|reports): held swapped /, what: /./ },
  { name: /^LDAPStaticRole\/shop\/shop: handledRequests/, what: / is another$/ },
];

const isAllowed = ({ name, key }: Case, [, what]: Finding): boolean =>
  placeOf(what) === key && allowed.some((one) => one.name.test(name) && one.what.test(what));

interface Played {
  readonly findings: readonly Finding[];
  /** Conditions that tell a person what to do. */
  readonly told: readonly string[];
  /** What left without being deleted, since nothing proved whose it is. */
  readonly kept: readonly string[];
  readonly output: string;
}

const casesOf = (from: string, kind: string): readonly Case[] => {
  const all = (pairs[kind] ?? []).flatMap(([name, other]) => {
    const key = `${kind}/shop/${name}`;
    return damagesTo(from, key, `${kind}/shop/${other}`).flatMap((damage) =>
      afters.map((after): Case => ({ name: `${key}: ${damage.name}, ${after}`, key, damage, after })),
    );
  });
  return [...new Map(all.map((one) => [one.name, one])).values()];
};

/** One case in so many, and one at least. */
function drawn(all: readonly Case[], seed: string, share: number): readonly Case[] {
  const order = all.toSorted((a, b) => chance(seed, a.name) - chance(seed, b.name));
  return order.filter(({ name }, at) => at === 0 || chance(seed, name) < 1 / share);
}

/** @param from a world at rest, see world/ownership.ts */
export async function damaged(from: string, kind: string, options: RowOptions): Promise<Rowed> {
  const { seed, share, only = /(?:)/ } = options;
  const cases = drawn(
    casesOf(from, kind).filter(({ name }) => only.test(name)),
    seed,
    share,
  );
  const found: Record<Column, number> = {
    duplicates: 0,
    orphans: 0,
    'manual steps': 0,
    'wrong deletes': 0,
    other: 0,
  };
  const failures: Failure[] = [];
  let [asking, keeping] = [0, 0];
  const before = await inWorld(from, belongingsOf);
  const left = [...cases];
  const work = async () => {
    for (let one = left.shift(); one; one = left.shift()) {
      const { findings, told, kept, output } = await play(from, before, one).catch((error: unknown) => ({
        told: [],
        kept: [],
        ...broken(error),
      }));
      asking += Number(told.length > 0);
      keeping += Number(kept.length > 0);
      for (const column of new Set(findings.map(([name]) => name))) found[column] += 1;
      if (findings.length > 0) failures.push({ where: one.name, findings, output });
    }
  };
  await Promise.all([work(), work(), work()]);
  const journey = `bookkeeping (${asking} tell a person what to do, ${keeping} leave what was theirs)`;
  const passed = cases.length - failures.length;
  failures.sort((a, b) => weight(a) - weight(b));
  return { row: { kind, journey, effects: 0, cases: cases.length, passed, found, tokens: 0 }, failures };
}

/** The worst first: not all are shown. */
const weight = ({ findings }: Failure): number =>
  -findings.filter(([column]) => column === 'wrong deletes').length;

async function inWorld<T>(from: string, act: (world: World) => Promise<T>): Promise<T> {
  const world = await World.open('nomad', from);
  try {
    return await act(world);
  } finally {
    await world.close();
  }
}

const play = (from: string, before: Belongings, one: Case): Promise<Played> =>
  inWorld(from, async (world) => {
    const { key, damage, after } = one;
    inflict(world.cwd, damage);
    const findings: Finding[] = [];
    const told: string[] = [];
    const kept: string[] = [];
    const outputs: string[] = [];
    for (const step of after.split(', then ')) {
      if (step === 'deleted') undeclare(world, key);
      const ended = await world.apply();
      outputs.push(`${step}: exit ${ended.code}\n${ended.stdout}${ended.stderr}`);
      told.push(...(await conditionsIn(world)));
      const now = await belongingsOf(world);
      const found = judge(before, now, step === 'deleted' ? key : '');
      findings.push(...crashes(ended), ...found.filter((finding) => !isAllowed(one, finding)));
      if (step === 'deleted') kept.push(...[...now.keys()].filter((name) => ownerOf(name) === key));
    }
    const rotations = effective(world.ledger).filter(({ op }) => op === 'ldap.role.rotate').length;
    if (rotations > 1) findings.push(['duplicates', `${rotations} rotations`]);
    return { findings, told, kept, output: outputs.join('\n') };
  });

/** Refused by its own words is well; a bug is not. */
function crashes({ code, stdout, stderr }: Ended): readonly Finding[] {
  const isClear = code === 0 || code === 3 || (code === 1 && /^holdfast: .+\n$/.test(stderr));
  return isClear && !`${stdout}${stderr}`.includes('a bug in Holdfast')
    ? []
    : [['other', `exit ${code}: ${stderr}`]];
}

/** @param leaving what belongs to it may go */
function judge(before: Belongings, now: Belongings, leaving: string): readonly Finding[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].flatMap((name): readonly Finding[] => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === is || (ownerOf(name) === leaving && is === undefined)) return [];
    if (was === undefined) return [['orphans', `${name} is new`]];
    if (is === undefined) return [['wrong deletes', `${name} is gone`]];
    return [['other', `${name} is another`]];
  });
}

/** What is said of objects that are not as they should be; those that were refused from the start are. */
async function conditionsIn({ cwd }: World): Promise<readonly string[]> {
  const snapshot = await openStateReadOnly(join(cwd, '.holdfast/state.sqlite'));
  return [...(snapshot?.rows ?? [])].flatMap(([key, { status: memory }]) => {
    const ready = memory.conditions.find(({ type }) => type === 'Ready');
    const isWell = ready?.status === 'True' || /\/(refused|third|reports)$/.test(key);
    return isWell ? [] : [`${key}: ${ready?.reason ?? ''}: ${ready?.message ?? ''}`];
  });
}
