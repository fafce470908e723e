// LDAPStaticRole: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { duration, envelope, line, mapOf, roleName, secretKeyRef, text } from '../../schema/parts.ts';
import { templateExpected, templatePattern } from './template.ts';

const {
  connectionRef: objectRef, // the connection comes with the config
  externalName: _name,
  deletionPolicy: _deletion,
  replacePolicy: _replace, // no field needs a replacement
  ...common
} = envelope(['Retain', 'Delete'], '10m, or 50s with `output`');

/** The keys that Kubernetes allows, because keys become file names. */
const entryName = {
  pattern: /^\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/,
  expected: 'a key of letters, digits, -, _ and .',
};

const output = z
  .strictObject({
    secretName: secretKeyRef().shape.name.describe(
      'Name of the Secret that is written, in the own namespace. Given another name, or moved to another namespace, the role leaves the former Secret behind, for those who still read it; its password works until the next rotation.',
    ),
    data: mapOf(
      text(templatePattern, 4096, templateExpected).describe(
        'Text with {{ password }}, {{ last_password }}, {{ username }}, {{ dn }} and {{ last_rotation }} filled in.',
      ),
      { entries: 32, key: 253, form: entryName },
    )
      .describe('Entries of the Secret. Default: password, username and dn.')
      .exactOptional(),
  })
  .describe('Where the credential is published. Taken out, the Secret stays as it was written last.');

const job = z
  .strictObject({
    connectionRef: objectRef.describe(
      'The scheduler. Its access rules must allow the action for the ID of the job.',
    ),
    id: line(256).describe('ID of the job.'),
    namespace: text(/^[-._A-Za-z0-9]+$/, 128, 'a name of letters, digits, -, _ and .')
      .describe(
        "The scheduler's namespace. Default: that of the connection. In another one, only those of its access rules count that name no external names.",
      )
      .exactOptional(),
    group: line(256).describe('Only allocations of this group. Default: all.').exactOptional(),
    task: line(256).describe('Only this task. Default: all of an allocation.').exactOptional(),
    action: z.enum(['Signal', 'Restart']).describe('What is done to each running allocation.'),
    signal: text(/^SIG[A-Z0-9]+([+-][0-9]+)?$/, 16, 'the name of a signal, such as SIGHUP')
      .describe('Default: SIGHUP.')
      .exactOptional(),
    maxParallel: z
      .int()
      .min(1)
      .max(32)
      .describe('How many allocations may be restarting at once. Default: 1.')
      .exactOptional(),
  })
  .describe('A job of a scheduler.');

const workload = z
  .strictObject({
    kind: z.enum(['Deployment', 'StatefulSet', 'DaemonSet']).describe('What sort of workload.'),
    name: secretKeyRef().shape.name.describe('Its name, in the own namespace.'),
  })
  .describe(
    'A workload of Kubernetes, to be restarted; it is told once that is asked for, whether or not its pods are new by then. Works where declarations come from Kubernetes.',
  );

const consumer = z
  .strictObject({ workload: workload.exactOptional(), job: job.exactOptional() })
  .describe('Who has to be told of a new password: a workload or a job.');

const spec = z
  .strictObject({
    configRef: objectRef.describe(
      'The LDAPConfig that knows the directory; it brings connection and mount. Never changes.',
    ),
    externalName: roleName
      .describe("Name of the role, lower case. Default: the object's own name. Never changes.")
      .exactOptional(),
    ...common,
    deletionPolicy: z
      .enum(['Retain', 'Delete'])
      .describe(
        'When this object is deleted: Retain: the role stays as it is; Delete: it goes. The directory keeps the last password, and nobody knows it any more. Default: Retain.',
      )
      .exactOptional(),
    username: line(256).describe('Login name of the account. Never changes.'),
    dn: line(1024)
      .describe('DN of its entry. Default: the service looks for the username. Never changes.')
      .exactOptional(),
    rotationPeriod: duration().describe('How often the service rotates the password; at least 5s.'),
    onCreate: z
      .enum(['Rotate', 'Keep'])
      .describe(
        'Rotate: creating the role changes the password at once. Keep: the first rotation does, and until then nothing can be published. OpenBao makes the first one early, when it restarts or when the role is changed.',
      ),
    verify: z
      .strictObject({
        bind: z
          .boolean()
          .describe(
            "Bind with each new password before it is published, at hosts that the connection's probeHosts allow. Default: false.",
          ),
      })
      .describe('How a rotation is checked.')
      .exactOptional(),
    output: output.exactOptional(),
    consumers: z
      .array(consumer)
      .max(32)
      .describe('Told in this order of each new password, once it is published. The first tells nobody.')
      .exactOptional(),
  })
  .describe('A directory account whose password the secrets service rotates.');

export type Spec = z.infer<typeof spec>;

export const fields = {
  '/configRef': { change: 'identity' },
  '/externalName': { change: 'identity' },
  '/username': { change: 'identity' },
  '/dn': { change: 'identity', compare: 'dn' },
  '/rotationPeriod': { change: 'in-place' },
  '/onCreate': { change: 'creation' },
} as const satisfies FieldTable;

/** Usernames by which Vault and OpenBao find other entries, too: they put them into their filter as they are. */
export const findsOthers = /[*]|\\[0-9a-fA-F][0-9a-fA-F]/;

/** The expression as CEL writes it. */
const inCEL = (expression: RegExp): string => `'${expression.source.replaceAll('\\', '\\\\')}'`;

export const declaration = {
  kind: 'LDAPStaticRole',
  plural: 'ldapstaticroles',
  shortNames: ['ldaprole'],
  scope: 'Namespaced',
  description:
    'An account of an LDAP directory: the secrets service rotates its password, Holdfast publishes it and tells those who use it.',
  spec,
  fields,
  references: [
    { field: '/configRef', to: 'object', kind: 'LDAPConfig', scope: 'Namespaced', holds: true },
    {
      field: '/consumers/*/job/connectionRef',
      to: 'object',
      kind: 'SchedulerConnection',
      scope: 'Cluster',
      holds: false,
    },
  ],
  rules: [
    {
      rule: "!self.rotationPeriod.matches('^[1-4]s$')",
      message: 'must be 5s or more',
      fieldPath: '.rotationPeriod',
    },
    {
      rule: `has(self.dn) || !self.username.matches(${inCEL(findsOthers)})`,
      message: 'the service would find others by * and by \\ with two hex digits: declare dn, too',
      fieldPath: '.username',
    },
    {
      rule: '!has(self.consumers) || self.consumers.all(c, has(c.workload) != has(c.job))',
      message: 'each needs exactly one of workload and job',
      fieldPath: '.consumers',
    },
    {
      rule: "!has(self.consumers) || self.consumers.all(c, !has(c.job) || !has(c.job.signal) || c.job.action == 'Signal')",
      message: 'signal goes with action: Signal',
      fieldPath: '.consumers',
    },
    {
      rule: '!has(self.consumers) || self.consumers.size() == 0 || has(self.output)',
      message: 'consumers have nothing to read without an output',
      fieldPath: '.consumers',
    },
  ],
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.status.externalRef.role' },
    { name: 'Username', type: 'string', jsonPath: '.spec.username' },
    { name: 'Last-Rotation', type: 'string', jsonPath: '.status.observed.lastRotation' },
    { name: 'Config', type: 'string', jsonPath: '.spec.configRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
