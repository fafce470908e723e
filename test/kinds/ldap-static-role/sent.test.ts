// The answer to a create was lost, and the declaration was edited before the next look. The role that the create had made was taken
// for somebody else's: it was never deleted, and the service went on to rotate a password that nobody declares.
import { expect, test } from 'vitest';
import { outline, recorded, type Given } from './situation.ts';

const { externalRef: _ref, identity: _identity, own: _own, ...unknown } = recorded;
const edited: Given = {
  memory: { ...unknown, pending: { op: 'create', token: 'create app' } },
  spec: { username: 'other', dn: 'uid=other,dc=example,dc=org' },
};
const leaving: Given = { ...edited, deleting: true, policy: { deletion: 'Delete' } };

test('what a create without an answer made is ours, whatever is declared by now', () => {
  expect(outline(edited)).toBe('adopt');
  expect(outline(leaving)).toBe('delete by ldap.role.delete');
});

test.for([
  { why: 'of another user', role: { username: 'another' } },
  { why: 'of another entry', role: { dn: 'uid=another,dc=example,dc=org' } },
])('what it did not send is not ours: a role $why', ({ role }) => {
  expect(outline({ ...edited, role })).toMatch('stalled AdoptionRefused');
  expect(outline({ ...leaving, role })).toBe('gone kept');
});
