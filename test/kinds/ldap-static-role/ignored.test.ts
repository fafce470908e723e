// A role of another entry was taken over as it is, which the declaration asks for: drift of the DN is ignored. An edit of its period
// sent the declared DN all the same. No service changes that of a role, so the edit was refused for ever.
import { expect, test } from 'vitest';
import { outline, recorded, sent, type Given } from './situation.ts';

const memory = { ...recorded, identity: 'app as uid=others' };
const given: Given = { role: { dn: 'uid=others' }, memory, policy: { drift: { ignore: ['/dn'] } } };

test('an edit of its period is written, and it stays the role of the entry that is there', () => {
  expect(outline(given)).toBe('in-sync');
  expect(sent({ ...given, spec: { rotationPeriod: '2h' } })).toEqual({
    username: 'app',
    dn: 'uid=others',
    rotation_period: 7200,
  });
});

test('of an entry that the service does not name, none is sent', () => {
  const nameless: Given = { ...given, role: { dn: '' }, memory: { ...recorded, identity: 'app as ' } };
  expect(sent({ ...nameless, spec: { rotationPeriod: '2h' } })).toEqual({
    username: 'app',
    rotation_period: 7200,
  });
});

test('where no entry is declared, none is sent: the service goes on to look the user up', () => {
  const { '/dn': _dn, ...applied } = recorded.applied;
  const searched: Given = { nameless: true, memory: { ...recorded, applied } };
  expect(sent({ ...searched, spec: { rotationPeriod: '2h' } })).toEqual({
    username: 'app',
    rotation_period: 7200,
  });
});
