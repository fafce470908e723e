// How a disk that was let go of comes back: declared again before its end, or where nothing could be made in its place.
import { describe, expect, test } from 'vitest';
import { noStatus, type Intent, type Status } from '../../../src/core/status/status.ts';
import { diskOf, type Own } from '../../../src/kinds/csi-volume/disk.ts';
import { applied, after, deregister, id, previous, retired, target } from './going.ts';
import {
  existing,
  firstStep,
  nonce,
  recorded,
  outline,
  planned,
  reader,
  startMs,
  sent,
  writer,
  type Given,
} from './situation.ts';

describe('declared again before it is destroyed', () => {
  const again: Given = { volume: 'absent', policy: { deletion: 'Delete' } };
  /** What was done shows by now, or never will. */
  const later: Given = { nowMs: startMs + 30_001 };

  test.for(['delete', 'retire'])('the disk comes back as it was, after an intent to %s', (op) => {
    const memory = after(op);
    const given: Given = { ...again, ...later, memory };
    const step = firstStep({
      ...given,
      spec: { capabilities: [reader], mountOptions: { mountFlags: ['ro'] } },
    });
    expect(step).toMatchObject({
      verb: 'revive',
      summary: 'register vol-1 again',
      effect: { op: 'volume.register', params: target },
      intent: { op: 'revive', token: '' },
      applied,
    });
    expect([step.own, step.noted]).toEqual([{ disk: previous.disk }, { previous }]);
    expect(sent(given)).toMatchObject({
      ID: 'data',
      Name: existing.Name,
      ExternalID: 'vol-1',
      RequestedCapabilities: [{ AccessMode: writer.accessMode, AttachmentMode: writer.attachmentMode }],
    });
    const flags = { ...given, spec: { mountOptions: { mountFlags: ['ro'] } } };
    expect(sent(flags)).toMatchObject({ MountOptions: { MountFlags: ['ro'] } });
  });

  test('it does not where its destruction had no answer, and its provider does not know it: it took effect', () => {
    const lost = after('delete', { own: { previous: { ...previous, destroying: true } } });
    const { rejection } = firstStep({ ...again, memory: lost });
    const proves = { op: 'destroy', token: id, evidence: { retired: id } };
    expect(rejection).toEqual({ reason: 'ExternalVolumeNotFound', proves });
    const gone = { ...lost, pending: { ...proves, done: true as const } };
    expect(outline({ ...again, memory: gone })).toBe('create by volume.create');
    expect(firstStep({ ...again, memory: after('delete') }).rejection).toBeUndefined();
  });

  test.for(['retire', 'destroy'])('it loses the ID that nobody knows first, after an intent to %s', (op) => {
    const step = firstStep({ ...again, ...later, memory: after(op), retired });
    expect(step).toMatchObject({
      verb: 'revive',
      summary: `deregister ${id}, to register its disk as data again`,
      effect: deregister(id),
      intent: { op: 'delete', token: id, evidence: { retired: id } },
      applied,
    });
    expect(step.own).toEqual({ previous });
  });

  test('it comes back, too, where it was to be kept and the answer to that was lost', () => {
    const memory = after('keep', { externalRef: { backend: 'b1', ...target } });
    expect(firstStep({ ...again, memory })).toMatchObject({
      verb: 'revive',
      summary: 'register vol-1 again',
      effect: { op: 'volume.register', params: target },
    });
  });

  test('it comes back, too, where no intent is on record any more', () => {
    const { pending: _, ...memory } = after('delete', { externalRef: { backend: 'b1', ...target } });
    expect(firstStep({ ...again, memory })).toMatchObject({
      verb: 'revive',
      summary: 'register vol-1 again',
    });
  });

  test('it comes back, too, where another one is declared by now: that is an edit still, and nothing was refused', () => {
    const other: Given = { ...again, spec: { pluginID: 'nfs' }, memory: after('delete') };
    expect(firstStep(other)).toMatchObject({ verb: 'revive', summary: 'register vol-1 again', applied });
    expect([firstStep(other).own, firstStep(other).noted]).toEqual([{ disk: previous.disk }, { previous }]);
    expect(firstStep({ ...other, retired }).intent?.op).toBe('delete');
  });

  test('what is destroyed does not come back: another disk is made', () => {
    const step = firstStep({ ...again, memory: after('destroy') });
    expect([step.verb, step.effect?.op]).toEqual(['create', 'volume.create']);
    expect([step.own, step.noted]).toEqual([undefined, {}]);
  });

  test('what never was let go of is made', () => {
    const step = firstStep({ ...again, memory: noStatus });
    expect([step.verb, step.effect?.op]).toEqual(['create', 'volume.create']);
    expect(step).not.toHaveProperty('own');
    expect(step).not.toHaveProperty('noted');
  });
});

