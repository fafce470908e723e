// Bugs as data: each is a mistake that somebody could make in the engine, and where the harness must show it.
import { plantedInKinds } from './planted-in-kinds.ts';
import type { Planted } from './planting.ts';

const reconciler = 'controller/reconciler.ts';
const managed = 'core/managed.ts';
const absent = 'core/absent.ts';

const perform = 'const outcome = await this.#perform(step, ground);';
const lookAgain = "if (outcome.is === 'unknown') return outcome.error;";
const intend = 'await this.#intend(step);';
const asSent = 'applied: { ...appliedBy(kind, s), ...step.applied },';
const noteIntent = 'else if (changed) await source.remember(this.#key, uid, changed);';

/** Bugs of the engine, whatever the kind. */
const ofTheEngine: readonly Planted[] = [
  {
    name: 'held, and the intent noted, too late: after the effect',
    edits: [
      { file: reconciler, find: intend, put: '' },
      { file: reconciler, find: perform, put: `${perform}\n    ${intend}` },
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
    edits: [{ file: reconciler, find: noteIntent, put: '' }],
    shown: {
      kind: 'LDAPConfig',
      part: 'rotate',
      cases: /^killed reply \d+ \(ldap\.root\.rotate\), as it was$/,
      column: 'duplicates',
      says: /ldap\.root\.rotate .*: 2 times instead of 1/,
    },
  },
  {
    name: 'the intent is dropped when the answer is lost',
    edits: [
      {
        file: reconciler,
        find: lookAgain,
        put: `if (outcome.is === 'unknown') {
      const { pending: _lost, ...kept } = this.#memory;
      this.#memory = kept;
      return outcome.error;
    }`,
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'replace',
      cases: /^lost: \d+ \(volume\.delete\)$/,
      column: 'manual steps',
      says: /CSIVolume\/shop\/object: .*Ready False Ext/,
    },
  },
  {
    name: 'a lost reply is taken for a failure',
    edits: [{ file: reconciler, find: lookAgain, put: '' }],
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
        file: reconciler,
        find: "if (outcome.is !== 'done') return",
        put: "if (outcome.is === 'rejected') return",
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
    name: 'what is written to memory is written before the effect',
    edits: [
      {
        file: reconciler,
        find: perform,
        put: `await source.remember(this.#key, uid, seen.afterStep(step));
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
        file: absent,
        find: "return begun ? { verdict: 'change', steps: [begun] } : gone('nothing is there', true);",
        put: "return begun ? gone('', true) : gone('', true);",
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
        file: managed,
        find: "if (!kind.isOurs(s, live)) return gone('what is there is not ours', false);",
        put: "if (s.memory.pending?.op === 'delete' || !kind.isOurs(s, live)) return gone('', true);",
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'delete',
      cases: /^killed before \d+ \(volume\.delete\), as it was$/,
      column: 'orphans',
      says: /volumes default\/object/,
    },
  },
  {
    name: 'a replacement deletes without an intent',
    edits: [{ file: managed, find: ", intent: removing(kind, live, 'replace', cause.path) }", put: ' }' }],
    shown: {
      kind: 'CSIVolume',
      part: 'replace',
      cases: /^killed reply \d+ \(volume\.delete\), as it was$/,
      column: 'manual steps',
      says: /CSIVolume\/shop\/object: .*Ready False Ext/,
    },
  },
  {
    name: 'a create leaves no intent',
    edits: [{ file: absent, find: `${asSent}\n    intent: {`, put: `${asSent}\n    never: {` }],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      cases: /^killed reply \d+ \(volume\.create\), edited$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'a create that is sent again as it was is noted as what is declared now',
    edits: [{ file: 'kinds/csi-volume/plan.ts', find: ', summary, repeats: true }', put: ', summary }' }],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      cases: /^killed half \d+ \(volume\.create\), edited$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'the name of a create whose answer was lost is forgotten',
    edits: [
      { file: 'kinds/csi-volume/plan.ts', find: 'const spec = lostSpec(s);', put: 'const spec = undefined;' },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      cases: /^killed half \d+ \(volume\.create\), edited$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'what may have been written and can’t be read is taken for what was there before',
    edits: [
      {
        file: reconciler,
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
    name: 'what was done and does not show yet is taken for lost',
    edits: [{ file: managed, find: 'elsewhere(s) ?? unseen(kind, s);', put: 'elsewhere(s);' }],
    shown: {
      kind: 'CSIVolume',
      part: 'replace',
      oldAnswers: true,
      cases: /^own writes seen late: [123] looks$/,
      column: 'manual steps',
      says: /Ready False ExternalVolumeNotFound/,
    },
  },
  {
    name: 'something is done for an object whose manifest is gone, before it leaves',
    edits: [
      {
        file: reconciler,
        find: ' || entry.object.undecided',
        put: '',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^it is lost while it is down, and its manifest is gone$/,
      column: 'wrong deletes',
      says: /volume\.delete .*\/a\//,
    },
  },
  {
    name: 'a change is sent again after a 5xx, without a look',
    edits: [
      {
        file: 'api/secrets/client.ts',
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
];

export const planted: readonly Planted[] = [...ofTheEngine, ...plantedInKinds];
