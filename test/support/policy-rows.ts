// The policies as situations and plans: one table, run by test/core/planning/policy.test.ts and mutated against there too.
import type { FieldChange } from '../../src/core/status/status.ts';
import { managed } from '../../src/core/planning/planner.ts';
import type { Later, Plan, Step } from '../../src/core/planning/plan.ts';
import { suspended } from '../../src/core/planning/policy.ts';
import { situation, toy, type Given, type Word } from './toy.ts';

const plan = managed(toy);

/** The plan as the reconciler gets it. */
export function planned(facts: Given): Plan<string> {
  const s = situation(facts);
  return suspended(plan(s), s.policy, s.deleting);
}

const paths = (changes: readonly FieldChange[]): string => changes.map((c) => c.path).join();
const words = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' ');

/** A plan as one would write it down: `stalled NonConverging until edit: /size`, `replace by Delete then create`. */
export function short(p: Plan<string>): string {
  switch (p.verdict) {
    case 'in-sync':
      return words(
        'in-sync',
        p.applied ? '' : 'not taken',
        p.drift.length > 0 ? `drift=${paths(p.drift)}` : '',
      );
    case 'blocked':
      return words(`${p.stalls ? 'stalled' : 'blocked'} ${p.reason} until ${p.wake.on}`, paths(p.changes));
    case 'gone':
      return p.removed ? 'gone removed' : 'gone kept';
    case 'change':
      return p.steps.map(shortStep).join(' then ');
  }
}

function shortStep(step: Step<string> | Later): string {
  const removes = step.verb === 'delete' || step.verb === 'replace';
  const effect = 'effect' in step && typeof step.effect === 'string' ? step.effect : undefined;
  return words(step.verb, removes && effect !== undefined ? `by ${effect}` : '', paths(step.changes));
}

/** A situation in words, and its plan in words. */
export interface Row {
  readonly why: string;
  readonly given: readonly Word[];
  readonly expect: string;
}

const row = (why: string, all: readonly Word[], expect: string): Row => ({ why, given: all, expect });
const every = '/size,/disk,/owner';

