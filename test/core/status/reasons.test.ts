// Users look reasons up and alert on them: each one is explained in sentences, and where it is said to stand it stands.
import { expect, test } from 'vitest';
import { conclude } from '../../../src/core/status/outcome.ts';
import { conditionTypes, explanationOf, reasons, type Reason } from '../../../src/core/status/reasons.ts';
import { stopped, stuck, visited } from '../../support/visits.ts';

const explained = Object.entries(reasons);

const isProse = (text: string): boolean =>
  /^(`|[A-Z]).{5,210}\.$/.test(text) && text.split('`').length % 2 === 1;

test('each reason says its cause and its remedy in a few short sentences', () => {
  const wrong = explained.filter(([, { cause, remedy }]) => !isProse(cause) || !isProse(remedy));
  expect(wrong.map(([reason]) => reason)).toEqual([]);
});

test('reasons are CamelCase and sorted, so that two of one meaning would stand side by side', () => {
  const names = Object.keys(reasons);
  expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  expect(names).toEqual(names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
});

test('each condition type has a reason: nobody waits for a condition that is never stated', () => {
  const stated = new Set(explained.flatMap(([, { conditions }]): readonly string[] => conditions));
  expect(Object.keys(conditionTypes).filter((type) => !stated.has(type))).toEqual([]);
});

const waiting = [
  'AwaitingVisibility',
  'DeletionBlocked',
  'DeletionLimitExceeded',
  'NoLeader',
  'Suspended',
] as const satisfies readonly Reason[];
const stalling = [
  'AccessDenied',
  'AdoptionRefused',
  'BackendChanged',
  'ExternalObjectLost',
  'ImmutableFieldChanged',
  'NonConverging',
  'PermissionDenied',
  'RootRotationUnknown',
] as const satisfies readonly Reason[];

const endings = [
  ...waiting.map((reason) => ({ reason, ending: stopped(reason, 'm') })),
  ...stalling.map((reason) => ({ reason, ending: stuck(reason, 'm', { on: 'live' }) })),
];

test.for(endings)('$reason stands in the conditions that the reference names', ({ reason, ending }) => {
  const { status: memory } = conclude(visited({ ending, absent: true }));
  const stated = memory.conditions.map(({ type }) => type);
  expect(reasons[reason].conditions).toEqual(expect.arrayContaining(stated));
  expect(memory.conditions.map((condition) => condition.reason)).toEqual(stated.map(() => reason));
});

test('a reason that another version wrote has no explanation, and is no error', () => {
  expect(explanationOf('Suspended')).toBe(reasons.Suspended);
  expect([explanationOf('OfTomorrow'), explanationOf('toString')]).toEqual([undefined, undefined]);
});
