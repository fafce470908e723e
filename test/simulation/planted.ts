// Bugs as data, each a mistake that somebody could make where disks are destroyed, and the invariant that has to show it.
import type { Edit } from '../faults/planted/planting.ts';

export interface Planted {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly breaks: string;
  /** Absent: in a directory. */
  readonly source?: 'kubernetes';
}

export const planted: readonly Planted[] = [
  {
    name: 'a disk is destroyed under its own ID, and who uses it is not asked',
    edits: [
      {
        find: "    ...deregistering(s, id, summary),\n    destroys: 'data',",
        put: "    summary,\n    effect: { port: 'scheduler', op: 'volume.delete', params: target(s) },\n    destroys: 'data',",
      },
      {
        find: '  if (claims.length === 0) return undefined;\n  const stubs',
        put: '  if (claims.length >= 0) return undefined;\n  const stubs',
      },
    ],
    breaks: 'I2',
  },
  {
    name: 'other registrations of a disk are not looked for',
    edits: [
      {
        find: '  if (sharedWith.length === 0) return undefined;',
        put: '  if (sharedWith.length >= 0) return undefined;',
      },
    ],
    breaks: 'I3',
  },
  {
    name: 'what was to be deregistered is deleted',
    edits: [
      { find: "Deregister: { deleting: 'Deregister'", put: "Deregister: { deleting: 'Delete'" },
      // Where nothing is to be deleted they are not looked for, and nothing is deleted where they were not.
      {
        find: 'other registrations of its disk were not looked for`;',
        put: 'other registrations of its disk were not looked for` && undefined;',
      },
    ],
    breaks: 'I6',
  },
  {
    name: 'problems in the tree do not hold up removals',
    edits: [{ find: 'scan.problems.length === 0 && scan.installation', put: 'scan.installation' }],
    breaks: 'I1',
  },
  {
    name: 'a removal waits for no quiet, and is not confirmed',
    edits: [
      {
        find: 'const quietMs = 2_000;\n\nexport class RemovalDebounce',
        put: 'const quietMs = 1;\n\nexport class RemovalDebounce',
      },
      {
        find: 'if (this.#handle.object.deleting || step.destroys) await',
        put: 'if (this.#handle.object.generation < 0) await',
      },
    ],
    breaks: 'I1',
  },
  {
    name: 'what left within the last hour is forgotten',
    edits: [{ find: 'const count = waiting.length + gone.length;', put: 'const count = waiting.length;' }],
    breaks: 'I4',
  },
  {
    name: 'an approval lasts when what was let go comes back',
    edits: [{ find: '`${uid} ${generation} is deleted`', put: '`${uid} leaves, ${generation > 0}`' }],
    breaks: 'I4',
  },
  {
    name: 'replacements are outside of the deletion limits',
    edits: [{ find: "verb === 'delete' || verb === 'replace';", put: "verb === 'delete';" }],
    breaks: 'I4',
  },
  {
    name: 'suspended objects are deleted',
    edits: [
      {
        find: "policy.suspend || requests['suspend'] === 'true'",
        put: "policy.suspend && requests['suspend'] === 'true'",
      },
    ],
    breaks: 'I6',
  },
  {
    name: 'names of disks are derived',
    edits: [
      {
        find: '${s.key.name.slice(0, nameMax)}-${s.nonce}',
        put: '${s.key.name.slice(0, nameMax)}-${s.key.namespace}',
      },
    ],
    breaks: 'I7',
  },
  {
    name: 'the retention forgets that the newest stay',
    edits: [
      { find: 'if (laterOf(one) >= minReady && why !== undefined)', put: 'if (why !== undefined)' },
      { find: 'let kept = keepsAll || later < (count ?? 0);', put: 'let kept = keepsAll;' },
      { find: 'kept ||= !periods.has(of);', put: 'kept &&= !periods.has(of);' },
    ],
    breaks: 'I14',
  },
  {
    name: 'what was to be kept is deleted with its declaration',
    edits: [{ find: "Retain: { deleting: 'nothing'", put: "Retain: { deleting: 'Delete'" }],
    breaks: 'I15',
  },
  {
    name: 'an action whose answer was lost is asked for again',
    edits: [
      {
        find: "mayRepeat ? { ...one, phase: 'Pending', again: true }",
        put: "mayRepeat || one ? { ...one, phase: 'Pending', again: true }",
      },
    ],
    breaks: 'I16',
  },
  {
    name: 'who writes is frozen while the state is not trusted',
    edits: [
      {
        find: '(object.held || step.opens) && step.effect !== undefined',
        put: 'object.held && step.effect !== undefined',
      },
    ],
    breaks: 'I17',
  },
  {
    name: 'what somebody else made is taken over unasked',
    edits: [
      {
        find: 'Fail: { same: false, differs: false }',
        put: 'Fail: { same: true, differs: true }',
      },
    ],
    breaks: 'I18',
  },
  {
    name: 'a login role that was to be kept is deleted',
    edits: [
      {
        find: '  policy: policyOf,\n  // An undeclared role lets',
        put: "  policy: (spec) => ({ ...policyOf(spec), deletion: 'Delete' }),\n  // An undeclared role lets",
      },
    ],
    breaks: 'I19',
  },
  {
    name: 'a login role for other users is deleted in the place of its own',
    edits: [{ find: '  if (!proven) {\n', put: '  if (!proven && kind.keeps?.(s) !== true) {\n' }],
    breaks: 'I19',
  },
  {
    name: 'login roles are outside of the deletion limits',
    edits: [
      { find: "owns: 'secrets/oidc-role',", put: "owns: 'secrets/oidc-role',\n  leavesNothing: true," },
    ],
    breaks: 'I4',
  },
  {
    name: 'what is taken over gets its credentials anew',
    edits: [
      {
        find: 'if (blind && adopting) return undefined;',
        put: 'if (blind && adopting && wanted === undefined) return undefined;',
      },
    ],
    breaks: 'I20',
  },
  {
    name: 'another collection is an edit like any other',
    edits: [
      {
        find: "'/keyCollection': { change: 'identity' }",
        put: "'/keyCollection': { change: 'in-place' }",
      },
    ],
    breaks: 'I21',
  },
  {
    name: 'a field that is let go keeps its value',
    edits: [
      {
        find: 'if (wanted === undefined && (before === undefined || rule.unset === undefined)) return',
        put: 'if (wanted === undefined) return',
      },
    ],
    breaks: 'I22',
  },
  {
    name: 'who lost the Lease sends what is left of its visits',
    edits: [
      {
        find: 'if (this.leading) return this.#term;',
        put: 'if (this.leading || this.#term > 0) return this.#term;',
      },
    ],
    breaks: 'I23',
    source: 'kubernetes',
  },
  {
    name: 'what another process recorded as gone is not read',
    edits: [{ find: 'of recentDeletionsOf(wire)) {', put: 'of recentDeletionsOf(undefined)) {' }],
    breaks: 'I4',
    source: 'kubernetes',
  },
  {
    name: 'the UID of an intent is not compared',
    edits: [
      {
        find: "if (!isRecord(record) || record['uid'] !== uid || typeof",
        put: 'if (!isRecord(record) || typeof',
      },
    ],
    breaks: 'I7',
    source: 'kubernetes',
  },
  {
    name: 'the UIDs of a status and of an intent are not compared',
    edits: [
      {
        find: "if (!isRecord(record) || record['uid'] !== uid || typeof",
        put: 'if (!isRecord(record) || typeof',
      },
      {
        find: "const isWritten = isRecord(wire) && wire['uid'] === uid;",
        put: 'const isWritten = isRecord(wire);',
      },
    ],
    breaks: 'I1',
    source: 'kubernetes',
  },
];
