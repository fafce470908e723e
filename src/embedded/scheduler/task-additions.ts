// What people and tests say of the tasks of an allocation, when it is placed and later.
import { Fields } from '../decode.ts';
import { Refusal } from '../http.ts';
import { drivers, type AllocationRow, type TaskSpec, type TaskStates } from './model.ts';
import { annotationNames, event, isCount, taskEventTypes, type Annotations } from './task-events.ts';
import { after } from './tasks.ts';

/** Default: one task, `main`. @throws Refusal 400 */
export function tasksIn(f: Fields): readonly TaskSpec[] {
  const tasks = f.list('Tasks', (one, at) => taskIn(new Fields(one, at), () => fresh));
  const names = new Set(tasks.map(({ Name }) => Name));
  if (names.size < tasks.length) throw new Refusal(400, `${f.place('Tasks')}: two tasks have the same name`);
  return tasks.length > 0 ? tasks : [{ Name: 'main', ...fresh }];
}

type TaskDetails = Omit<TaskSpec, 'Name'>;

/** A real one takes longer than nothing, and tests have no time. */
const fresh: TaskDetails = {
  Driver: 'exec',
  RestartMs: 100,
  RestartFails: false,
  Ends: false,
  StopMs: 100,
  User: '',
  Leader: false,
  Config: {},
  Env: {},
  Meta: {},
  SecretsStore: null,
  Ports: [],
};

/** @param before what holds where nothing is said. */
function taskIn(f: Fields, before: (name: string, at: string) => TaskDetails): TaskSpec {
  const Name = f.text('Name');
  const old = before(Name, f.place('Name'));
  const map = (name: 'Config' | 'Env' | 'Meta' | 'SecretsStore') =>
    f.has(name) ? f.textMap(name) : old[name];
  const task = {
    Name,
    Driver: f.oneOf('Driver', drivers, old.Driver),
    RestartMs: f.count('RestartMs', old.RestartMs),
    RestartFails: f.flag('RestartFails', old.RestartFails),
    Ends: f.flag('Ends', old.Ends),
    StopMs: f.count('StopMs', old.StopMs),
    User: f.text('User', old.User),
    Leader: f.flag('Leader', old.Leader),
    Config: map('Config') ?? {},
    Env: map('Env') ?? {},
    Meta: map('Meta') ?? {},
    SecretsStore: map('SecretsStore'),
    Ports: f.has('Ports') ? f.texts('Ports') : old.Ports,
  };
  f.done();
  return task;
}

/** How an allocation's tasks are from now on, and what happened to them that nothing here does by itself. */
export interface TasksChanged {
  readonly specs: readonly TaskSpec[];
  readonly told: (states: TaskStates) => TaskStates;
}

/** @throws Refusal 400 also for a task that the allocation does not have. */
export function tasksChanged(f: Fields, old: AllocationRow, now: number): TasksChanged {
  const known = (name: string, place: string): TaskSpec => {
    const found = old.Tasks.find(({ Name }) => Name === name);
    if (!found) throw new Refusal(400, `${place}: allocation ${old.ID} has no task ${name}`);
    return found;
  };
  const changes = f.list('Tasks', (one, at) => {
    const task = new Fields(one, at);
    const Events = task.list('Events', (value, place) => eventIn(new Fields(value, place), now));
    return { spec: taskIn(task, known), Events };
  });
  return {
    specs: old.Tasks.map((task) => changes.findLast(({ spec }) => spec.Name === task.Name)?.spec ?? task),
    told: (states) =>
      Object.fromEntries(
        Object.entries(states).map(([name, task]) => [
          name,
          after(task, ...changes.flatMap(({ spec, Events }) => (spec.Name === name ? Events : []))),
        ]),
      ),
  };
}

function eventIn(f: Fields, now: number) {
  const given = f.text('Type');
  const type = taskEventTypes.find((one) => one === given);
  if (!type) throw new Refusal(400, `${f.place('Type')}: expected one of ${taskEventTypes.join(', ')}`);
  const annotations: Annotations = Object.fromEntries(
    annotationNames.flatMap((name) => {
      if (!f.has(name)) return [];
      const value = name === 'FailsTask' ? f.flag(name, false) : isCount(name) ? f.count(name) : f.text(name);
      return [[name, value]];
    }),
  );
  f.done();
  return event(type, now, annotations);
}
