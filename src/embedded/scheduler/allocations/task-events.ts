// Task events: types, messages, and how the API shows them (services.md#tasks-and-their-events).
import type { SchedulerDialect } from '../../../api/dialects.ts';
import type { TaskEvent } from '../../../api/scheduler/wire.ts';

/** The default message of each type. */
const sayings = {
  'Setup Failure': 'Task setup failed',
  'Driver Failure': 'Failed to start task',
  Started: 'Task started by client',
  Terminated: 'Exit Code: 0',
  Killing: 'Sent interrupt',
  Killed: 'Task successfully killed',
  Received: 'Task received by client',
  'Failed Validation': 'Validation of task failed',
  Restarting: 'Task restarting in 0s',
  'Not Restarting': 'Task exceeded restart policy',
  'Downloading Artifacts': 'Client is downloading artifacts',
  'Failed Artifact Download': 'Failed to download artifacts',
  'Restart Signaled': 'Task signaled to restart',
  Signaling: 'Task being sent a signal',
  'Sibling Task Failed': "Task's sibling failed",
  'Leader Task Dead': 'Leader Task in Group dead',
  Driver: '',
  'Task Setup': '',
  'Building Task Directory': '',
} as const;

export type TaskEventType = keyof typeof sayings;

/** The types in the documented order. */
export const taskEventTypes = Object.keys(sayings).filter((name): name is TaskEventType => name in sayings);

/** The annotations of an event with their defaults: the flat fields of the documented API. */
const nothing = {
  FailsTask: false,
  RestartReason: '',
  SetupError: '',
  DriverError: '',
  ExitCode: 0,
  Signal: 0,
  Message: '',
  KillTimeout: 0,
  KillError: '',
  KillReason: '',
  StartDelay: 0,
  DownloadError: '',
  ValidationError: '',
  DiskLimit: 0,
  FailedSibling: '',
  SecretsStoreError: '',
  TaskSignalReason: '',
  TaskSignal: '',
  DriverMessage: '',
};
type Annotation = keyof typeof nothing;
export type Annotations = Partial<typeof nothing>;
export const annotationNames = Object.keys(nothing).filter((name): name is Annotation => name in nothing);
export const isCount = (name: Annotation): boolean => typeof nothing[name] === 'number';

/** Type → the annotation that replaces its default message. */
const messageAnnotations: Readonly<Partial<Record<TaskEventType, Annotation>>> = {
  'Setup Failure': 'SetupError',
  'Driver Failure': 'DriverError',
  Killing: 'KillReason',
  Killed: 'KillError',
  'Failed Validation': 'ValidationError',
  'Not Restarting': 'RestartReason',
  'Failed Artifact Download': 'DownloadError',
  'Restart Signaled': 'RestartReason',
  Signaling: 'TaskSignalReason',
  Driver: 'DriverMessage',
};

/**
 * @param Time Unix nanoseconds
 * @param details added to the details that are made from the annotations
 */
export const event = (
  Type: TaskEventType,
  Time: number,
  annotations: Annotations = {},
  details: Readonly<Record<string, string>> = {},
): TaskEvent => ({
  Type,
  Time,
  ...annotations,
  DisplayMessage: said(Type, annotations),
  Details: { ...detailsOf(annotations), ...details },
});

function said(type: TaskEventType, annotations: Annotations): string {
  const { ExitCode = 0, FailedSibling = '', KillTimeout = 0, Message = '' } = annotations;
  if (type === 'Terminated') return `Exit Code: ${ExitCode}${Message && `, Exit Message: "${Message}"`}`;
  if (type === 'Sibling Task Failed' && FailedSibling !== '')
    return `Task's sibling "${FailedSibling}" failed`;
  const name = messageAnnotations[type];
  if (type === 'Killing' && KillTimeout !== 0 && annotations.KillReason === undefined) {
    return `Sent interrupt. Waiting ${KillTimeout / 1e9}s before force killing`;
  }
  return String((name && annotations[name]) || sayings[type] || Message);
}

/** `DriverError` becomes `driver_error`. */
const detailsOf = (annotations: Annotations): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [
      name === 'SecretsStoreError' ? 'vault_renewal_error' : snakeCase(name),
      String(value),
    ]),
  );

const snakeCase = (name: string): string =>
  name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

export function eventView({ fields }: SchedulerDialect, one: TaskEvent): object {
  const { SecretsStoreError, ...rest } = { ...nothing, ...one };
  return { ...rest, [fields['SecretsStoreError'] ?? 'SecretsStoreError']: SecretsStoreError };
}
