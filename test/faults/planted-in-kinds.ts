// Bugs as data, as in planted.ts: those that are of one kind.
import type { Planted, Shown } from './planting.ts';

const reconciler = 'controller/reconciler.ts';
const rolesOwn = 'kinds/ldap-static-role/own.ts';
const rotation = 'kinds/ldap-static-role/rotation.ts';

const perform = 'const outcome = await this.#perform(step, ground);';

const proof =
  'return own && pending === undefined ? recorded : recorded || volume.Name.startsWith(namePrefixOf(s));';
const refusedHeld: Shown = {
  kind: 'CSIVolume',
  part: 'bookkeeping',
  cases: /^CSIVolume\/shop\/refused: held swapped with CSIVolume\/shop\/made, deleted$/,
  column: 'wrong deletes',
  says: /volume refused is gone/,
};

export const plantedInKinds: readonly Planted[] = [
  {
    name: 'an object of somebody else is taken for ours',
    edits: [{ file: 'kinds/csi-volume/plan.ts', find: proof, put: 'return true;' }],
    shown: refusedHeld,
  },
  {
    name: 'that it is held is taken as proof that a volume is ours',
    edits: [{ file: 'kinds/csi-volume/plan.ts', find: proof, put: 'return s.held;' }],
    shown: refusedHeld,
  },
  {
    name: 'the name of a disk comes from chance, not from the UID',
    edits: [
      {
        file: 'kinds/csi-volume/body.ts',
        find: '`${s.key.name}-${s.uid}-${shortHash(forces)}`',
        put: '`${s.key.name}-${s.uid}-${shortHash({ ...forces, chance: Math.random() })}`',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'create',
      cases: /^killed half \d+ \(volume\.create\), as it was$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'a step that may happen at most once is repeated after a lost reply',
    edits: [
      {
        file: 'kinds/ldap-config/act.ts',
        find: "return { ...common, summary, handled: { 'rotate-root': pending.token } };",
        put: 'return { ...common, summary };',
      },
    ],
    shown: {
      kind: 'LDAPConfig',
      part: 'rotate',
      cases: /^lost: \d+ \(ldap\.root\.rotate\)$/,
      column: 'duplicates',
      says: /ldap\.root\.rotate .*: 2 times instead of 1/,
    },
  },
  {
    name: 'a rotation is repeated after an unknown outcome',
    edits: [{ file: rolesOwn, find: "if (op === 'rotate') return {", put: "if (op === 'never') return {" }],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^lost: \d+ \(ldap\.role\.rotate\)$/,
      column: 'duplicates',
      says: /ldap\.role\.rotate .*: 2 times instead of 1/,
    },
  },
  {
    name: 'what is noted as published is not published again, though the file is stale',
    edits: [
      {
        file: reconciler,
        find: perform,
        put: `await source.remember(this.#key, uid, seen.afterStep(step));
    ${perform}`,
      },
      { file: rotation, find: '!(stands && isKnown)', put: '!(stands || own.published === rotated.instant)' },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^killed before \d+ \(output\.write\), as it was$/,
      column: 'other',
      says: /outputs shop\/shop-login\/password/,
    },
  },
  {
    name: 'consumers are told again after a lost reply',
    edits: [{ file: rolesOwn, find: "if (op !== 'consume' || ", put: "if (op === 'consume' || " }],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^killed reply \d+ \(allocation\.signal\), as it was$/,
      column: 'duplicates',
      says: /allocation\.signal .*: \d times instead of/,
    },
  },
  {
    name: 'consumers are never told where the file was there already',
    edits: [
      { file: rotation, find: '(own.published === undefined && published !== undefined)', put: 'stands' },
    ],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^killed after \d+ \(output\.write\), as it was$/,
      column: 'other',
      says: /jobs default\/shop/,
    },
  },
];
