// What a person can ask of an object besides its spec: by an annotation `holdfast.dev/<name>`, or by a command.

import { retentionHold } from '../effect.ts';

/** Of the annotations by which an object is asked. */
export const requestPrefix = 'holdfast.dev/';

/** Longest value, in characters: a longer one could not be remembered, and would be a new one each time. */
export const requestTokenMax = 1_024;

export interface RequestDeclaration {
  /** Name of the annotation. */
  readonly name: string;
  /** What it asks for. */
  readonly help: string;
  /** What the person reads who asked, after the key of the object. */
  readonly told?: string;
  /** Each value asks for one thing to be done once: after an earlier state was restored, it may have been done. */
  readonly once?: true;
  /** Only an object that is being deleted can be asked. */
  readonly onlyDeleting?: true;
  /** The command that asks, and what it sets the annotation to. Kinds may share a command. */
  readonly command?: { readonly name: string; readonly sets: 'token' | 'reason' | 'true' };
}

/** What every kind can be asked. */
export const commonRequests: readonly RequestDeclaration[] = [
  {
    name: 'reconcile',
    help: 'reconcile an object now',
    told: 'will be reconciled now',
    command: { name: 'reconcile', sets: 'token' },
  },
  {
    name: 'suspend',
    help: 'stop changing an object until it is resumed',
    told: 'is suspended',
    command: { name: 'suspend', sets: 'true' },
  },
  {
    name: 'force-orphan',
    help: 'release an object that is being deleted, and leave what is outside as it is',
    told: 'is released',
    onlyDeleting: true,
    command: { name: 'orphan', sets: 'reason' },
  },
  {
    name: 'moved-from',
    help: 'take over the external object of `<namespace>/<name>`, which is being deleted',
  },
  {
    name: 'adopt',
    help: 'adopt an external object that is identical',
    told: 'will be adopted if it is identical',
  },
  {
    name: retentionHold,
    help: 'keep an object that was made by schedule, whatever the retention says',
    told: 'is kept until that is taken back',
    command: { name: 'hold', sets: 'reason' },
  },
];
