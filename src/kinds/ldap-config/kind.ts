// LDAPConfig: how it is located, observed, recorded and reported.
import * as z from 'zod';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import { mustBeOfType } from '../../core/kind/mount-type.ts';
import type { FieldChange, Status } from '../../core/status/status.ts';
import type { Json } from '../../core/secret.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf, toMs } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { accountsOf, placesIn } from './accounts.ts';
import { have, usualAttribute, type Live } from './body.ts';
import { certificateRead, shownCertificate } from './certificate.ts';
import { astrayIn } from './destination.ts';
import { discovery } from './discovery.ts';
import { plan } from './plan.ts';
import { asked, condition, isOwned, restoredText, rootOf, rotationOf, type Own } from './root.ts';
import { declaration, type Spec } from './schema.ts';
import { isWhole } from './shape.ts';
import { useless } from './useless.ts';

const ownShape = z.object({
  root: z.enum(['declared', 'service', 'unknown']),
  rotation: z.string(),
  certificate: z.string().exactOptional(),
  certificateBefore: z.string().exactOptional(),
});

/** Another engine would keep the bind password readable. */
const mustBeLDAP = (read: Reader, mount: string, signal: AbortSignal): Promise<void> =>
  mustBeOfType(
    { op: 'mount.read', at: mount, types: ['ldap', 'openldap'], what: 'LDAP engine' },
    read.read('mount.read', { mount }, signal),
  );

const textMax = 2_048;
const listMax = 16;

function bounded(value: Json): Json {
  if (typeof value === 'string') return value.slice(0, textMax);
  return Array.isArray(value) ? value.slice(0, listMax).map(bounded) : value;
}

/** The configuration as read. The time of the last rotation changes only with a rotation. */
function shown(mount: string, live: Live): Readonly<Record<string, Json>> {
  const fields = Object.entries<Json>(have(live)).map(([path, value]): [string, Json] => [
    path.slice(1),
    bounded(value),
  ]);
  const certificate = shownCertificate(live);
  const rotation = rotationOf(live);
  return {
    mount,
    ...Object.fromEntries(fields),
    ...(certificate !== undefined && { certificate }),
    ...(rotation !== '' && { lastBindPasswordRotation: rotation }),
  };
}

type Scalar = string | number | boolean;
const scalar = (seen: Json | undefined, otherwise: Scalar): string =>
  String(seen === undefined || seen === null || typeof seen === 'object' ? otherwise : seen);

/**
 * Where and how a role binds to test a password is as declared: what somebody else has set instead, and drift leaves as found,
 * would get the password. Whatever else, and what is not declared, is as last read. No secrets.
 */
function outputs(
  spec: Spec,
  status: Status<Own>,
  written?: readonly FieldChange[],
): Readonly<Record<string, string>> {
  const { observed = {}, own } = status;
  const { urls } = observed;
  const certificate = (spec.caSecretRef && own?.certificate) ?? observed['certificate'];
  const { schema = 'ldap', requestTimeout = '90s' } = spec;
  const astray = astrayIn(spec, status, written);
  return {
    mount: spec.mount,
    /** Separated by commas. */
    url: (spec.urls ?? (Array.isArray(urls) ? urls : [])).join(',').toLowerCase(),
    /** Of its servers, as they are named in accounts. Separated by commas. */
    places: placesIn(spec).join(','),
    /** How the service looks for a user: below this entry, by this attribute. */
    userDN: scalar(spec.userDN ?? observed['userDN'], ''),
    userAttr:
      scalar(spec.userAttr ?? observed['userAttr'], '') || usualAttribute(scalar(observed['schema'], schema)),
    upnDomain: scalar(spec.upnDomain ?? observed['upnDomain'], ''),
    /** The entry with which the service binds. */
    bindDN: scalar(observed['bindDN'], spec.bindDN),
    schema: scalar(observed['schema'], schema),
    startTLS: scalar(spec.startTLS ?? observed['startTLS'], false),
    insecureTLS: scalar(spec.insecureTLS ?? observed['insecureTLS'], false),
    /** Seconds. */
    requestTimeout: scalar(observed['requestTimeout'], toMs(requestTimeout) / 1000),
    /** PEM. */
    ...(typeof certificate === 'string' && certificate !== '' && { certificate }),
    /** What the service does instead of what is declared. Absent: a password goes where it is declared to go. */
    ...(astray !== undefined && { astray }),
    /** What the service was given last. Roles that failed by what it had before are visited again once that is another. */
    given: givenTo(status),
  };
}

