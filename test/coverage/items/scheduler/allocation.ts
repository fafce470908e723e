// scheduler-api.md, "Allocation (list entry)", "Allocation (single read) adds".
import { codeIn, replied, said, testsIn, type Section } from '../../item.ts';

const wire = codeIn('api/scheduler/wire.ts');
const views = codeIn('embedded/scheduler/allocations/render.ts');
const jobs = codeIn('embedded/scheduler/allocations/render-job.ts');
const shapes = testsIn('contract/allocation-shape-cases.ts');

const read = 'allocation.read';
const list = 'allocation.list';

const stub = {
  at: [
    [list, '*'],
    [read, ''],
  ],
  embedded: views('entry'),
} as const;

export const allocation: Section = {
  title: 'Allocation, as listed and read',
  items: [
    ...replied('AllocationStub', stub, {
      ID: 'uuid',
      EvalID: 'uuid',
      Name: 'string',
      NodeID: 'uuid',
      PreviousAllocation: 'uuid',
      NextAllocation: 'uuid',
      RescheduleTracker: 'object',
    }),
    ...replied(
      'RescheduleTracker',
      {
        at: [
          [list, '*.RescheduleTracker'],
          [read, 'RescheduleTracker'],
        ],
        embedded: views('tracker'),
        below: 'RescheduleTracker.',
      },
      { Events: 'list' },
    ),
    ...replied(
      'RescheduleTracker.Events',
      {
        at: [
          [list, '*.RescheduleTracker.Events.*'],
          [read, 'RescheduleTracker.Events.*'],
        ],
        embedded: views('tracker'),
        below: 'RescheduleTracker.Events.',
      },
      { PrevAllocID: 'uuid', PrevNodeID: 'uuid', RescheduleTime: 'ns', Delay: 'digits' },
    ),
    ...replied('AllocationStub', stub, {
      JobID: 'string',
      TaskGroup: 'string',
      DesiredStatus: 'string',
      DesiredDescription: 'string',
      ClientStatus: 'string',
      ClientDescription: 'string',
      TaskStates: 'object',
      CreateIndex: 'int',
      ModifyIndex: 'int',
      CreateTime: 'ns',
      ModifyTime: 'ns',
    }),
    ...replied(
      'AllocationStub',
      { at: [[list, '*']], embedded: jobs('allocatedResources') },
      { AllocatedResources: 'object' },
    ),
  ],
};

export const allocationRead: Section = {
  title: 'Allocation, what a single read adds',
  items: [
    ...replied(
      'AllocationRead',
      { at: [[read, '']], embedded: views('allocationRead') },
      {
        Job: 'object',
        Resources: 'object',
        SharedResources: 'object',
        TaskResources: 'object',
        Metrics: 'object',
        AllocModifyIndex: 'int',
      },
    ),
    said('the job is a copy as of the placement', {
      client: wire('AllocationRead'),
      embedded: jobs('jobCopy'),
      test: shapes('the copy is as of the placement, whatever becomes of the job'),
    }),
    ...replied(
      'Metrics',
      { at: [[read, 'Metrics']], embedded: jobs('metrics'), below: 'Metrics.' },
      {
        NodesEvaluated: 'int',
        NodesFiltered: 'int',
        NodesAvailable: 'object',
        ClassFiltered: 'any',
        ConstraintFiltered: 'any',
        NodesExhausted: 'int',
        ClassExhausted: 'any',
        DimensionExhausted: 'any',
        Scores: 'object',
        AllocationTime: 'int',
        CoalescedFailures: 'int',
      },
    ),
    ...replied(
      'Resources',
      {
        at: [
          [read, 'Resources'],
          [read, 'SharedResources'],
          [read, 'TaskResources.*'],
          [read, 'Job.TaskGroups.*.Tasks.*.Resources'],
        ],
        embedded: jobs('resources'),
        below: 'Resources.',
      },
      { CPU: 'int', MemoryMB: 'int', DiskMB: 'int', Networks: 'list' },
    ),
    ...replied(
      'Network',
      {
        at: [
          [read, 'Resources.Networks.*'],
          [read, 'TaskResources.*.Networks.*'],
        ],
        embedded: jobs('network'),
        below: 'Resources.Networks.',
      },
      {
        Device: 'string',
        CIDR: 'string',
        IP: 'string',
        MBits: 'int',
        ReservedPorts: 'any',
        DynamicPorts: 'list',
      },
    ),
    ...replied(
      'Port',
      {
        at: [[read, 'Resources.Networks.*.DynamicPorts.*']],
        embedded: jobs('network'),
        below: 'Resources.Networks.DynamicPorts.',
      },
      { Label: 'string', Value: 'int' },
    ),
  ],
};
