// What is being deleted and waits for its users serves them as before: else they would stop, and could not even leave.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { outputsOf } from '../../../src/controller/reconcile/resolve.ts';
import { keyText } from '../../../src/core/resource.ts';
import { blocked } from '../../../src/core/planning/plan.ts';
import type { Reason } from '../../../src/core/status/reasons.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { connectionNamed } from '../bench.ts';
import { chain, leaf, part } from '../chain.ts';

const [leafName, partName] = [keyText(leaf), keyText(part)];

test('what stays for those that are reached through it serves them as before, and nobody new', async () => {
  const at = await chain();
  await at.visit(leafName);
  const [entry, user] = [at.source.read(partName), at.source.read(leafName)];
  if (!entry || !user) throw new Error('both were declared');
  const put = (deleting: boolean, reason: Reason) => {
    const conditions = entry.status.conditions.map((one) => ({ ...one, status: 'False' as const, reason }));
    at.source.entries.set(partName, {
      object: { ...entry.object, deleting },
      status: { ...entry.status, conditions },
    });
  };
  const met = (status: Status = user.status) =>
    preconditionsOf({ key: leafName, object: user.object, status, secrets: new Map() }, at.ports);
  const plan = blocked('DependencyNotReady', `/part: ${partName} is not ready`, { on: 'object' });
  const waits = { is: 'blocked', plan };
  put(true, 'DeletionBlocked');
  expect(met()).toMatchObject({ connection: 'Conn/first' });
  expect(met(noStatus)).toEqual(waits);
  put(true, 'Timeout');
  expect(met()).toEqual(waits);
  put(false, 'DeletionBlocked');
  expect(met()).toEqual(waits);
});

test('what is reached through a kind that serves anyway goes on for whatever reason that is not ready, once made', async () => {
  const at = await chain();
  await at.visit(leafName);
  const [entry, user, kind] = [
    at.source.read(partName),
    at.source.read(leafName),
    at.ports.kinds.get(part.kind),
  ];
  if (!entry || !user || !kind) throw new Error('all were declared');
  at.source.entries.set(partName, { ...entry, status: { ...entry.status, conditions: [] } });
  const kinds = new Map(at.ports.kinds).set(part.kind, { ...kind, servesUnready: true });
  const met = (status: Status) =>
    preconditionsOf(
      { key: leafName, object: user.object, status, secrets: new Map() },
      { ...at.ports, kinds },
    );
  expect(met(user.status)).toMatchObject({ connection: 'Conn/first' });
  expect(met(noStatus)).toMatchObject({ plan: { reason: 'DependencyNotReady' } });
});

test.for([
  { why: 'while it is being deleted, which its status says first', says: 'DeletionBlocked', kind: {} },
  { why: 'although its kind serves anyway', says: 'AccessDenied', kind: { servesUnready: true } as const },
  { why: 'although it is there', says: 'AccessDenied', kind: { isPresent: () => true } },
  { why: 'although it has not been visited since, and still says that it is ready', kind: {} },
  { why: 'although a plan expects it to be ready', says: 'AccessDenied', kind: {}, expected: () => [] },
] as const)('what was made before its access was taken back serves nobody: $why', async (row) => {
  const at = await chain();
  await at.visit(leafName);
  const [entry, user, kind] = [
    at.source.read(partName),
    at.source.read(leafName),
    at.ports.kinds.get(part.kind),
  ];
  if (!entry || !user || !kind) throw new Error('all were declared');
  const says = 'says' in row && { status: 'False' as const, reason: row.says };
  const conditions = entry.status.conditions.map((one) => ({ ...one, ...says }));
  at.source.entries.set(partName, {
    object: { ...entry.object, deleting: says && says.reason === 'DeletionBlocked' },
    status: { ...entry.status, conditions },
  });
  const open: typeof kind.open = (...about) =>
    Object.defineProperty(kind.open(...about), 'reaches', { value: ['disk'] });
  const kinds = new Map(at.ports.kinds).set(part.kind, { ...kind, ...row.kind, open });
  const ports = { ...at.ports, kinds, ...('expected' in row && { expected: row.expected }) };
  const met = (externalNames: readonly string[]) => {
    at.ports.connections.open('Conn/first', connectionNamed('first', { access: [{ externalNames }] }));
    at.ports.connections.setHealth('Conn/first', true, '');
    return preconditionsOf(
      { key: leafName, object: user.object, status: user.status, secrets: new Map() },
      ports,
    );
  };
  expect(met(['leaf', 'part', 'disk'])).toMatchObject({ connection: 'Conn/first' });
  for (const names of [['leaf'], ['leaf', 'part'], ['leaf', 'disk']])
    expect(met(names)).toMatchObject({ plan: { reason: 'DependencyNotReady' } });
});

test('who takes it as it is does not ask whether it will be ready: a plan would say to come after it', async () => {
  const { ports } = await chain();
  const asked: string[] = [];
  const expected = (key: string) => {
    asked.push(key);
    return [];
  };
  expect(outputsOf(part, { ...ports, expected }, 'known')).toMatchObject({ state: 'ready' });
  expect(asked).toEqual([]);
  expect(outputsOf(part, { ...ports, expected }, 'ready')).toMatchObject({ state: 'ready' });
  expect(asked).toEqual([partName]);
});
