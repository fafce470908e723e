// Bugs as data: each is a mistake that somebody could make in the engine, and where the harness must show it.
import { plantedInKinds } from './bugs-of-kinds.ts';
import { perform, type Planted } from './planting.ts';

const keepIntent = "const status = outcome.is === 'rejected' ? before : noted;";
const dropIntent = 'const status = before;';
const intend = 'await this.#intend(step);';
const asSent = 'applied: { ...appliedBy(kind, s), ...step.applied },';
const noteIntent = 'await handle.writeStatus(changed, { recordDeletion: counts });';

/** Bugs of the engine, whatever the kind. */
const ofTheEngine: readonly Planted[] = [
  {
    name: 'held, and the intent noted, too late: after the effect',
    edits: [
      { find: intend, put: '' },
      { find: perform, put: `${perform}\n    ${intend}` },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'create',
      cases: /^killed reply \d+ \(ldap\.role\.write\), as it was$/,
      column: 'manual steps',
      says: /AdoptionRefused/,
    },
  },
  {
    name: 'the intent is not recorded before the effect',
    edits: [{ find: noteIntent, put: '' }],
    shown: {
      kind: 'LDAPConfig',
      part: 'rotate',
      cases: /^killed reply \d+ \(ldap\.root\.rotate\), as it was$/,
      column: 'duplicates',
      says: /ldap\.root\.rotate .*: 2 times instead of 1/,
    },
  },
  {
    name: 'a lost reply is taken for a failure',
    edits: [
      { find: keepIntent, put: dropIntent },
      {
        find: "if (outcome.is === 'rejected' && step.verb === 'create' && this.#heldHere)",
        put: 'if (this.#heldHere)',
      },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'create',
      cases: /^lost: \d+ \(ldap\.role\.write\)$/,
      column: 'manual steps',
      says: /AdoptionRefused/,
    },
  },
  {
    name: 'an unknown outcome is taken for done',
    edits: [
      {
        find: "if (outcome.is !== 'done') return this",
        put: "if (outcome.is === 'rejected') return this",
      },
    ],
    shown: {
      kind: 'LDAPConfig',
      part: 'update',
      variant: 'another bind password',
      cases: /^refused: \d+ \(ldap\.config\.write\)$/,
      column: 'other',
      says: /secrets ldap\/config: .*"works":false/,
    },
  },
  {
    name: 'the status after the effect is written before it',
    edits: [
      {
        find: perform,
        put: `await this.#handle.writeStatus(decision.observation.afterStep(step));
    ${perform}`,
      },
    ],
    shown: {
      kind: 'LDAPConfig',
      part: 'update',
      variant: 'another bind password',
      cases: /^killed before \d+ \(ldap\.config\.write\), as it was$/,
      column: 'other',
      says: /secrets ldap\/config: .*"works":false/,
    },
  },
  {
    name: 'absent is taken for gone while a create may have left a disk',
    edits: [
      {
        find: "if (begun && begun.verb !== 'revive') return { verdict: 'change', steps: [begun] };",
        put: "if (begun && s.status.pending?.op === 'create') return gone('', true);",
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      secretLeaves: true,
      cases: /^killed half \d+ \(volume\.create\), deleted$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'an object is released before its deletion was seen',
    edits: [
      {
        find: "const { evidence = {}, ...step } = wanted(kind.remove(s, live, how, 'delete'));",
        put: `if (s.status.pending?.op === 'delete') return gone('', true);
  const { evidence = {}, ...step } = wanted(kind.remove(s, live, how, 'delete'));`,
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'delete',
      cases: /^killed before \d+ \(volume\.deregister\), as it was$/,
      column: 'orphans',
      says: /volumes default\/object/,
    },
  },
  {
    name: 'a create leaves no intent',
    edits: [{ find: `${asSent}\n    intent: {`, put: `${asSent}\n    never: {` }],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      cases: /^killed reply \d+ \(volume\.create\), as it was$/,
      column: 'manual steps',
      says: /AdoptionRefused/,
    },
  },
  {
    name: 'what may have been written and can’t be read is taken for what was there before',
    edits: [
      {
        find: 'Object.fromEntries(unsure.map((path) => [path, null]))',
        put: '{}',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'update',
      cases: /^killed reply \d+ \(volume\.register\), edited$/,
      column: 'other',
      says: /volumes default\/object: .*MountFlags/,
    },
  },
  {
    name: 'something is done for an object whose manifest is gone, before it leaves',
    edits: [
      {
        find: ' || this.#ingest.undecided(key)',
        put: '',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^it is lost while it is down, and its manifest is gone$/,
      column: 'wrong deletes',
      says: /volume\.deregister .*\/a$/,
    },
  },
  {
    name: 'a change is sent again after a 5xx, without a look',
    edits: [
      {
        find: 'const { reply, token } = await this.#answer(call);\n      if (reply',
        put: `let { reply, token } = await this.#answer(call);
      if (reply.status >= 500) ({ reply, token } = await this.#answer(call));
      if (reply`,
      },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^had its effect and failed: \d+ \(ldap\.role\.rotate\)$/,
      column: 'duplicates',
      says: /ldap\.role\.rotate .*: 2 times instead of 1/,
    },
  },
  {
    name: 'a state of before is believed: what left since is destroyed on its word',
    edits: [{ find: 'const doubt = approvals.distrusted;', put: 'const doubt = undefined;' }],
    shown: {
      kind: 'CSIVolume',
      part: 'update',
      restored: true,
      cases: /^commit 0 of \d+, deleted$/,
      column: 'wrong deletes',
      says: /^disk .* is gone, or another, and nobody approved$/,
    },
  },
  {
    name: 'what was asked for before a state was restored does not count as answered',
    edits: [
      {
        find: 'await Promise.all(Array.from(this.#rows.keys(), (key) => this.write(key, answered)));',
        put: '',
      },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      restored: true,
      cases: /^commit 0 of \d+, as it was$/,
      column: 'duplicates',
      says: /^role shop was rotated, 1 times, by a state of before$/,
    },
  },
];

export const planted: readonly Planted[] = [...ofTheEngine, ...plantedInKinds];
