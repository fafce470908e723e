// scheduler-api.md, "Resources and their fields": how values are written.
import { codeIn, everyField, said, testsIn, type Section } from '../../item.ts';

const wire = codeIn('api/scheduler/wire.ts');
const views = codeIn('embedded/scheduler/allocations/render.ts');
const jobs = codeIn('embedded/scheduler/allocations/render-job.ts');
const tasks = codeIn('embedded/scheduler/allocations/tasks.ts');
const shapes = testsIn('contract/allocation-shape-cases.ts');
const stops = testsIn('contract/stop-cases.ts');
const snapshots = testsIn('contract/snapshot-cases.ts');

const entry = 'an entry has all that lists are read for, task states and resources as they are asked for';

export const formats: Section = {
  title: 'Formats of fields',
  items: [
    said('names are exact and case-sensitive', {
      client: codeIn('api/dialects.ts')('raise'),
      embedded: views('entry'),
      test: shapes(entry),
    }),
    said('`CreateTime`, `ModifyTime` of allocations: Unix nanoseconds', {
      client: wire('AllocationStub'),
      embedded: views('entry'),
      test: shapes(entry),
    }),
    said('`RescheduleTime`: Unix nanoseconds; `Delay`: nanoseconds as a string', {
      client: wire('RescheduleTracker'),
      embedded: views('tracker'),
      test: stops('a reschedule goes elsewhere and is kept track of; by the documents every stop is one'),
    }),
    said('`StartedAt`, `FinishedAt`, `LastRestart`: RFC 3339, the zero time when unset', {
      client: wire('TaskState'),
      embedded: tasks('zeroTime'),
      test: shapes(entry),
    }),
    said('`CreateTime` of snapshots: Unix seconds', {
      client: wire('Snapshot'),
      embedded: codeIn('embedded/scheduler/volumes/snapshots.ts')('created'),
      test: snapshots(
        'are told once, with an ID that is nowhere else, and then listed, until they are deleted',
      ),
    }),
    said('event `Time`: Unix nanoseconds', {
      client: wire('TaskEvent'),
      embedded: codeIn('embedded/scheduler/allocations/task-events.ts')('event'),
      test: testsIn('coverage/replies.test.ts')(everyField, 'allocation.read'),
    }),
    said('`StatusUpdatedAt` of nodes: Unix seconds', {
      client: codeIn('api/scheduler/node-wire.ts')('NodeRead'),
      embedded: codeIn('embedded/scheduler/cluster/render-node.ts')('nodeRead'),
      test: testsIn('coverage/replies.test.ts')(everyField, 'event.stream'),
    }),
    said('`CreateIndex`, `ModifyIndex`: integers', {
      client: wire('VolumeStub'),
      embedded: codeIn('embedded/scheduler/store/store.ts')('commit'),
      test: testsIn('embedded/scheduler/store/store.test.ts')(
        'every commit has the next index; a table has that of its last',
      ),
    }),
    said('durations in the job copy: nanoseconds', {
      client: codeIn('api/scheduler/job-wire.ts')('JobCopy'),
      embedded: jobs('service'),
      test: shapes('the job copy says what was said of job and tasks, under the names of the dialect'),
    }),
  ],
};
