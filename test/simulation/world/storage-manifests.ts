// Snapshots, schedules and actions as they are declared: as text for the program, and as plain facts for the oracle.
import type { ActionWish, ScheduleWish, SnapshotWish, Wish } from '../history/events.ts';
import type { Declared } from '../oracle/record.ts';

/** What is declared of storage, apart from the volume. */
export interface Storage {
  readonly snapshots: ReadonlyMap<string, SnapshotWish>;
  readonly actions: ReadonlyMap<string, ActionWish>;
  readonly schedule: ScheduleWish | undefined;
}

export const storedVolume = 'data';
export const storedPlugin = 'cutting';
/** The job whose tasks write to the volume, and those that actions are for. */
export const writers = 'db';
export const jobOf = (slot: string): string => `job-${slot}`;
const scheduleName = 'nightly';
const signals = { freeze: 'SIGUSR1', thaw: 'SIGUSR2' } as const;

const apiVersion = 'holdfast.dev/v1alpha1';
const namespace = 'shop';
const connectionRef = { name: 'main' };

export const storedWish: Wish = {
  plugin: storedPlugin,
  parameters: 'a',
  deletion: 'Retain',
  replace: 'Never',
  suspended: false,
  observed: false,
  writers: 'multi',
};

const hooksOf = (deadlineS: number | undefined) =>
  deadlineS === undefined
    ? undefined
    : {
        selector: { job: writers },
        before: { signal: { name: signals.freeze } },
        after: { signal: { name: signals.thaw } },
        deadline: `${deadlineS}s`,
      };

const actions = {
  restart: { restart: {} },
  signal: { signal: { name: 'SIGHUP' } },
  stop: { stop: {} },
} as const;

/** @param fixed what of it never changes: an edit of that is refused */
const declared = (
  kind: string,
  slot: string,
  deletion: Declared['deletion'],
  fixed: Readonly<Record<string, string>>,
): Declared => ({
  key: `${kind}/${namespace}/${slot}`,
  place: { scheduler: kind, namespace, id: slot },
  plugin: '',
  source: { create: { parameters: fixed, required: '' } },
  deletion,
  replace: 'Never',
  adoption: 'Fail',
  suspended: false,
  observed: false,
});

interface Stored {
  readonly file: string;
  readonly document: object;
  readonly declared: Declared;
}

const of = (
  kind: string,
  name: string,
  spec: object,
  deletion: Declared['deletion'],
  fixed: Readonly<Record<string, string>> = {},
): Stored => ({
  file: `stored/${name}.yaml`,
  document: { apiVersion, kind, metadata: { name, namespace }, spec: { connectionRef, ...spec } },
  declared: declared(kind, name, deletion, fixed),
});

export function storedDocuments({ snapshots, actions: asked, schedule }: Storage): readonly Stored[] {
  const volumeRef = { name: storedVolume };
  return [
    ...[...snapshots].map(([slot, { deletion, deadlineS }]) =>
      of('CSISnapshot', slot, { volumeRef, deletionPolicy: deletion, hooks: hooksOf(deadlineS) }, deletion),
    ),
    ...[...asked].map(([slot, { does, parallel }]) => {
      const spec = {
        selector: { job: jobOf(slot) },
        action: actions[does],
        rollout: { maxParallel: parallel },
      };
      return of('AllocationAction', slot, spec, 'Retain', { does, parallel: `${parallel}` });
    }),
    ...(schedule === undefined
      ? []
      : [of('CSISnapshotSchedule', scheduleName, { volumeRef, ...scheduleSpec(schedule) }, 'Retain')]),
  ];
}

const scheduleSpec = ({ everyMinutes, count, minReady, suspended, deadlineS }: ScheduleWish) => ({
  schedule: everyMinutes === 0 ? '0 5 1 6 *' : `*/${everyMinutes} * * * *`,
  suspend: suspended,
  retention: { count, minReady },
  template: { spec: { deletionPolicy: 'Delete', hooks: hooksOf(deadlineS) } },
});
