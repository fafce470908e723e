// scheduler-api.md, "Endpoints", "Allocations".
import { codeIn, endpoint, parameters, replied, said, sent, testsIn, type Section } from '../../item.ts';

const endpoints = codeIn('embedded/scheduler/http/endpoints.ts');
const allocations = codeIn('embedded/scheduler/allocations/reads.ts');
const actions = codeIn('embedded/scheduler/allocations/actions.ts');
const stopping = codeIn('embedded/scheduler/allocations/stops.ts');

const http = testsIn('contract/http-cases.ts');
const conventions = testsIn('contract/convention-cases.ts');
const shapes = testsIn('contract/allocation-shape-cases.ts');
const claims = testsIn('contract/claim-cases.ts');
const cases = testsIn('contract/allocation-cases.ts');
const stops = testsIn('contract/stop-cases.ts');
const acl = testsIn('contract/acl-cases.ts');
const inTasks = testsIn('embedded/scheduler/allocations/tasks.test.ts');

const blocks = (path: string) =>
  conventions('%s tells the index, also of what is not there, and waits for the next', path);
const denied = (row: string) =>
  acl('$route: who lacks just what it needs is denied, and nothing happens', row);
const listed =
  'allocations are listed by creation, by prefix, in pages and without task states when not wanted';
const entry = 'an entry has all that lists are read for, task states and resources as they are asked for';
const everywhere = 'a list of everything has what may be read of it: none of it is an empty list';

export const list: Section = {
  title: 'List Allocations',
  items: [
    ...endpoint('allocation.list', 'GET /v1/allocations', {
      blocking: blocks('/v1/allocations'),
      acl: 'namespace:read-job',
      aclTest: denied('GET /v1/allocations'),
      test: claims(listed),
    }),
    ...parameters('allocation.list', allocations('list'), {
      prefix: ['of the ID, an even number of hexadecimal digits', claims(listed)],
      namespace: ['default `default`, `*`: all that may be read', acl(everywhere), endpoints('namespaceOf')],
      resources: ['default false: adds `AllocatedResources`', shapes(entry)],
      task_states: ['default true: `TaskStates`', shapes(entry)],
    }),
  ],
};

const unknown = 'of $id are $status: $why';

export const one: Section = {
  title: 'Read and Stop Allocation',
  items: [
    ...endpoint('allocation.read', 'GET /v1/allocation/<alloc_id>', {
      blocking: blocks('/v1/allocation/00000000-0000-4000-8000-000000000000'),
      acl: 'namespace:read-job',
      aclTest: denied('GET /v1/allocation/{id}'),
      test: shapes('a single read adds the job as it was, resources and metrics'),
    }),
    ...parameters('allocation.read', allocations('readOne'), {
      id: ['the full UUID, no short form', http('/v1/$path is $status: $why', 'allocation/short')],
    }),
    ...endpoint('allocation.stop', 'POST /v1/allocation/<alloc_id>/stop', {
      blocking: 'no',
      acl: 'namespace:alloc-lifecycle',
      aclTest: denied('POST /v1/allocation/{id}/stop'),
      test: stops('it ends as it was told to, and another one takes its place and name'),
    }),
    said('PUT as well', {
      client: { op: 'allocation.stop' },
      embedded: stopping('allocationStop'),
      test: stops('it is asked for by POST or PUT, and flags are flags'),
    }),
    ...parameters('allocation.stop', stopping('ask'), {
      id: ['the full UUID', stops('$id is $status: $why', 'short IDs are not looked up')],
    }),
    said('stops it and reschedules it', {
      client: { op: 'allocation.stop' },
      embedded: stopping('Replacements'),
      test: stops('a reschedule goes elsewhere and is kept track of; by the documents every stop is one'),
    }),
    ...replied(
      'StopReply',
      { at: [['allocation.stop', '']], embedded: stopping('ask'), below: 'reply: ' },
      {
        EvalID: 'uuid',
        Index: 'int',
      },
    ),
  ],
};

export const acting: Section = {
  title: 'Signal and Restart Allocation',
  items: [
    ...endpoint('allocation.signal', 'POST /v1/client/allocation/<alloc_id>/signal', {
      blocking: 'no',
      acl: 'namespace:alloc-lifecycle',
      aclTest: denied('POST /v1/client/allocation/{id}/signal'),
      test: cases('a signal is an event with its name, wakes who waits, and restarts nothing'),
    }),
    said('PUT as well', {
      client: { op: 'allocation.signal' },
      embedded: actions('allocationActions'),
      test: cases('a signal has a body and its methods, nothing else is below an allocation'),
    }),
    ...parameters('allocation.signal', actions('reached'), {
      id: ['the full UUID', cases(unknown, 'short IDs are not looked up')],
    }),
    ...sent(
      'allocation.signal',
      'SignalBody',
      { reader: actions('signal'), at: '' },
      { Signal: 'string', Task: 'string' },
      {
        Signal: cases('a signal is an event with its name, wakes who waits, and restarts nothing'),
        Task: cases('a signal without a task reaches all of them, one with a task only that one'),
      },
    ),
    said('reply: an empty object', {
      client: { op: 'allocation.signal' },
      embedded: actions('done'),
      test: cases('a signal is an event with its name, wakes who waits, and restarts nothing'),
    }),
    ...endpoint('allocation.restart', 'POST /v1/client/allocation/<alloc_id>/restart', {
      blocking: 'no',
      acl: 'namespace:alloc-lifecycle',
      aclTest: denied('POST /v1/client/allocation/{id}/restart'),
      test: cases('a restart keeps the allocation, counts, and leaves the task running again'),
    }),
    said('PUT as well', {
      client: { op: 'allocation.restart' },
      embedded: actions('allocationActions'),
      test: cases('a body is not needed to restart, and no method is wrong'),
    }),
    ...parameters('allocation.restart', actions('reached'), {
      id: ['the full UUID', cases(unknown, 'short IDs are not looked up')],
    }),
    ...sent(
      'allocation.restart',
      'RestartBody',
      { reader: actions('restart'), at: '' },
      { Task: 'string' },
      {
        Task: cases("the other dialect's key for the task is not read: everything restarts"),
      },
    ),
    said('restarts a task, or all of them, in place', {
      client: { op: 'allocation.restart' },
      embedded: actions('toRestart'),
      test: inTasks(
        'in %s the client restarts the task it names, and no other; what it reads has the names of tasks as they are',
        'cluster',
      ),
    }),
    said('reply: an empty object', {
      client: { op: 'allocation.restart' },
      embedded: actions('done'),
      test: cases('a restart keeps the allocation, counts, and leaves the task running again'),
    }),
  ],
};