export const rows = {
  absent: [
    row('it was never there', ['absent', 'unrecorded', 'unheld'], `create ${every}`),
    row(
      'an answer was lost: the same create finds what it made',
      ['absent', 'unrecorded'],
      `create ${every}`,
    ),
    row(
      'what can not be read is sent all the same',
      ['absent', 'unrecorded', 'noteEdited'],
      `create ${every},/note`,
    ),
    row('what held data is brought back, not made anew', ['absent'], `revive ${every}`),
    row('nobody can bring it back', ['absent', 'unrevivable'], 'stalled ExternalObjectLost until live'),
    row('half way through a replacement, absent is no loss', ['absent', 'halfReplaced'], `create ${every}`),
    row('its removal was never recorded', ['absent', 'replacing'], `create ${every}`),
    row('deleted, and then declared again', ['absent', 'removed'], `create ${every}`),
    row('it was about to be made', ['absent', 'creating'], `create ${every}`),
    row('it was about to be made anew, the one before is gone', ['absent', 'recreating'], `create ${every}`),
    row('what a lost create made is noted, then edits are seen', ['creating', 'sizeEdited'], 'adopt'),
    row('no other intent excuses a loss', ['absent', 'rotating'], `revive ${every}`),
    row(
      'an observer makes nothing',
      ['absent', 'unrecorded', 'ObserveOnly'],
      'blocked ExternalNotFound until live',
    ),
    row('an observer brings nothing back', ['absent', 'ObserveOnly'], 'blocked ExternalNotFound until live'),
  ],
  adopting: [
    row('Fail takes nothing', ['foreign'], 'stalled AdoptionRefused until live'),
    row(
      'Fail takes nothing that differs',
      ['foreign', 'sizeEdited'],
      'stalled AdoptionRefused until live /size',
    ),
    row('Fail names what differs', ['foreign', 'allEdited'], `stalled AdoptionRefused until live ${every}`),
    row('identical: taken without a call', ['foreign', 'AdoptIfIdentical'], 'adopt'),
    row(
      'not identical',
      ['foreign', 'sizeEdited', 'AdoptIfIdentical'],
      'stalled AdoptionRefused until live /size',
    ),
    row('Adopt takes what is right', ['foreign', 'Adopt'], 'adopt'),
    row(
      'Adopt takes what differs and brings it in line',
      ['foreign', 'sizeEdited', 'Adopt'],
      'adopt then update /size',
    ),
    row(
      'what can never be right is not taken',
      ['foreign', 'diskEdited', 'Adopt'],
      'stalled AdoptionRefused until live /disk',
    ),
    row(
      'what only a new one can have says so',
      ['foreign', 'diskEdited', 'Adopt', 'WhenUnused'],
      'adopt then replace /disk',
    ),
    row(
      'where one field needs a new one, the others come with it',
      ['foreign', 'sizeAndDiskEdited', 'Adopt', 'WhenUnused'],
      'adopt then replace /size,/disk',
    ),
    row('what can not be read is trusted', ['foreign', 'noteEdited', 'AdoptIfIdentical'], 'adopt'),
    row('what is not declared is not compared', ['foreign', 'undeclared', 'AdoptIfIdentical'], 'adopt'),
    row(
      'what is ignored does not stand in the way',
      ['foreign', 'allEdited', 'AdoptIfIdentical', 'ignoreAll'],
      'adopt',
    ),
    row('another took the place of ours', ['usurped'], 'stalled AdoptionRefused until live'),
    row('so did the next of its name', ['renewed'], 'stalled AdoptionRefused until live'),
    row("without an identity it is nobody's", ['unproven'], 'stalled AdoptionRefused until live'),
    row('what we brought back shows for the first time', ['renewed', 'reviving'], 'in-sync'),
    row('observing takes nothing', ['foreign', 'sizeEdited', 'ObserveOnly'], 'in-sync not taken drift=/size'),
  ],
  correcting: [
    row('all is well', [], 'in-sync'),
    row('Correct writes an edit', ['sizeEdited'], 'update /size'),
    row('Correct writes drift', ['drifted'], 'update /size'),
    row('Warn must not swallow an edit', ['sizeEdited', 'Warn'], 'update /size'),
    row('Warn reports drift', ['drifted', 'Warn'], 'in-sync drift=/size'),
    row('Ignore must not swallow an edit', ['sizeEdited', 'Ignore'], 'update /size'),
    row('Ignore hides drift', ['drifted', 'Ignore'], 'in-sync'),
    row('an edit takes no drift along', ['sizeEdited', 'diskDrifted', 'Warn'], 'update /size'),
    row('an ignored field may drift', ['drifted', 'ignoreSize'], 'in-sync'),
    row('an ignored field can still be edited', ['sizeEdited', 'ignoreSize'], 'update /size'),
    row('ignoring a part covers what is below it', ['flagsDrifted', 'ignoreMount'], 'in-sync'),
    row('ignoring goes by whole names', ['drifted', 'ignoreSiz'], 'update /size'),
    row('an observer only reports', ['drifted', 'ObserveOnly'], 'in-sync not taken drift=/size'),
    row('a field that was let go is reset', ['labelWritten', 'labelFound'], 'update /label'),
    row("and from then on it is somebody else's", ['labelFound'], 'in-sync'),
    row('let go, and already reset', ['labelWritten', 'labelReset'], 'in-sync'),
    row('what can not be unset is simply let go', ['undeclared'], 'in-sync'),
    row('an unreadable field follows its declaration', ['noteEdited', 'noteWritten'], 'update /note'),
    row('an unreadable field never drifts', ['noteDeclared', 'noteWritten', 'noteFound'], 'in-sync'),
    row('what is only sent when creating is not compared', ['seedEdited', 'seedFound'], 'in-sync'),
  ],
  remedying: [
    row('in place, even where replacing is allowed', ['sizeEdited', 'WhenUnused'], 'update /size'),
    row('nothing is replaced unasked', ['diskEdited'], 'stalled ImmutableFieldChanged until edit /disk'),
    row('Retain keeps the old disk', ['diskEdited', 'WhenUnused'], 'replace by Deregister /disk then create'),
    row(
      'so does Deregister',
      ['diskEdited', 'WhenUnused', 'Deregister'],
      'replace by Deregister /disk then create',
    ),
    row('Delete does not', ['diskEdited', 'WhenUnused', 'Delete'], 'replace by Delete /disk then create'),
    row(
      'replacing takes edits along',
      ['sizeAndDiskEdited', 'WhenUnused'],
      'replace by Deregister /size,/disk then create',
    ),
    row('identity never changes', ['ownerEdited'], 'stalled ImmutableFieldChanged until edit /owner'),
    row(
      'not by replacing either',
      ['ownerEdited', 'WhenUnused'],
      'stalled ImmutableFieldChanged until edit /owner',
    ),
    row(
      'refused as a whole',
      ['allEdited', 'WhenUnused'],
      `stalled ImmutableFieldChanged until edit ${every}`,
    ),
    row('this service can not do it', ['sizeShrunk'], 'stalled ImmutableFieldChanged until edit /size'),
    row('written twice: once more', ['drifted', 'tried2'], 'update /size'),
    row('written three times: left alone', ['drifted', 'tried3'], 'stalled NonConverging until edit /size'),
    row(
      'an edit beside it is written, and it with that',
      ['drifted', 'tried3', 'labelEdited'],
      'update /size,/label',
    ),
    row('seen right in the end', ['tried3'], 'in-sync'),
    row(
      'what reads back otherwise would be replaced for ever',
      ['diskDrifted', 'WhenUnused'],
      'stalled ImmutableFieldChanged until edit /disk',
    ),
  ],
  using: [
    row('what is used is not deleted', ['used', 'deleting', 'Delete'], 'blocked DeletionBlocked until time'),
    row('nor deregistered', ['used', 'deleting', 'Deregister'], 'blocked DeletionBlocked until time'),
    row('nor replaced', ['used', 'diskEdited', 'WhenUnused'], 'blocked ReplacementBlocked until time /disk'),
    row('keeping it disturbs nobody', ['used', 'deleting'], 'gone kept'),
    row('an update that disturbs waits', ['used', 'labelEdited'], 'blocked UpdateBlocked until time /label'),
    row('any other does not', ['used', 'sizeEdited'], 'update /size'),
    row('cleared, then deleted', ['cluttered', 'deleting', 'Delete'], 'detach then delete by Delete'),
    row(
      'cleared, then replaced',
      ['cluttered', 'diskEdited', 'WhenUnused'],
      'detach then replace by Deregister /disk then create',
    ),
    row('cleared, then updated', ['cluttered', 'labelEdited'], 'detach then update /label'),
  ],
  deleting: [
    row('Retain keeps it', ['deleting'], 'gone kept'),
    row('Deregister keeps the data', ['deleting', 'Deregister'], 'delete by Deregister'),
    row('Delete deletes', ['deleting', 'Delete'], 'delete by Delete'),
    row('an observer deletes nothing', ['deleting', 'Delete', 'ObserveOnly'], 'gone kept'),
    row('what others made is not deleted', ['foreign', 'deleting', 'Delete'], 'gone kept'),
    row('nor what took the place of ours', ['usurped', 'deleting', 'Delete'], 'gone kept'),
    row('the kind knows why not', ['shared', 'deleting', 'Delete'], 'blocked DeletionBlocked until live'),
    row(
      'replacing is deleting',
      ['shared', 'diskEdited', 'WhenUnused'],
      'blocked ReplacementBlocked until live /disk',
    ),
    row('deleted just now: that is all', ['absent', 'deleted', 'deleting', 'Delete'], 'gone removed'),
    row('deleted and declared again', ['absent', 'deleted'], `create ${every}`),
    row('deleted: the next of that name is another', ['absent', 'deleting', 'Delete'], 'gone removed'),
    row('deregistered: so it is', ['absent', 'deleting', 'Deregister'], 'gone removed'),
    row('kept: a restored declaration finds its own', ['absent', 'deleting'], 'gone kept'),
    row('a lost answer: find it to delete it', ['absent', 'creating', 'deleting', 'Delete'], 'create'),
    row(
      'no create was noted, so none was sent',
      ['absent', 'unrecorded', 'deleting', 'Delete'],
      'gone removed',
    ),
    row('also of one that was replaced', ['absent', 'recreating', 'deleting', 'Delete'], 'create'),
    row('half replaced, nothing was sent', ['absent', 'halfReplaced', 'deleting', 'Delete'], 'gone removed'),
    row('nobody would delete it', ['absent', 'creating', 'deleting', 'Deregister'], 'gone removed'),
    row('it would be kept', ['absent', 'creating', 'deleting'], 'gone kept'),
    row(
      'the next of its name, by the same makers, is another',
      ['renewed', 'deleting', 'Delete'],
      'gone kept',
    ),
    row(
      'what is remembered without an identity proves nothing',
      ['unproven', 'deleting', 'Delete'],
      'gone kept',
    ),
    row('nothing was ever sent', ['absent', 'unrecorded', 'unheld', 'deleting', 'Delete'], 'gone removed'),
  ],
  moving: [
    row('a changed address repairs nothing', ['moved', 'drifted'], 'stalled BackendChanged until edit'),
    row('it makes nothing', ['moved', 'absent'], 'stalled BackendChanged until edit'),
    row('it deletes nothing', ['moved', 'deleting', 'Delete'], 'stalled BackendChanged until edit'),
    row(
      'absent there is not gone here',
      ['moved', 'absent', 'deleting', 'Delete'],
      'stalled BackendChanged until edit',
    ),
    row('no backend is another one', ['nowhere'], 'stalled BackendChanged until edit'),
    row(
      'a record of another name proves nothing',
      ['renamed', 'deleting', 'Delete'],
      'stalled ExternalNameChanged until edit',
    ),
    row('what is recorded nowhere can not move', ['moved', 'absent', 'unrecorded'], `create ${every}`),
  ],
  suspending: [
    row('nothing is made', ['suspend', 'absent', 'unrecorded'], `blocked Suspended until edit ${every}`),
    row(
      'nothing is taken',
      ['suspend', 'foreign', 'sizeEdited', 'Adopt'],
      'blocked Suspended until edit /size',
    ),
    row('nothing is repaired', ['suspend', 'drifted'], 'blocked Suspended until edit /size'),
    row('nothing is replaced', ['suspend', 'diskEdited', 'WhenUnused'], 'blocked Suspended until edit /disk'),
    row('nothing is deleted', ['suspend', 'deleting', 'Delete'], 'blocked DeletionBlocked until edit'),
    row('what is kept may leave', ['suspend', 'deleting'], 'gone kept'),
    row('it is still looked at', ['suspend'], 'in-sync'),
    row('drift is still reported', ['suspend', 'drifted', 'Warn'], 'in-sync drift=/size'),
    row(
      'what is wrong is still named',
      ['suspend', 'ownerEdited'],
      'stalled ImmutableFieldChanged until edit /owner',
    ),
  ],
} as const satisfies Record<string, readonly Row[]>;
