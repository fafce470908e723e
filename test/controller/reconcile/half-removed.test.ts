// What leaves, and is half removed when others are declared to be made from it, is registered nowhere: it said that it is ready for
// them, and each waited for the other. It is looked at, and put back first.
import { expect, test } from 'vitest';
import { decide } from '../../../src/controller/reconcile/decision.ts';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { resolveOne } from '../../../src/controller/reconcile/resolve.ts';
import { keyText, type DeclaredObject } from '../../../src/core/resource.ts';
import { chain, leaf, part, works } from '../chain.ts';

const partName = keyText(part);

async function leaving(isHalf: boolean, isPresent?: boolean) {
  const at = await chain();
  await at.visit(keyText(leaf));
  const [entry, kind] = [at.source.read(partName), at.ports.kinds.get(part.kind)];
  if (!entry || !kind) throw new Error('the part was declared');
  const ports = {
    ...at.ports,
    kinds: new Map(at.ports.kinds).set(part.kind, {
      ...kind,
      isHalfRemoved: () => isHalf,
      isPresent: () => isPresent,
    }),
  };
  const object: DeclaredObject = { ...entry.object, deleting: true, held: true };
  const subject = { key: partName, object, status: entry.status, secrets: new Map() };
  return { at, ports, subject, met: preconditionsOf(subject, ports) };
}

const ofPart = { to: 'object', field: '/of', target: part, holds: false } as const;
const message = `still used by ${keyText(leaf)}`;

test('it is looked at although it is still used, and nothing of it is removed', async () => {
  const { ports, subject, met } = await leaving(true);
  if (!('opened' in met)) throw new Error('it was not looked at');
  const { plan, input } = await decide(subject, met, undefined, ports, new AbortController().signal);
  expect(input.inUse).toBe(true);
  expect(plan).toMatchObject({ verdict: 'blocked', reason: 'DeletionBlocked', message });
});

test('what is destroyed by then can not be put back: it goes, and whoever is made from it says that it is missing', async () => {
  const { at, ports, subject, met } = await leaving(true);
  if (!('opened' in met)) throw new Error('it was not looked at');
  works('first', 'delete part');
  const { plan } = await decide(subject, met, undefined, ports, new AbortController().signal);
  expect(plan).toMatchObject({ verdict: 'gone', because: 'nothing is there' });
  at.source.entries.delete(partName);
  expect(resolveOne(ofPart, leaf, 'leaf', ports).resolution).toEqual({
    state: 'missing',
    message: `${partName} does not exist`,
  });
});

test('what is whole only waits', async () => {
  const { met } = await leaving(false);
  expect(met).toMatchObject({ is: 'blocked', plan: { message } });
});

test.for([
  { why: 'is not there, or may not be, is looked at: a lost create is repeated first', isPresent: false },
  { why: 'is there only waits', isPresent: true },
])('what is whole and $why', async ({ isPresent }) => {
  const { met } = await leaving(false, isPresent);
  expect('opened' in met).toBe(!isPresent);
});

test('what says that it is ready, and is not there, is waited for', async () => {
  const { ports } = await leaving(false);
  const found = (isPresent: boolean | undefined) => {
    const kind = ports.kinds.get(part.kind);
    if (!kind) throw new Error('the chain has parts');
    const kinds = new Map(ports.kinds).set(part.kind, { ...kind, isPresent: () => isPresent });
    return resolveOne(ofPart, leaf, 'leaf', { ...ports, kinds }).resolution.state;
  };
  expect([found(undefined), found(false)]).toEqual(['ready', 'waiting']);
});
