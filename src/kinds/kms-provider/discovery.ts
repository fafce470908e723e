// KMSProvider: lists the providers of each mount, whoever made them. The list is not documented; a service may lack it.
import type { Reader } from '../../api/routes.ts';
import { eachNamed, gone, isThere, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { specOf } from '../../schema/exported.ts';
import { have } from './body.ts';
import { fields } from './schema.ts';
import { isWhole } from './shape.ts';

async function exported(
  read: Reader,
  at: { readonly mount: string; readonly name: string },
  signal: AbortSignal,
): Promise<Exported | string> {
  const live = await isThere(read.read('kms.provider.read', at, signal));
  if (!isWhole(live)) return gone;
  return {
    spec: { mount: at.mount, ...specOf(fields, have(live)), deletionPolicy: 'Retain' },
    notes: ['credentials: nobody can read them; what is there stays as long as none are declared'],
  };
}

export const discovery: Discovery<Reader> = {
  mounted: 'secrets',
  find: (read, { connection: { backend }, mounts }, signal) =>
    eachNamed(
      mounts,
      (mount) => read.read('kms.provider.list', { mount }, signal),
      (mount, name) => ({
        ref: { backend, mount, name },
        export: (until) => exported(read, { mount, name }, until),
      }),
    ),
};