describe('a replacement', () => {
  const asked: Given = {
    spec: { pluginID: 'nfs' },
    policy: { replace: 'WhenUnused', deletion: 'Delete' },
    plugin: { ID: 'nfs' },
  };
  const deregistered: Given = { ...asked, volume: 'absent', memory: after('replace') };
  const fresh = { ...existing, ExternalID: 'vol-2', PluginID: 'nfs', CreateIndex: 9, Name: `data-${nonce}` };
  const replaced: Status<Own> = {
    ...recorded,
    applied: { ...applied, '/pluginID': 'nfs' },
    own: { disk: diskOf(fresh), previous },
    identity: 'vol-2 9',
  };
  const during = (pending: Intent): Status<Own> => ({ ...replaced, pending });
  const stands: Given = { ...asked, volume: fresh, memory: replaced };

  test('keeps what is known of the old disk until the new one stands', () => {
    const step = firstStep(asked);
    expect(step).toMatchObject({
      verb: 'replace',
      summary: 'deregister data, to destroy its disk once a new one stands',
      effect: deregister('data'),
      destroys: 'data',
      data: 'vol-1',
      intent: { op: 'replace', token: '/pluginID', evidence: { removed: 'vol-1 3', retired: id } },
    });
    expect(step.noted).toEqual({ ...recorded.own, previous });
    const create = firstStep(deregistered);
    expect([create.verb, create.effect?.op, create.own]).toEqual(['create', 'volume.create', { previous }]);
    expect(create.summary).toBe('create data with nfs'); // nothing was asked for yet that had to be repeated
    expect(sent(deregistered)).toMatchObject({ PluginID: 'nfs', Name: `data-${nonce}` });
  });

  test('that is taken back once the new one stands waits for a person: the old disk is what is declared', () => {
    const back = { ...stands, spec: {} };
    const message =
      'data: its old disk vol-1 is what is declared again, and vol-2 has taken its place; to destroy the old one, declare ' +
      'what the new one is; to keep it, deletionPolicy: Retain';
    for (const given of [back, { ...back, retired }])
      expect(planned(given)).toMatchObject({ verdict: 'blocked', reason: 'ReplacementBlocked', message });
    expect(outline({ ...stands, retired })).toBe('destroy by volume.delete');
    expect(outline({ ...back, deleting: true })).not.toMatch(/blocked/);
    const pending = { op: 'destroy-previous', token: id, done: true } as const;
    expect(outline({ ...back, memory: during(pending) })).not.toMatch(/ReplacementBlocked/);
  });

  test('retires and destroys the old one after that, and remembers the new one', () => {
    const first = firstStep(stands);
    expect(first).toMatchObject({
      effect: { op: 'volume.register', params: { ...target, id } },
      intent: { op: 'retire-previous', token: id, evidence: { retired: id } },
      identity: 'vol-2 9',
    });
    expect(first.own).toEqual({ disk: diskOf(fresh), previous });
    const second = firstStep({ ...stands, retired });
    expect(second).toMatchObject({
      effect: { op: 'volume.delete', params: { ...target, id } },
      data: 'vol-1',
      destroys: 'data',
      intent: { op: 'destroy-previous', token: id },
      identity: 'vol-2 9',
    });
    expect(second.own).toEqual({ disk: diskOf(fresh) });
    const pending = { op: 'destroy-previous', token: id, done: true } as const;
    expect(outline({ ...stands, memory: during(pending) })).toBe('in-sync');
  });

  test('does not destroy the old disk where it is back in its place: only its second registration goes', () => {
    const given: Given = {
      policy: { replace: 'WhenUnused', deletion: 'Delete' },
      memory: { ...recorded, own: { disk: diskOf(existing), previous } },
    };
    expect(firstStep({ ...given, retired })).toMatchObject({
      summary: `deregister ${id}, and keep the disk vol-1`,
      effect: deregister(id),
      intent: { op: 'keep-previous', token: id, evidence: { retired: id } },
    });
    expect(outline(given)).toBe('in-sync');
  });

  test('deleted with its declaration destroys the old one, too, before the new one', () => {
    const leaving: Given = { ...stands, deleting: true };
    expect(firstStep(leaving)).toMatchObject({ verb: 'destroy', intent: { op: 'retire-previous' } });
    expect(firstStep({ ...leaving, retired })).toMatchObject({ data: 'vol-1', verb: 'destroy' });
  });

  const failing = (tries: number, more: Partial<Status<Own>> = {}): Given => ({
    ...deregistered,
    memory: after('replace', {
      tries: { create: tries },
      refusal: 'no quota',
      ...more,
    }),
  });
  const open = {
    pending: { op: 'create', token: 'x', evidence: { name: `data-${nonce}`, removed: 'vol-1 3' } },
  };

  test('that is refused brings the old one back, and says why it was refused', () => {
    const step = firstStep(failing(1));
    expect(step).toMatchObject({
      verb: 'revive',
      summary: 'register vol-1 again: no new one could be made',
      effect: { op: 'volume.register', params: target },
      applied,
    });
    expect(step.own).toEqual({
      disk: previous.disk,
      refused: { wanted: expect.stringMatching(/./), why: 'no quota' },
    });
    expect(step.noted).toEqual({ previous, refused: step.own && Object(step.own).refused });
  });

  test('whose create was not answered is repeated three times first: it may have made a disk', () => {
    for (const tries of [0, 1, 2]) expect(firstStep(failing(tries, open)).effect?.op).toBe('volume.create');
    expect(firstStep(failing(3, open))).toMatchObject({ verb: 'revive', effect: { op: 'volume.register' } });
  });

  test('that is not wanted any more brings the old one back, unless a create may have made a disk', () => {
    const { spec: _spec, ...unwanted } = failing(0);
    const step = firstStep(unwanted);
    expect(step).toMatchObject({ verb: 'revive', summary: 'register vol-1 again', applied });
    expect([step.own, step.noted]).toEqual([{ disk: previous.disk }, { previous }]);
    expect(firstStep({ ...unwanted, retired }).intent?.op).toBe('delete');
    const { spec: _, ...begun } = failing(0, open);
    expect(firstStep(begun).effect?.op).toBe('volume.create');
  });

  test('whose old disk is on its way back without an answer has it registered again, and stays refused', () => {
    const { refused } = Object(firstStep(failing(1)).own);
    const lost: Intent = { op: 'revive', token: '' };
    const returning = failing(1, { pending: lost, own: { previous, refused } });
    const { refusal: _refusal, ...memory } = Object(returning.memory);
    const step = firstStep({ ...returning, memory });
    expect(step).toMatchObject({ verb: 'revive', effect: { op: 'volume.register' }, intent: lost, applied });
    expect([step.noted, step.own]).toEqual([
      { previous, refused },
      { disk: previous.disk, refused },
    ]);
    const edited = firstStep({ ...returning, spec: { ...returning.spec, pluginID: 'zfs' } });
    expect([edited.verb, edited.own]).toEqual(['revive', { disk: previous.disk }]);
  });

  test('that failed takes its disk back from the ID that nobody knows, as a replacement still', () => {
    expect(firstStep({ ...failing(1), retired })).toMatchObject({
      effect: deregister(id),
      intent: { op: 'replace', token: id, evidence: { retired: id } },
    });
  });

  test('without a word of why says that it failed', () => {
    const { refusal: _refusal, ...silent } = after('replace', { tries: { create: 1 } });
    expect(firstStep({ ...deregistered, memory: silent }).own).toMatchObject({
      refused: { why: 'it failed' },
    });
  });

  test('is not tried again until another is declared', () => {
    const refused = Object(firstStep(failing(1)).own).refused;
    const memory = { ...recorded, own: { disk: diskOf(existing), refused } };
    expect(planned({ ...asked, memory })).toMatchObject({
      verdict: 'blocked',
      reason: 'ReplacementFailed',
      message: 'no new volume could be made, so the old one is back: no quota',
      wake: { on: 'edit' },
    });
    const topology = { preferred: [{ zone: 'b' }] };
    for (const spec of [{ pluginID: 'zfs' }, { pluginID: 'nfs', topology }])
      expect(outline({ ...asked, spec, memory })).toMatch(/^replace by volume.deregister/);
  });

  test('is begun as well where nothing is known but whose it is', () => {
    const { own: _, ...memory } = recorded;
    expect(outline({ ...asked, memory })).toMatch(/^replace by volume.deregister/);
  });

  test('does not wait for a plugin that was not asked for, nor for a controller where a disk is only registered', () => {
    expect(outline({ ...asked, plugin: 'not asked' })).toMatch(/^replace/);
    expect(outline({ ...asked, plugin: { ID: 'nfs' } })).toMatch(/^replace/);
    expect(planned({ ...asked, plugin: null })).toMatchObject({ verdict: 'blocked', wake: { on: 'live' } });
    const unhealthy = { ID: 'ebs', ControllersHealthy: 0 };
    const given: Given = {
      register: 'vol-9',
      wrote: { '/register/externalID': 'vol-1' },
      policy: asked.policy ?? {},
    };
    expect(outline({ ...given, plugin: unhealthy })).toMatch(/^replace/);
  });
});