/** Which Secrets were written, and who knows the bind password. No secrets. */
const givenTo = ({ applied, own }: Status<Own>): string =>
  canonical([own?.root ?? '', ...Object.entries(applied).filter(([path]) => path.endsWith('SecretRef'))]);

/** Whether the service shows an earlier rotation than it once did. */
function isRestored({ own }: Status<Own>, live: Live): boolean {
  const seen = rotationOf(live);
  if (own?.root !== 'service' || own.rotation === '') return false;
  return seen === '' || Date.parse(seen) < Date.parse(own.rotation);
}

type Op = keyof Operations;

export const ldapConfig = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/ldap-config',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn: (raw) => ownShape.safeParse(raw).data, // unreadable: the time of the last rotation decides
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  // The service goes on rotating whatever is wrong with the configuration, and each password has to be published.
  servesUnready: true,
  unneeded: (status, requests) =>
    isOwned(status) && asked({ status, requests }, 'reseed-root') === undefined
      ? ['/bindPasswordSecretRef']
      : [],
  policy: policyOf,
  defaults: managing,
  externalName: (spec) => spec.mount,
  locate: (spec, _, connection) => ({ backend: connection.backend, mount: spec.mount }),
  declaredData: (spec) =>
    spec.managementPolicy === 'ObserveOnly'
      ? []
      : accountsOf(spec).map((name) => ({ name, ifAllowed: true as const })),
  async observe(read, context, signal) {
    const mount = context.ref['mount'] ?? '';
    const live = await read.read('ldap.config.read', { mount }, signal);
    if (live && isWhole(live)) return { state: 'present', live };
    await mustBeLDAP(read, mount, signal);
    if (!live) return { state: 'absent' };
    throw new ApiError('unreadable', 'InvalidResponse', 'ldap.config.read: the answer is no configuration');
  },
  plan,
  record({ observed, spec, status }) {
    const { own } = status;
    if (observed.state !== 'present') return own && { root: own.root, rotation: own.rotation };
    const { live } = observed;
    return { ...rootOf(status, live), ...certificateRead(spec, own, live) };
  },
  report({ observed, status, ref, resolved }) {
    const live = observed.state === 'present' ? observed.live : undefined;
    const isOld = live !== undefined && isRestored(status, live);
    const stated = condition(status, live, isOld);
    const old = isOld && ({ reason: 'RootRotationUnknown', message: restoredText(live) } as const);
    const unready = old || (live && useless(live, resolved));
    return {
      observed: live ? shown(ref['mount'] ?? '', live) : {},
      conditions: stated ? [stated] : [],
      ...(unready && { unready }),
    };
  },
  requests: [
    {
      name: 'rotate-root',
      help: 'rotate the password of an object',
      confirmation: 'will be rotated',
      once: true,
      waits: true,
      command: { name: 'rotate', sets: 'token', sample: 'shop/directory' },
    },
    {
      name: 'reseed-root',
      help: 'give the service the declared bind password again',
      once: true,
      waits: true,
    },
    {
      name: 'abandon-root',
      help: 'let a configuration that is being deleted go though nobody else knows its bind password',
      confirmation: 'may be deleted with its bind password',
      onlyDeleting: true,
      command: {
        name: 'abandon-root',
        sets: 'reason',
        sample: 'shop/directory --reason "the directory is gone"',
      }, // its manifest, which could set it, is deleted by then
    },
  ],
  uses: (_, { management, deletion }) =>
    usesOf<Op>(
      ['ldap.config.read'],
      ['ldap.config.write', ...(deletion === 'Delete' ? (['ldap.config.delete'] as const) : [])],
      management === 'Full',
    ),
  discovery: [discovery],
  outputs,
});
