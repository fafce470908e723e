// A script that is drawn: writes of two people who do not wait for each other, on what they last saw. They leave the
// `managedFields` out, as Holdfast does: the simulated one keeps none.
import { randomOf, type Random } from '../../../simulation/machine/random.ts';
import { disk, initial, lease, only, patch, type Fields, type Hand, type Script } from './hand.ts';

const steps = 80;
const names = ['a', 'b'] as const;
const finalizers = ['holdfast.dev/x', 'holdfast.dev/y'] as const;

interface Drawing {
  readonly random: Random;
  readonly hand: Hand;
  /** What was seen of each path, by time. */
  readonly seen: Map<string, Fields[]>;
}

export const drawnScript = (seed: string): Script => ({
  title: `drawn from ${seed}`,
  async play(hand) {
    const drawing: Drawing = { random: randomOf(seed), hand, seen: new Map() };
    const { disks, secrets, leases } = hand;
    for (const collection of [disks, secrets, leases]) await hand.watch(`${collection}?${initial}`);
    for (const selector of ['tier=gold', '!other', 'tier notin (tin)'])
      await hand.watch(`${disks}?${initial}&labelSelector=${encodeURIComponent(selector)}`);
    for (let n = 0; n < steps; n += 1) await step(drawing, n);
    for (const collection of [disks, secrets, leases]) await hand.call('GET', collection);
  },
});

async function step({ random, hand, seen }: Drawing, n: number): Promise<void> {
  const collection = random.pick([hand.disks, hand.disks, hand.disks, hand.secrets, hand.leases]);
  const name = random.pick(names);
  const path = `${collection}/${name}`;
  const known = seen.get(path) ?? [];
  /** The newest or, at times, an older one. */
  const base = known.length > 0 && random.chance(0.3) ? random.pick(known) : known.at(-1);
  const query = random.chance(0.1) ? '?dryRun=All' : '';
  const body = bodyOf(hand, collection, name, n);
  const edited = () => ({ ...base, ...body, metadata: { ...base?.metadata, ...metadataOf(random, base) } });
  const isDisk = collection === hand.disks;
  const sub = isDisk && random.chance(0.3) ? '/status' : '';
  const answer = await random.pick([
    () =>
      hand.call('POST', `${collection}${query}`, {
        body: { ...body, metadata: { name, ...marksOf(random) } },
      }),
    () => hand.call('PUT', `${path}${sub}${query}`, { body: base ? edited() : body }),
    () => hand.call('PATCH', `${path}${sub}${query}`, patch(patchOf(random, base, n, isDisk))),
    () => hand.call('PATCH', `${path}${sub}${query}`, patch(patchOf(random, base, n, isDisk))),
    () => hand.call('DELETE', `${path}${query}`, random.chance(0.5) ? only(conditionOf(random, base)) : {}),
    () => hand.call('GET', path),
  ])();
  if (answer.metadata?.resourceVersion === undefined) return;
  const { managedFields: _, ...metadata } = answer.metadata;
  seen.set(path, [...known, { ...answer, metadata }]);
}

function bodyOf(hand: Hand, collection: string, name: string, n: number): object {
  const size = n % 3; // at times it is what it was
  if (collection === hand.leases) return lease(name, {}, `me-${size}`);
  if (collection === hand.secrets)
    return { metadata: { name }, data: { size: Buffer.from(`${size}`).toString('base64') } };
  return disk(name, {}, { spec: { size }, status: { n: size } });
}

const marksOf = (random: Random): object => ({
  ...(random.chance(0.5) && { labels: { tier: random.pick(['gold', 'tin']) } }),
  ...(random.chance(0.4) && { finalizers: finalizers.slice(0, 1 + random.below(2)) }),
});

/** Of a PUT: mostly what was seen, with another mark. */
const metadataOf = (random: Random, base?: Fields): object => ({
  ...(random.chance(0.5) && marksOf(random)),
  ...(random.chance(0.2) && { finalizers: [] }),
  ...(random.chance(0.1) && { uid: undefined }),
  ...(random.chance(0.1) && { resourceVersion: undefined }),
  ...(random.chance(0.1) && { generation: 77, deletionTimestamp: base?.metadata?.['deletionTimestamp'] }),
});

const conditionOf = (random: Random, base?: Fields): object => ({
  ...(random.chance(0.7) && { uid: base?.metadata?.uid ?? 'none' }),
  ...(random.chance(0.5) && { resourceVersion: base?.metadata?.resourceVersion ?? '1' }),
});

function patchOf(random: Random, base: Fields | undefined, n: number, isDisk: boolean): object {
  const { uid, resourceVersion } = base?.metadata ?? {};
  const metadata = {
    ...(random.chance(0.3) && { resourceVersion }),
    ...(random.chance(0.3) && { uid }),
    ...(random.chance(0.4) && { labels: random.pick([null, { tier: 'gold' }, { tier: null, other: 'y' }]) }),
    ...(random.chance(0.4) && { finalizers: random.pick([null, [], finalizers, finalizers.slice(1)]) }),
    ...(random.chance(0.2) && { annotations: { n: random.pick([null, `${n % 2}`]) } }),
  };
  if (!isDisk) return { metadata };
  return {
    metadata,
    ...(random.chance(0.4) && { spec: { size: n % 3 } }),
    ...(random.chance(0.4) && { status: random.pick([null, { n: n % 3 }, { n: null }]) }),
  };
}
