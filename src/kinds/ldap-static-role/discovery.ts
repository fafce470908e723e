// LDAPStaticRole: lists the roles of each mount, whoever made them.
import type { Reader } from '../../api/routes.ts';
import { eachNamed, gone, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { durationText, specOf } from '../../schema/exported.ts';
import { have } from './body.ts';
import { fields, findsOthers } from './schema.ts';
import { isWhole } from './shape.ts';

async function exported(
  read: Reader,
  at: { readonly mount: string; readonly role: string },
  signal: AbortSignal,
): Promise<Exported | string> {
  const role = await read.read('ldap.role.read', at, signal);
  if (!role || !isWhole(role)) return gone;
  if (role.dn === '' && findsOthers.test(role.username)) {
    return 'the service finds other entries by its username, and takes no dn for a role that is there: make it anew, with a dn';
  }
  const seen = have({ role, answers: { restarts: false, problems: {} } });
  const spec = specOf(fields, seen, { '/rotationPeriod': durationText });
  return {
    // The role exists. Declaring it must not rotate its password.
    spec: { ...spec, onCreate: 'Keep', deletionPolicy: 'Retain' },
    notes: ['output: add it for the password to be published'],
  };
}

export const discovery: Discovery<Reader> = {
  mounted: 'secrets',
  find: (read, { connection: { backend }, mounts }, signal) =>
    eachNamed(
      mounts,
      (mount) => read.read('ldap.role.list', { mount }, signal),
      (mount, role) => ({
        ref: { backend, mount, role },
        parent: { type: 'secrets/ldap-config', backend, mount },
        export: (until) => exported(read, { mount, role }, until),
      }),
    ),
};
