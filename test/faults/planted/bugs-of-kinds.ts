// Bugs as data, as in bugs.ts: those that are of one kind.
import { perform, type Planted, type Shown } from './planting.ts';

const refusedHeld: Shown = {
  kind: 'CSIVolume',
  part: 'bookkeeping',
  cases: /^CSIVolume\/shop\/refused: held swapped with CSIVolume\/shop\/made, deleted$/,
  column: 'wrong deletes',
  says: /volume refused is gone/,
};
const halfMade: Pick<Shown, 'kind' | 'part' | 'cases'> = {
  kind: 'CSIVolume',
  part: 'create',
  cases: /^killed half \d+ \(volume\.create\), edited$/,
};
const known = 'if (name !== undefined) return volume.Name === name;';

const ofVolumes: readonly Planted[] = [
  {
    name: 'an object of somebody else is taken for ours',
    edits: [{ find: known, put: 'return true;' }],
    shown: refusedHeld,
  },
  {
    name: 'that it is held is taken as proof that a volume is ours',
    edits: [
      { find: 'function isOurs({ status }: S,', put: 'function isOurs({ status, held }: S,' },
      { find: known, put: 'if (held) return true;' },
    ],
    shown: refusedHeld,
  },
  {
    name: 'the name that was drawn for a create is drawn again to repeat it',
    edits: [{ find: 'recordedName(s.status) ?? drawnName(s)', put: 'drawnName(s)' }],
    shown: {
      ...halfMade,
      cases: /^killed half \d+ \(volume\.create\), as it was$/,
      column: 'orphans',
      says: /disks hostpath\/object-/,
    },
  },
  {
    name: 'a create that is sent again as it was is noted as what is declared now',
    edits: [{ find: '    ...(repeats && { repeats }),\n', put: '' }],
    shown: {
      ...halfMade,
      column: 'other',
      says: /^disks hostpath\/object-.*\{\}\} instead of .*"type":"fast"/,
    },
  },
  {
    name: 'an edit is sent under the name of the create whose answer was lost',
    edits: [
      {
        find: 'if (recordedName(s.status) === undefined || !isOtherwise(s)) return fresh;',
        put: 'return fresh;',
      },
    ],
    shown: { ...halfMade, column: 'manual steps', says: /CSIVolume\/shop\/object/ },
  },
  {
    name: 'the ID under which a disk is to be destroyed is drawn, and not the one that was recorded',
    edits: [
      {
        find: '  if (!retired) return retire(s, previous, id);',
        put: '  if (!retired) return retire(s, previous, `holdfast-retired-${s.nonce}`);',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'delete',
      cases: /^killed reply \d+ \(volume\.register\), as it was$/,
      column: 'orphans',
      says: /volumes default\/holdfast-retired-drawn 1/,
    },
  },
  {
    name: 'what was let go of is not brought back',
    edits: [
      {
        find: 'const restored = removed ? kind.restore?.(s) : undefined;',
        put: 'const restored = undefined;',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^its manifest is put back while its registration goes$/,
      column: 'other',
      says: /seen: ReplacementBlocked|^its disk is another$/, // it stands in its place, and the old one waits for a person
    },
  },
  {
    name: 'the declaration is not looked at once more before something is destroyed',
    edits: [
      {
        find: 'if (this.#handle.object.deleting || step.destroys) await this.#handle.confirm(!!step.destroys);',
        put: '',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^its manifest is put back while its registration goes$/,
      column: 'wrong deletes',
      says: /volume\.delete .*\/retired-of-a\/delete/,
    },
  },
  {
    name: 'there is no last look before something is destroyed',
    edits: [
      {
        find: 'if (!(await isStillPlanned(planned, preconditions, decision, ports, this.#signal)))',
        put: 'if (preconditions === undefined)',
      },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^its disk is registered once more right before it is destroyed$/,
      column: 'wrong deletes',
      says: /^2 disks$/,
    },
  },
  {
    name: 'another object of that name is taken for the one that was recorded',
    edits: [
      { find: 's.status.identity === kind.identity(live) || ', put: 's.status.identity !== undefined || ' },
    ],
    shown: {
      kind: 'CSIVolume',
      part: 'made anew',
      cases: /^somebody else takes its name while it is down, and the manifest is gone$/,
      column: 'other',
      says: /^Error: was destroyed: volume\.deregister .*\/a$/,
    },
  },
];

const ofSecrets: readonly Planted[] = [
  {
    name: 'a step that may happen at most once is repeated after a lost reply',
    edits: [
      {
        find: "return { ...common, summary, handledRequests: { 'rotate-root': pending.token } };",
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
    edits: [{ find: "if (op === 'rotate') return {", put: "if (op === 'never') return {" }],
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
        find: perform,
        put: `await this.#handle.writeStatus(decision.observation.afterStep(step));
    ${perform}`,
      },
      { find: '!(stands && isKnown)', put: '!(stands || own.published === rotated.instant)' },
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
    edits: [{ find: "if (op !== 'consume' || ", put: "if (op === 'consume' || " }],
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
    edits: [{ find: '(own.published === undefined && published !== undefined)', put: 'stands' }],
    shown: {
      kind: 'LDAPStaticRole',
      part: 'rotate',
      cases: /^killed after \d+ \(output\.write\), as it was$/,
      column: 'other',
      says: /jobs default\/shop/,
    },
  },
];

export const plantedInKinds: readonly Planted[] = [...ofVolumes, ...ofSecrets];
