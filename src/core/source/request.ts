// Requests: what a person can ask of an object besides its spec, by an annotation `holdfast.dev/<name>` or by a command.

import { retentionHold } from '../effect.ts';

/** Prefix of the annotations. */
export const requestPrefix = 'holdfast.dev/';

/** Longest value, in characters. A longer one could not be stored in the status, so it would look new at every visit. */
export const requestTokenMax = 1_024;

/** The most annotations with that prefix: as many as the status records as handled (core/status/status.ts). */
export const requestsMax = 32;

export interface RequestDeclaration {
  /** Name of the annotation, without its prefix. */
  readonly name: string;
  readonly help: string;
  /** What is said of the object once it is asked. */
  readonly confirmation?: string;
  /** What is said of a connection instead. */
  readonly ofConnection?: string;
  /** What is said of the object once a command took the request back. */
  readonly withdrawal?: string;
  /** Each value is acted on once. After an older state was restored, the value may have been acted on already. */
  readonly once?: true;
  /** While the object is suspended, it waits. */
  readonly waits?: true;
  /** Only objects that are being deleted accept it. */
  readonly onlyDeleting?: true;
  /** The command that makes the request, and the value that it sets. Kinds may share a command. */
  readonly command?: {
    readonly name: string;
    readonly sets: 'token' | 'reason' | 'true';
    /** Arguments for an example, after the kind. */
    readonly sample: string;
    /** Only objects that a schedule made accept it, until they are being deleted. */
    readonly ofGenerated?: true;
  };
}

/** The value of `adopt`: no other adopts anything. */
export const adoptIdentical = 'IfIdentical';

export const commonRequests: readonly RequestDeclaration[] = [
  {
    name: 'reconcile',
    help: 'reconcile an object now',
    confirmation: 'will be reconciled now',
    command: { name: 'reconcile', sets: 'token', sample: 'shop/orders' },
  },
  {
    name: 'suspend',
    help: 'stop changing an object until it is resumed; of a connection, all objects that use it',
    confirmation: 'is suspended',
    withdrawal: 'is resumed',
    ofConnection: 'is suspended, and with it all objects that use it',
    command: { name: 'suspend', sets: 'true', sample: 'shop/orders' },
  },
  {
    name: 'force-orphan',
    help: 'release an object that is being deleted, and leave what is outside as it is',
    confirmation: 'is released',
    onlyDeleting: true,
    command: {
      name: 'orphan',
      sets: 'reason',
      sample: 'shop/orders --reason "the cluster is gone"',
    },
  },
  {
    name: 'moved-from',
    help: 'take over the external object of `<namespace>/<name>`, which is being deleted',
  },
  {
    name: 'adopt',
    help: `adopt an external object that is identical: the value is \`${adoptIdentical}\``,
    confirmation: 'will be adopted if it is identical',
    waits: true,
  },
  {
    name: retentionHold,
    help: 'keep an object that was made by schedule, whatever the retention says',
    confirmation: 'is kept until that is taken back',
    withdrawal: 'is not held any more',
    command: {
      name: 'hold',
      sets: 'reason',
      sample: 'shop/nightly-20261120-0200 --reason "before the migration"',
      ofGenerated: true,
    },
  },
];
