// LDAPConfig: lists the configuration of each mount, whoever wrote it.
import type { Reader } from '../../api/routes.ts';
import { isThere, objectName, ofEach, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { durationText, placeholder, specOf } from '../../schema/exported.ts';
import { have, type Live } from './body.ts';
import { fields } from './schema.ts';
import { isWhole } from './shape.ts';

function exported(mount: string, live: Live): Exported {
  const { '/length': length, ...seen } = have(live);
  // A length and a password policy exclude each other, but a service always returns a length.
  const isByPolicy = seen['/passwordPolicy'] !== undefined && seen['/passwordPolicy'] !== '';
  const secret = placeholder(`${objectName(mount)}-bind`, 'password');
  const hasCertificate = typeof live.certificate === 'string' && live.certificate !== '';
  const shown = { ...seen, ...(!isByPolicy && length !== undefined && { '/length': length }) };
  const durations = { '/requestTimeout': durationText, '/connectionTimeout': durationText };
  return {
    spec: {
      mount,
      ...specOf(fields, shown, durations),
      bindPasswordSecretRef: secret,
      deletionPolicy: 'Retain',
    },
    notes: [
      `bindPasswordSecretRef: nobody can read it; make the Secret ${secret.name}, or take the field out where the service owns the password`,
      ...(hasCertificate ? ['caSecretRef: the service has a certificate; add it for it to be kept'] : []),
    ],
  };
}

export const discovery: Discovery<Reader> = {
  mounted: 'secrets',
  find: (read, { connection: { backend }, mounts }, signal) =>
    ofEach(mounts, async (mount) => {
      const live = await isThere(read.read('ldap.config.read', { mount }, signal));
      if (!live || !isWhole(live)) return []; // another engine may have the same path
      const exportIt = () => Promise.resolve(exported(mount, live));
      return [{ ref: { backend, mount }, name: mount, export: exportIt }];
    }),
};
