// The sections of docs/coverage.md, in the order of the documents.
import type { Section } from '../item.ts';
import { allocation, allocationRead } from './scheduler/allocation.ts';
import { acting, list, one } from './scheduler/allocation-endpoints.ts';
import { beyond } from './scheduler/beyond.ts';
import { common, service } from './scheduler/conventions.ts';
import { exec } from './scheduler/exec.ts';
import { frame, nodePayload } from './scheduler/event-fields.ts';
import { eventStream, eventTypes } from './scheduler/events.ts';
import { formats } from './scheduler/formats.ts';
import { jobCopy } from './scheduler/job-copy.ts';
import { authentication, codes, errors, limits } from './scheduler/rules.ts';
import { snapshotEndpoints } from './scheduler/snapshot-endpoints.ts';
import { externalVolume, snapshot, volume, volumeRead } from './scheduler/storage.ts';
import { taskEvent, taskStates } from './scheduler/tasks.ts';
import { listExternal, listVolumes, readVolume } from './scheduler/volume-reads.ts';
import { createVolume, registerVolume, removing } from './scheduler/volume-writes.ts';
import { ldapConfig, staticRoles } from './secrets/directory.ts';
import { ldapRules } from './secrets/directory-rules.ts';
import { loginRules, oidcConfig, oidcRole } from './secrets/logins.ts';
import { beyondSecrets, everywhere, keyManagement } from './secrets/rest.ts';

export interface Documented {
  readonly title: string;
  readonly sections: readonly Section[];
}

const scheduler = [
  service,
  formats,
  allocation,
  allocationRead,
  jobCopy,
  taskStates,
  taskEvent,
  volume,
  volumeRead,
  externalVolume,
  snapshot,
  frame,
  nodePayload,
  common,
  list,
  one,
  acting,
  exec,
  eventStream,
  listVolumes,
  readVolume,
  registerVolume,
  createVolume,
  removing,
  listExternal,
  snapshotEndpoints,
  authentication,
  eventTypes,
  codes,
  errors,
  limits,
  beyond,
];

const secrets = [
  oidcConfig,
  oidcRole,
  ldapConfig,
  staticRoles,
  ldapRules,
  keyManagement,
  loginRules,
  everywhere,
  beyondSecrets,
];

export const documents: readonly Documented[] = [
  { title: 'Scheduler', sections: scheduler },
  { title: 'Secrets service', sections: secrets },
];
