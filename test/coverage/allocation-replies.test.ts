// What allocations, their jobs and their tasks say, field by field, with the values that the scenario gave them.
import { beforeAll, expect, test } from 'vitest';
import { documented, proves } from './proves.ts';
import { annotations, atSecond, scheduled, type Day } from './scenario.ts';

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const ns = (seconds: number): number => atSecond(seconds) * 1e9;
const unset = { Constraints: null, Affinities: null, Spreads: null };
const ports = [{ Label: 'http', Value: 20_000 }];
const network = {
  Device: 'lo',
  CIDR: '127.0.0.1/32',
  IP: '127.0.0.1',
  MBits: 0,
  ReservedPorts: null,
  DynamicPorts: ports,
};

let day: Day;
beforeAll(async () => {
  day = await scheduled();
});

test('an allocation that was stopped names its replacement, and that one what it replaces', () => {
  const { old, replacement } = day;
  const [nodeA, nodeB] = [old?.NodeID, replacement?.NodeID];
  expect(nodeA).not.toBe(nodeB);
  const same = { Name: 'web.g[0]', JobID: 'web', TaskGroup: 'g' };
  expect(documented('fields of an allocation', old)).toEqual({
    ...same,
    ID: uuid,
    EvalID: uuid,
    NodeID: nodeA,
    PreviousAllocation: '',
    NextAllocation: replacement?.ID,
    RescheduleTracker: null,
    DesiredStatus: 'stop',
    DesiredDescription: 'alloc is being migrated',
    ClientStatus: 'running',
    ClientDescription: 'Tasks are running',
    CreateIndex: 20,
    ModifyIndex: 24,
    CreateTime: ns(3),
    ModifyTime: ns(5),
  });
  expect(documented('fields of an allocation', replacement)).toEqual({
    ...same,
    ID: uuid,
    EvalID: day.stopped?.EvalID,
    NodeID: nodeB,
    PreviousAllocation: old?.ID,
    NextAllocation: '',
    RescheduleTracker: { Events: [expect.anything()] },
    DesiredStatus: 'run',
    DesiredDescription: '',
    ClientStatus: 'pending',
    ClientDescription: 'No tasks have started',
    CreateIndex: 24,
    ModifyIndex: 24,
    CreateTime: ns(5),
    ModifyTime: ns(5),
  });
  expect(documented('fields of a reschedule', replacement?.RescheduleTracker?.Events?.[0])).toEqual({
    PrevAllocID: old?.ID,
    PrevNodeID: nodeA,
    RescheduleTime: ns(5),
    Delay: '0',
  });
});

test('a list has the same as a read, and resources where they are asked for', () => {
  const listed = day.allocations?.find(({ ID }) => ID === day.old?.ID);
  expect(documented('fields of an allocation', listed)).toEqual(
    documented('fields of an allocation', day.old),
  );
  const held = documented("fields of a list's allocated resources", listed?.AllocatedResources);
  expect(held).toMatchObject({
    Tasks: { server: { Cpu: { CpuShares: 100 }, Memory: { MemoryMB: 64 }, Networks: [network] } },
    Shared: { DiskMB: 300 },
  });
});

test('stopping tells the evaluation, by an index later than what was there', () => {
  const stopped = documented("fields of a stop's reply", day.stopped);
  expect(stopped).toEqual({ EvalID: uuid, Index: 23 });
  expect(day.running?.ModifyIndex).toBeLessThan(23);
});

test('resources of an allocation are those of its tasks, and what they share', () => {
  const { running } = day;
  const ofTask = { CPU: 100, MemoryMB: 64, DiskMB: 0, Networks: [network] };
  const shared = { CPU: 0, MemoryMB: 0, DiskMB: 300, Networks: [] };
  expect(documented('fields that a single read adds', running)).toEqual({
    Resources: { ...ofTask, DiskMB: 300 },
    SharedResources: shared,
    TaskResources: { server: ofTask },
    AllocModifyIndex: running?.CreateIndex,
  });
  expect(documented('fields of resources', running?.TaskResources?.['server'])).toEqual(ofTask);
  expect(documented('fields of resources', running?.SharedResources)).toEqual(shared);
  expect(documented('fields of a network', running?.Resources?.Networks?.[0])).toEqual(network);
});

