// OIDCRole: lists the roles of each auth method, whoever made them.
import type { Reader } from '../../api/routes.ts';
import { eachNamed, gone, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { durationText, specOf } from '../../schema/exported.ts';
import { have } from './body.ts';
import { fields } from './schema.ts';
import { isWhole } from './shape.ts';

const durations = {
  '/maxAge': durationText,
  '/expirationLeeway': durationText,
  '/notBeforeLeeway': durationText,
  '/clockSkewLeeway': durationText,
  '/tokenTTL': durationText,
  '/tokenMaxTTL': durationText,
  '/tokenExplicitMaxTTL': durationText,
  '/tokenPeriod': durationText,
} as const;

async function exported(
  read: Reader,
  at: { readonly mount: string; readonly role: string },
  signal: AbortSignal,
): Promise<Exported | string> {
  const role = await read.read('oidc.role.read', at, signal);
  if (!role || !isWhole(role)) return gone;
  return { spec: { ...specOf(fields, have(role), durations), deletionPolicy: 'Retain' }, notes: [] };
}

export const discovery: Discovery<Reader> = {
  mounted: 'auth',
  find: (read, { connection: { backend }, mounts }, signal) =>
    eachNamed(
      mounts,
      (mount) => read.read('oidc.role.list', { mount }, signal),
      (mount, role) => ({
        ref: { backend, mount, role },
        parent: { type: 'secrets/oidc-config', backend, mount },
        export: (until) => exported(read, { mount, role }, until),
      }),
    ),
};
