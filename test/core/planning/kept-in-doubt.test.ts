// What leaves and is kept is recorded first where an answer was lost: others that are made from it wait for the record.
import { expect, test } from 'vitest';
import type { Intent } from '../../../src/core/status/status.ts';
import { planned } from '../../support/policy-rows.ts';
import { given, recorded, type Given } from '../../support/toy.ts';

const leaving = (op?: string, more: Given = {}): Given => {
  const pending: Intent | undefined = op === undefined ? undefined : { op, token: '' };
  return { ...given('deleting'), ...more, memory: { ...recorded, ...(pending && { pending }) } };
};
const kept = { verdict: 'gone', because: 'kept as it is', removed: false };

test.for(['create', 'update', 'revive'])('what an unanswered %s left there is recorded as it is', (op) => {
  expect(planned(leaving(op))).toEqual({
    verdict: 'change',
    steps: [
      {
        verb: 'adopt',
        summary: 'take note of what is there: an answer was lost',
        changes: [],
        applied: recorded.applied,
        identity: recorded.identity,
      },
    ],
  });
});

test.for<{ why: string; of: Given }>([
  { why: 'of which no answer is missing', of: leaving() },
  { why: 'that a delete without an answer left', of: leaving('delete') },
  { why: 'that somebody else made, whatever was begun', of: leaving('create', given('foreign')) },
  { why: 'that is only observed', of: leaving('create', given('ObserveOnly')) },
])('what is there $why is let go of', ({ of }) => {
  expect(planned(of)).toMatchObject(kept);
});
