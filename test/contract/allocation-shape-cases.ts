// What allocations say of themselves: whoever reads them by the documents finds every field under the
// dialect's name, and in it what was said.
import { describe, expect, test } from 'vitest';
import type { AllocationStub } from '../../src/api/scheduler/wire.ts';
import { namesIn, proves } from '../coverage/proves.ts';
import { Allocations } from './allocations.ts';
import type { Bench } from './bench.ts';
import type { Answer } from './client.ts';

const text = expect.any(String);
const count = expect.any(Number);
const said = ({ status, text: body }: Answer) => [status, body];

const network = { Device: 'lo', CIDR: '127.0.0.1/32', IP: '127.0.0.1', MBits: 0, ReservedPorts: null };
export function allocationShapeCases(bench: Bench): void {
  const { target, dialect } = bench;
  const of = new Allocations(bench);
  const named = (neutral: keyof typeof renamed): string => dialect.fields[neutral] ?? neutral;
  const renamed = { SecretsStoreToken: 0, SecretsStore: 0, SecretsStoreError: 0 };

  const ids = async (query: string): Promise<readonly string[]> =>
    (await bench.client.get(`/v1/allocations?${query}`)).json().map((one: AllocationStub) => one.ID);
  const describedJob = async (): Promise<string> => {
    const jobID = bench.fresh('job');
    const job = {
      id: jobID,
      priority: 70,
      meta: { FSType: 'm' },
      payload: 'pay',
      secretsStoreToken: 'tok',
    };
    await bench.client.post('/setup/jobs', job);
    return jobID;
  };

  const never = target.dialectName === 'nomad' ? null : '0001-01-01T00:00:00Z';

  describe.skipIf(target.job === undefined)('allocations of a job', () => {
    test('an entry has all that lists are read for, task states and resources as they are asked for', async () => {
      proves('allocation times are Unix nanoseconds; task times are RFC 3339, or the zero time');
      proves('`resources` adds `AllocatedResources`; `task_states=false` leaves `TaskStates` out');
      proves('a task that runs is `running`');
      const { id, task } = await of.running();
      const entry = async (query: string): Promise<AllocationStub> =>
        (await bench.client.get(`/v1/allocations?prefix=${id.slice(0, 8)}${query}`)).json()[0];
      const whole = await entry('');
      expect(whole).toMatchObject({
        ID: id,
        EvalID: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        Name: expect.stringMatching(new RegExp(String.raw`^${target.job}\.${whole.TaskGroup}\[\d+\]$`)),
        JobID: target.job,
        DesiredStatus: 'run',
        ClientStatus: 'running',
        ClientDescription: 'Tasks are running',
      });
      const nodes: readonly { ID: string }[] = (await bench.client.get('/v1/nodes')).json();
      expect(nodes.map(({ ID }) => ID)).toContain(whole.NodeID);
      const { CreateIndex = NaN, ModifyIndex = NaN, CreateTime = NaN, ModifyTime = NaN } = whole;
      expect(ModifyIndex).toBeGreaterThanOrEqual(CreateIndex);
      expect(ModifyTime).toBeGreaterThanOrEqual(CreateTime);
      expect(CreateTime).toBeGreaterThan(1e18); // nanoseconds
      expect(whole.TaskStates?.[task]).toMatchObject({
        State: 'running',
        Failed: false,
        FinishedAt: never,
      });
      expect(whole.TaskStates?.[task]?.Events?.map(({ Type }) => Type)).toContain('Started');
      expect(whole.AllocatedResources ?? null).toBeNull();
      const lean = await entry('&task_states=false&resources=true');
      expect(lean.TaskStates).toBeNull();
      expect(lean.AllocatedResources).toMatchObject({ Tasks: { [task]: expect.any(Object) } });
    });

    test('a single read adds the job as it was, resources and metrics', async () => {
      proves('`GET /v1/allocation/{id}` reads one by its whole UUID');
      const { id, task } = await of.running();
      const one = await of.read(id);
      const jobs: readonly { ID: string; Name: string; Type: string; Priority: number }[] = (
        await bench.client.get('/v1/jobs')
      ).json();
      const listed = jobs.find(({ ID }) => ID === target.job);
      expect(one).toMatchObject({
        Metrics: { NodesEvaluated: count, NodesAvailable: expect.any(Object), AllocationTime: count },
        Job: {
          ID: target.job,
          Name: listed?.Name,
          Type: listed?.Type,
          Priority: listed?.Priority,
          Region: text,
          ParentID: '',
          AllAtOnce: false,
          Datacenters: expect.any(Array),
          Update: { Stagger: count, MaxParallel: count },
          Status: text,
          StatusDescription: text,
        },
      });
      expect(one.AllocModifyIndex).toBeLessThanOrEqual(one.ModifyIndex ?? NaN);
      expect(one.Job?.CreateIndex).toBeLessThanOrEqual(one.Job?.JobModifyIndex ?? NaN);
      expect(one.Job?.JobModifyIndex).toBeLessThanOrEqual(one.Job?.ModifyIndex ?? NaN);
      const { CPU, MemoryMB } = one.TaskResources?.[task] ?? {};
      expect(one.Resources).toMatchObject({ CPU, MemoryMB }); // the job has one task

      const [group] = one.Job?.TaskGroups ?? [];
      expect(group).toMatchObject({
        Name: one.TaskGroup,
        Count: count,
        RestartPolicy: { Attempts: count, Interval: count, Delay: count, Mode: text },
        EphemeralDisk: { Sticky: expect.any(Boolean), SizeMB: count, Migrate: expect.any(Boolean) },
      });
      const found = group?.Tasks?.find(({ Name }) => Name === task);
      expect(found).toMatchObject({
        Driver: text,
        User: text,
        Resources: { CPU, MemoryMB },
        KillTimeout: count,
        LogConfig: { MaxFiles: count, MaxFileSizeMB: count },
        Leader: expect.any(Boolean),
      });
      expect(found).toHaveProperty(named('SecretsStore'));
    });

    test('an event carries every annotation, set or not', async () => {
      const { id, task } = await of.running();
      const started = (await of.taskOf(id, task)).Events?.find(({ Type }) => Type === 'Started');
      const createdNs = (await of.read(id)).CreateTime ?? NaN;
      expect(started?.Time).toBeGreaterThan(createdNs - 60e9);
      expect(started).toMatchObject({
        FailsTask: false,
        RestartReason: '',
        ExitCode: 0,
        KillTimeout: 0,
        [named('SecretsStoreError')]: '',
        DriverMessage: '',
        DisplayMessage: 'Task started by client',
      });
    });

    test.each(['resources', 'task_states'])('%s has to be a flag', async (name) => {
      proves('`resources` adds `AllocatedResources`; `task_states=false` leaves `TaskStates` out');
      const answer = await bench.client.get(`/v1/allocations?${name}=maybe`);
      expect(said(answer)).toEqual([
        bench.malformed,
        expect.stringContaining(`Failed to parse value of "${name}" (maybe)`),
      ]);
    });

    test('a list of another namespace, or of all', async () => {
      proves('`prefix` selects allocations by digits of their IDs');
      proves('`namespace=*` lists the allocations of all namespaces that may be read');
      const { id } = await of.running();
      expect(await ids('namespace=*')).toContain(id);
      expect(await ids(`prefix=${id.replaceAll('-', '')}`)).toEqual([id]);
    });
  });

  describe.runIf(target.embedded)('allocations that were described', () => {
    test('the job copy says what was said of job and tasks, under the names of the dialect', async () => {
      proves('field names are exact and case-sensitive');
      proves('durations in the job copy are nanoseconds');
      const jobID = await describedJob();
      const tasks = [
        {
          name: 'Vault',
          driver: 'raw_exec',
          user: 'app',
          leader: true,
          env: { VaultToken: 'e' },
          config: { image: 'x' },
          secretsStore: { Role: 'r' },
          ports: ['http'],
        },
      ];
      const one = (await bench.client.get(`/v1/allocation/${await of.place({ jobID, tasks })}`)).json();
      expect(one.Job).toMatchObject({
        ID: jobID,
        Priority: 70,
        Meta: { FSType: 'm' },
        Payload: Buffer.from('pay').toString('base64'),
        [named('SecretsStoreToken')]: 'tok',
      });
      const listed = (await bench.client.get('/v1/jobs')).json();
      expect(listed).toContainEqual(expect.objectContaining({ ID: jobID, Name: jobID, Priority: 70 }));
      const [task] = one.Job.TaskGroups[0].Tasks;
      expect(task).toMatchObject({
        Name: 'Vault',
        Driver: 'raw_exec',
        User: 'app',
        Leader: true,
        Env: { VaultToken: 'e' },
        Config: { image: 'x' },
        [named('SecretsStore')]: { Role: 'r' },
        Services: [
          {
            Name: `${jobID}-main-http`,
            PortLabel: 'http',
            Tags: [],
            Checks: [{ Type: 'tcp', Interval: 10e9 }],
          },
        ],
      });
      const Networks = [{ ...network, DynamicPorts: [{ Label: 'http', Value: 20_000 }] }];
      expect(task.Resources).toMatchObject({ Networks });
      expect(one.TaskResources['Vault']).toMatchObject({ Networks });
    });

    test('the copy is as of the placement, whatever becomes of the job', async () => {
      proves('the job of an allocation is a copy as of the placement');
      const jobID = await describedJob();
      const id = await of.place({ jobID });
      await bench.client.post('/setup/jobs', { id: jobID, priority: 10, status: 'dead' });
      expect((await of.read(id)).Job).toMatchObject({ Priority: 70, Status: 'running' });
    });

    test.each([
      ...namesIn('types of task events that happen by themselves'),
      ...namesIn('types of task events that are set up'),
    ])('an event %s can be made to happen', async (type) => {
      proves('types of task events that are set up');
      const id = await of.place();
      const annotations = { driverMessage: 'd', secretsStoreError: 'v', exitCode: 3, failsTask: true };
      const events = [{ type, message: 'm', ...annotations }];
      const put = { tasks: [{ name: 'agent', events }], clientDescription: 'c', desiredDescription: 'd' };
      expect((await bench.client.put(`/setup/allocations/${id}`, put)).status).toBe(200);
      expect((await of.taskOf(id, 'agent')).Events?.at(-1)).toMatchObject({
        Type: type,
        Message: 'm',
        DriverMessage: 'd',
        ExitCode: 3,
        FailsTask: true,
        [named('SecretsStoreError')]: 'v',
        DisplayMessage: expect.stringMatching(/./),
        Details: { exit_code: '3', driver_message: 'd', fails_task: 'true' },
      });
      expect(await of.eventsOf(id, 'server')).toEqual(['Received', 'Started']);
      expect(await of.read(id)).toMatchObject({ ClientDescription: 'c', DesiredDescription: 'd' });
    });

    test('an event of no known type is none', async () => {
      const put = { tasks: [{ name: 'agent', events: [{ type: 'Exploded' }] }] };
      const answer = await bench.client.put(`/setup/allocations/${await of.place()}`, put);
      expect(said(answer)).toEqual([400, expect.stringContaining('expected one of Setup Failure, ')]);
    });

    test('what nobody asked for cannot be filtered by: a filter would tell it bit by bit', async () => {
      await of.place({ jobID: await describedJob() });
      for (const field of ['Job.Payload', 'Job.SecretsStoreToken']) {
        const filter = encodeURIComponent(`${field} == "x"`);
        expect((await bench.client.get(`/v1/allocations?filter=${filter}`)).status).toBe(400);
      }
    });
  });
}
