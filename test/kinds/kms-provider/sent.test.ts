// The answer to a create was lost, and the declaration was edited before the next look. What the create had made was taken for
// somebody else's: it was never deleted, and a person was told to adopt it.
import { expect, test } from 'vitest';
import { outline, recorded, type Given } from './situation.ts';

const { externalRef: _ref, identity: _identity, ...unknown } = recorded;
const edited: Given = {
  memory: { ...unknown, pending: { op: 'create', token: 'create invoices' } },
  spec: { keyCollection: 'other-keys' },
};
const leaving: Given = { ...edited, deleting: true, policy: { deletion: 'Delete' } };

test('what a create without an answer made is ours, whatever is declared by now', () => {
  expect(outline(edited)).toBe('adopt');
  expect(outline(leaving)).toBe('delete by kms.provider.delete');
});

test('what it did not send is not ours', () => {
  const live = { key_collection: 'others-keys' };
  expect(outline({ ...edited, live })).toMatch('stalled AdoptionRefused');
  expect(outline({ ...leaving, live })).toBe('gone kept');
});
