// scheduler-api.md, "Job copy (inside an allocation)".
import { codeIn, replied, type Section } from '../../item.ts';

const jobs = codeIn('embedded/scheduler/allocations/render-job.ts');

const read = 'allocation.read';

const group = 'Job.TaskGroups.*';
const task = `${group}.Tasks.*`;

export const jobCopy: Section = {
  title: 'Job copy',
  items: [
    ...replied(
      'JobCopy',
      { at: [[read, 'Job']], embedded: jobs('jobCopy') },
      {
        Region: 'string',
        ID: 'string',
        ParentID: 'string',
        Name: 'string',
        Type: 'string',
        Priority: 'int',
        AllAtOnce: 'bool',
        Datacenters: 'list',
        Constraints: 'any',
        Affinities: 'any',
        TaskGroups: 'list',
        Update: 'object',
      },
    ),
    ...replied(
      'JobCopy.Update',
      { at: [[read, 'Job.Update']], embedded: jobs('jobCopy'), below: 'Update.' },
      {
        Stagger: 'int',
        MaxParallel: 'int',
      },
    ),
    ...replied(
      'JobCopy',
      { at: [[read, 'Job']], embedded: jobs('jobCopy') },
      {
        Periodic: 'any',
        ParameterizedJob: 'any',
        Payload: 'any',
        Spreads: 'any',
        Meta: 'any',
        SecretsStoreToken: 'string',
        Status: 'string',
        StatusDescription: 'string',
        CreateIndex: 'int',
        ModifyIndex: 'int',
        JobModifyIndex: 'int',
      },
    ),
    ...replied(
      'JobGroup',
      { at: [[read, group]], embedded: jobs('group'), below: 'TaskGroups.' },
      {
        Name: 'string',
        Count: 'int',
        Constraints: 'any',
        Affinities: 'any',
        RestartPolicy: 'object',
        Spreads: 'any',
        Tasks: 'list',
        EphemeralDisk: 'object',
        Meta: 'any',
      },
    ),
    ...replied(
      'JobGroup.RestartPolicy',
      { at: [[read, `${group}.RestartPolicy`]], embedded: jobs('group'), below: 'TaskGroups.RestartPolicy.' },
      { Attempts: 'int', Interval: 'int', Delay: 'int', Mode: 'string' },
    ),
    ...replied(
      'JobGroup.EphemeralDisk',
      { at: [[read, `${group}.EphemeralDisk`]], embedded: jobs('group'), below: 'TaskGroups.EphemeralDisk.' },
      { Sticky: 'bool', SizeMB: 'int', Migrate: 'bool' },
    ),
    ...replied(
      'JobTask',
      { at: [[read, task]], embedded: jobs('task'), below: 'TaskGroups.Tasks.' },
      {
        Name: 'string',
        Driver: 'string',
        User: 'string',
        Config: 'object',
        Env: 'any',
        Services: 'any',
        SecretsStore: 'any',
        Templates: 'any',
        Constraints: 'any',
        Affinities: 'any',
        Resources: 'any',
        Spreads: 'any',
        DispatchPayload: 'any',
        Meta: 'any',
        KillTimeout: 'int',
        LogConfig: 'object',
        Artifacts: 'any',
        Leader: 'bool',
      },
    ),
    ...replied(
      'JobTask.LogConfig',
      { at: [[read, `${task}.LogConfig`]], embedded: jobs('task'), below: 'TaskGroups.Tasks.LogConfig.' },
      { MaxFiles: 'int', MaxFileSizeMB: 'int' },
    ),
    ...replied(
      'Service',
      { at: [[read, `${task}.Services.*`]], embedded: jobs('service'), below: 'TaskGroups.Tasks.Services.' },
      { Name: 'string', PortLabel: 'string', Tags: 'list', Checks: 'list' },
    ),
    ...replied(
      'Check',
      {
        at: [[read, `${task}.Services.*.Checks.*`]],
        embedded: jobs('service'),
        below: 'TaskGroups.Tasks.Services.Checks.',
      },
      {
        Name: 'string',
        Type: 'string',
        Command: 'string',
        Args: 'any',
        Path: 'string',
        Protocol: 'string',
        PortLabel: 'string',
        Interval: 'int',
        Timeout: 'int',
        InitialStatus: 'string',
      },
    ),
  ],
};
