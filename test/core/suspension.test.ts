import { expect, test } from 'vitest';
import type { DeclaredObject } from '../../src/core/resource.ts';
import { suspensionOf, suspensionText } from '../../src/core/suspension.ts';

const object = (more: Partial<DeclaredObject>): DeclaredObject => ({
  key: { kind: 'CSIVolume', namespace: 'shop', name: 'data' },
  uid: 'u',
  generation: 1,
  deleting: false,
  held: false,
  requests: {},
  spec: {},
  ...more,
});
const suspend = { requests: { suspend: 'true' } };
const who = 'ann, 2026-11-20T11:00Z';

test.for([
  {
    why: 'a command of somebody',
    given: object({ ...suspend, byCommand: { suspend: who } }),
    said: `by command (${who}); holdfast resume CSIVolume/shop/data ends it`,
  },
  {
    why: 'a command of whoever',
    given: object({ ...suspend, byCommand: { suspend: '' } }),
    said: 'by command; holdfast resume CSIVolume/shop/data ends it',
  },
  {
    why: 'an annotation, whatever else was asked by command',
    given: object({ ...suspend, byCommand: { rotate: who } }),
    said: 'by annotation holdfast.dev/suspend; removing it ends it',
  },
  {
    why: 'the spec',
    given: object({ spec: { suspend: true } }),
    said: 'by its spec; removing suspend from it ends it',
  },
])('who reads of a suspension reads how it ends: $why', ({ given, said }) => {
  const suspension = suspensionOf(given);
  expect(suspension && suspensionText(suspension, given)).toBe(said);
});

test.for([
  object({}),
  object({ requests: { suspend: 'false' } }),
  object({ spec: { suspend: false } }),
  object({ spec: undefined }),
])('nothing suspends an object that does not say so: %j', (given) => {
  expect(suspensionOf(given)).toBeUndefined();
});
