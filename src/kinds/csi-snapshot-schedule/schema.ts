// CSISnapshotSchedule: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import { csiSecrets } from '../../schema/scheduler/csi-secrets.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { hookRules, hooks } from '../../schema/scheduler/hooks.ts';
import { drill } from './drill-schema.ts';
import { timetableOf } from './runs.ts';
import { duration, envelope, mapOf, objectRef, text } from '../../schema/parts.ts';

const { connectionRef, deletionPolicy, suspend } = envelope(['Retain', 'Delete']);

const cron = text(
  /^[-0-9A-Za-z*/,#]+( [-0-9A-Za-z*/,#]+){4}$/,
  128,
  'minute, hour, day of month, month and day of week, as in cron: 0 3 * * *',
);
const zone = text(
  /^[A-Za-z][-+_A-Za-z0-9]*(\/[-+_A-Za-z0-9]+)*$/,
  64,
  'a name of the IANA time zone database, such as Europe/Berlin',
);
const metadataKey = {
  pattern:
    /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/,
  expected: 'a name as of labels, with or without a prefix: app, example.com/team',
};
const labelValue = text(/^([A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)?$/, 63, 'the value of a label');

const many = (what: string, max: number) => z.int().min(1).max(max).describe(what).exactOptional();

const retention = z
  .strictObject({
    count: many('Keeps that many of the newest.', 1_000),
    hourly: many('Keeps the newest of each hour, for that many hours that have one.', 1_000),
    daily: many('Keeps the newest of each day, for that many days that have one.', 1_000),
    weekly: many('Keeps the newest of each week (from Monday on), for that many weeks that have one.', 1_000),
    monthly: many('Keeps the newest of each month, for that many months that have one.', 1_000),
    maxAge: duration().describe('Gives up what is older, whatever else keeps it.').exactOptional(),
    minReady: z
      .int()
      .min(1)
      .max(1_000)
      .describe(
        'That many of the newest stay of each disk that the volume was on, whatever the rules say. Default: 1.',
      )
      .exactOptional(),
  })
  .describe(
    'Which snapshots are kept. Each rule keeps what it names; what no rule keeps is deleted at the provider. Only snapshots that are ready count, and only they go. Without a rule, none goes.',
  );

const template = z
  .strictObject({
    metadata: z
      .strictObject({
        labels: mapOf(labelValue.describe('Value of the label.'), {
          entries: 32,
          key: 128,
          form: metadataKey,
        })
          .describe('Labels of the snapshots. A directory keeps none.')
          .exactOptional(),
        annotations: mapOf(z.string().max(1024).describe('Value of the annotation.'), {
          entries: 32,
          key: 128,
          form: metadataKey,
        })
          .describe('Annotations of the snapshots. A directory keeps none.')
          .exactOptional(),
      })
      .describe('What else the objects of the snapshots bear.')
      .exactOptional(),
    spec: z
      .strictObject({
        deletionPolicy: deletionPolicy.describe(
          'What becomes of a snapshot when its object is deleted by hand. What expires is always deleted at the provider. Default: Retain.',
        ),
        parameters: mapOf(z.string().max(1024).describe('Value of the parameter.'), { entries: 32, key: 128 })
          .describe('Parameters of the plugin, handed over as they stand.')
          .exactOptional(),
        secrets: csiSecrets().exactOptional(),
        hooks: hooks().exactOptional(),
      })
      .describe('What of the snapshots may be chosen.')
      .exactOptional(),
  })
  .describe('What each snapshot is made from. An edit counts for those that are taken later.');

const spec = z
  .strictObject({
    connectionRef: connectionRef.describe('The connection of the volume and of its snapshots.'),
    volumeRef: objectRef().describe(
      'The CSIVolume to take snapshots of. Snapshots of another volume are neither counted nor deleted.',
    ),
    schedule: cron.describe('When to take a snapshot, as in cron.'),
    timeZone: zone
      .describe(
        'Time zone of the schedule, and of the hours, days, weeks and months of the retention. Default: UTC.',
      )
      .exactOptional(),
    jitter: duration()
      .describe(
        'Runs start up to so much later, so that not all schedules start at once: each object always by the same time.',
      )
      .exactOptional(),
    startingDeadline: duration()
      .describe(
        'A run that could not start at its time is made up for within this, once however many were missed. Default: until the next run.',
      )
      .exactOptional(),
    concurrencyPolicy: z
      .enum(['Forbid', 'Allow'])
      .describe(
        'Whether a snapshot is taken while the one before is not ready. One that failed stands in nobody’s way. Default: Forbid.',
      )
      .exactOptional(),
    suspend: suspend.describe(
      'No snapshot is taken, none expires and no drill begins while this is true; runs that fall into that time are passed over. Default: false.',
    ),
    retention: retention.exactOptional(),
    template: template.exactOptional(),
    drill: drill.exactOptional(),
  })
  .describe('Snapshots of a volume by the clock, and which of them are kept.');

export type Spec = z.infer<typeof spec>;

const fields = {
  '/connectionRef': { change: 'in-place' },
  '/volumeRef': { change: 'in-place' },
  '/schedule': { change: 'in-place' },
  '/timeZone': { change: 'in-place' },
  '/jitter': { change: 'in-place' },
  '/startingDeadline': { change: 'in-place' },
  '/concurrencyPolicy': { change: 'in-place' },
  '/retention': { change: 'in-place' },
  '/template': { change: 'in-place' },
  '/drill': { change: 'in-place' },
} as const satisfies FieldTable;

const noneOfOurs = (map: string): string =>
  `!has(self.template) || !has(self.template.metadata) || !has(self.template.metadata.${map}) || !self.template.metadata.${map}.exists(k, k.startsWith('holdfast.dev/'))`;

export const declaration = {
  kind: 'CSISnapshotSchedule',
  plural: 'csisnapshotschedules',
  shortNames: ['csisnapsched'],
  scope: 'Namespaced',
  description:
    'Takes snapshots of a CSI volume by the clock, as objects of kind CSISnapshot, has those deleted that its retention gives up, and proves by drills that they can be restored.',
  spec,
  fields,
  references: [
    { field: '/connectionRef', to: 'object', kind: 'SchedulerConnection', scope: 'Cluster', holds: true },
    {
      field: '/volumeRef',
      to: 'object',
      kind: 'CSIVolume',
      scope: 'Namespaced',
      holds: false,
      optional: true,
    },
  ],
  rules: [
    ...(['labels', 'annotations'] as const).map((map) => ({
      rule: noneOfOurs(map),
      message: 'names that begin with holdfast.dev/ are not for templates',
      fieldPath: `.template.metadata.${map}`,
    })),
    ...hookRules(['template', 'spec', 'hooks']),
  ],
  doubt({ schedule, timeZone = 'UTC' }: Spec) {
    const table = timetableOf(schedule, timeZone);
    if (typeof table === 'string') return table;
    return table.next(0) === undefined ? '/schedule: it never comes' : undefined;
  },
  columns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Snapshots', type: 'integer', jsonPath: '.status.observed.snapshots.ready' },
    { name: 'Last-Ready', type: 'date', jsonPath: '.status.observed.lastReadySnapshot.at' },
    { name: 'Verified', type: 'date', jsonPath: '.status.observed.lastVerifiedRestore.at' },
    { name: 'Next', type: 'string', jsonPath: '.status.observed.nextScheduleTime' },
    { name: 'Volume', type: 'string', jsonPath: '.spec.volumeRef.name' },
    { name: 'Connection', type: 'string', jsonPath: '.spec.connectionRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