test('metrics tell among how many nodes of which datacenter it was placed', () => {
  const { running } = day;
  expect(documented('fields of metrics', running?.Metrics)).toEqual({
    NodesEvaluated: 2,
    NodesFiltered: 0,
    NodesAvailable: { dc1: 2 },
    ClassFiltered: null,
    ConstraintFiltered: null,
    NodesExhausted: 0,
    ClassExhausted: null,
    DimensionExhausted: null,
    Scores: { [`${running?.NodeID}.binpack`]: 0.5 },
    AllocationTime: 50_000,
    CoalescedFailures: 0,
  });
});

test('the copy of a job says what was declared of it', () => {
  expect(documented('fields of a job', day.running?.Job)).toEqual({
    ...unset,
    Region: 'global',
    ID: 'web',
    ParentID: 'up',
    Name: 'web',
    Type: 'service',
    Priority: 70,
    AllAtOnce: false,
    Datacenters: ['dc1', 'dc2'],
    Update: { Stagger: 0, MaxParallel: 0 },
    Periodic: null,
    ParameterizedJob: null,
    Payload: Buffer.from('p').toString('base64'),
    Meta: { team: 'a' },
    SecretsStoreToken: 's',
    Status: 'pending',
    StatusDescription: '',
    CreateIndex: 19,
    ModifyIndex: 19,
    JobModifyIndex: 19,
  });
});

test('the copy of a job says what was declared of its group and task', () => {
  const [group] = day.running?.Job?.TaskGroups ?? [];
  const [task] = group?.Tasks ?? [];
  expect(documented('fields of a task group', group)).toEqual({
    ...unset,
    Name: 'g',
    Count: 1,
    RestartPolicy: { Attempts: 2, Interval: 1_800e9, Delay: 15e9, Mode: 'fail' },
    EphemeralDisk: { Sticky: false, SizeMB: 300, Migrate: false },
    Meta: null,
  });
  expect(documented('fields of a task', task)).toEqual({
    ...unset,
    Name: 'server',
    Driver: 'raw_exec',
    User: 'app',
    Config: { image: 'x' },
    Env: { A: 'b' },
    SecretsStore: { Role: 'r' },
    Templates: null,
    Resources: day.running?.TaskResources?.['server'],
    DispatchPayload: null,
    Meta: { b: 'c' },
    KillTimeout: 5e9,
    LogConfig: { MaxFiles: 10, MaxFileSizeMB: 10 },
    Artifacts: null,
    Leader: true,
  });
});

test('a task has a service for each of its ports, and a check of that', () => {
  const service = day.running?.Job?.TaskGroups?.[0]?.Tasks?.[0]?.Services?.[0];
  expect(documented('fields of a service', service)).toEqual({
    Name: 'web-g-http',
    PortLabel: 'http',
    Tags: [],
  });
  expect(documented('fields of a check', service?.Checks?.[0])).toEqual({
    Name: 'alive',
    Type: 'tcp',
    Command: '',
    Args: null,
    Path: '',
    Protocol: '',
    PortLabel: '',
    Interval: 10e9,
    Timeout: 2e9,
    InitialStatus: '',
  });
});

test('a task tells since when it runs, and what happened to it', () => {
  proves('a task is `pending` until it runs, also again');
  const never = '0001-01-01T00:00:00Z';
  const begun = { FinishedAt: never, LastRestart: never, Restarts: 0, Failed: false };
  const [task, next] = [day.running?.TaskStates?.['server'], day.replacement?.TaskStates?.['server']];
  expect(documented('fields of a task state', task)).toEqual({
    ...begun,
    State: 'running',
    StartedAt: '2026-11-20T00:00:03.000Z',
  });
  expect(documented('fields of a task state', next)).toEqual({
    ...begun,
    State: 'pending',
    StartedAt: never,
  });
  const [received, , last] = task?.Events ?? [];
  expect(documented('fields of a task event', last)).toEqual({
    ...annotations,
    Type: 'Terminated',
    Time: ns(4),
  });
  expect(received).toMatchObject({ Type: 'Received', Time: ns(3), FailsTask: false, ExitCode: 0 });
});
