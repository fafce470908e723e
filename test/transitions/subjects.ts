// Every kind, with what is tried of it.
import type { Subject } from './subject.ts';
import { actions, registrations, schedules, snapshots, volumes } from './subjects/scheduler.ts';
import { accounts, directories, keyStores, loginRoles, logins } from './subjects/secrets.ts';

export const subjects: readonly Subject[] = [
  volumes,
  registrations,
  snapshots,
  schedules,
  actions,
  directories,
  accounts,
  logins,
  loginRoles,
  keyStores,
];

/** Kinds of which nothing is in a service, and where what their fields do is seen. */
export const untried: Readonly<Record<string, string>> = {
  SchedulerConnection: 'in a program that goes on running: connections.test.ts',
  SecretsConnection: 'in a program that goes on running: connections.test.ts',
};
