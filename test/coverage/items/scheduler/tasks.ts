// scheduler-api.md, "TaskState", "States and transitions".
import { codeIn, replied, said, testsIn, type Section } from '../../item.ts';

const wire = codeIn('api/scheduler/wire.ts');
const views = codeIn('embedded/scheduler/allocations/render.ts');
const tasks = codeIn('embedded/scheduler/allocations/tasks.ts');
const taskEvents = codeIn('embedded/scheduler/allocations/task-events.ts');
const shapes = testsIn('contract/allocation-shape-cases.ts');

const entry = 'an entry has all that lists are read for, task states and resources as they are asked for';
const read = 'allocation.read';
const list = 'allocation.list';

const state = {
  at: [
    [read, 'TaskStates.*'],
    [list, '*.TaskStates.*'],
  ],
  embedded: views('tasks'),
} as const;
const ending =
  'a task that has ended: signals to all fail halfway, a restart leaves it, and one of all revives it';
const inTasks = testsIn('embedded/scheduler/allocations/tasks.test.ts');
const states = {
  client: wire('TaskState'),
  embedded: codeIn('embedded/scheduler/store/model.ts')('State'),
};

export const taskStates: Section = {
  title: 'Task states',
  items: [
    ...replied('TaskState', state, {
      State: 'string',
      StartedAt: 'time',
      FinishedAt: 'time',
      LastRestart: 'time',
      Restarts: 'int',
      Failed: 'bool',
      Events: 'list',
    }),
    said('`State` `pending`: waiting to run, for the first time or again', {
      ...states,
      test: inTasks('a restarted task is pending for as long as it was told to take, and runs again then'),
    }),
    said('`State` `running`', { ...states, test: shapes(entry) }),
    said('`State` `dead`: it does not run again', { ...states, test: inTasks(ending) }),
    said('a restart counts, and updates `StartedAt` and `LastRestart`', {
      client: wire('TaskState'),
      embedded: tasks('restarting'),
      test: testsIn('contract/allocation-cases.ts')(
        'a restart keeps the allocation, counts, and leaves the task running again',
      ),
    }),
    said('`Events`: the latest ten are kept', {
      client: wire('TaskState'),
      embedded: tasks('after'),
      test: inTasks('the last ten events are kept'),
    }),
  ],
};

const events = { at: [[read, 'TaskStates.*.Events.*']], embedded: taskEvents('eventView') } as const;
const types = [
  'Setup Failure',
  'Driver Failure',
  'Started',
  'Terminated',
  'Killing',
  'Killed',
  'Received',
  'Failed Validation',
  'Restarting',
  'Not Restarting',
  'Downloading Artifacts',
  'Failed Artifact Download',
  'Restart Signaled',
  'Signaling',
  'Sibling Task Failed',
  'Leader Task Dead',
  'Driver',
  'Task Setup',
  'Building Task Directory',
] as const;

export const taskEvent: Section = {
  title: 'Task events',
  items: [
    ...replied('TaskEvent', events, {
      Type: 'string',
      Time: 'ns',
      FailsTask: 'bool',
      RestartReason: 'string',
      SetupError: 'string',
      DriverError: 'string',
      ExitCode: 'int',
      Signal: 'int',
      Message: 'string',
      KillTimeout: 'int',
      KillError: 'string',
      KillReason: 'string',
      StartDelay: 'int',
      DownloadError: 'string',
      ValidationError: 'string',
      DiskLimit: 'int',
      FailedSibling: 'string',
      SecretsStoreError: 'string',
      TaskSignalReason: 'string',
      TaskSignal: 'string',
      DriverMessage: 'string',
    }),
    ...types.map((type) =>
      said(`\`Type\` \`${type}\``, {
        client: { type: 'TaskEvent', field: 'Type' },
        embedded: taskEvents(type),
        test: shapes('an event %s can be made to happen', type),
      }),
    ),
  ],
};
