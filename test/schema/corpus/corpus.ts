// Documents, valid and not, and the verdict on each. Three judge them: the directory's parser (corpus.test.ts), the
// packages of the API server (test/e2e/referee) and a real API server (test/e2e/kubernetes). Who judges otherwise is named
// with the reason.
import type { Case } from './case.ts';
import { actionCases } from './actions.ts';
import { changeCases } from './changes.ts';
import { commonCases } from './common.ts';
import { connectionCases } from './connections.ts';
import { envelopeCases } from './envelope.ts';
import { hookCases } from './hooks.ts';
import { loginCases } from './logins.ts';
import { keyStoreCases } from './key-stores.ts';
import { scheduleCases } from './schedules.ts';
import { snapshotCases } from './snapshots.ts';
import { kindCases } from './kinds.ts';

export const corpus: readonly Case[] = [
  ...envelopeCases,
  ...commonCases,
  ...connectionCases,
  ...kindCases,
  ...loginCases,
  ...keyStoreCases,
  ...snapshotCases,
  ...scheduleCases,
  ...hookCases,
  ...actionCases,
  ...changeCases,
];

/** What a judge should say. */
export const expected = ({ valid, otherwise }: Case, judge: keyof NonNullable<Case['otherwise']>): boolean =>
  otherwise?.[judge] === undefined ? valid : !valid;
