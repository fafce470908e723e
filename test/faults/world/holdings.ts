// What both services hold, and how often they changed a password: by their own word, whatever the program says.
import type { Finding } from '../table/comparison.ts';
import { destroys, effective } from './ledger.ts';
import type { World } from './world.ts';

export interface Holdings {
  /** `disk ID`, `snapshot ID`, `volume NAMESPACE/ID`, `config MOUNT` or `role NAME` → which one it is. */
  readonly things: ReadonlyMap<string, string>;
  /** Role or mount → how often its password was changed since the service began. */
  readonly rotations: ReadonlyMap<string, number>;
}

interface Read {
  readonly data?: Readonly<Record<string, unknown>>;
}

export async function holdingsOf({ scheduler, secrets }: World): Promise<Holdings> {
  const things = new Map<string, string>();
  for (const { name, externalID } of await scheduler.disks()) things.set(`disk ${externalID}`, name);
  for (const { name, id } of await scheduler.snapshots()) things.set(`snapshot ${id}`, name);
  for (const { Namespace, ID, ExternalID } of await scheduler.volumes())
    things.set(`volume ${Namespace}/${ID}`, ExternalID);
  const get = (path: string) => secrets.call<Read>('GET', `/v1/${path}`).catch((): Read => ({})); // it is not there
  for (const mount of ['ldap', 'other']) {
    const { data } = await get(`${mount}/config`);
    if (data) things.set(`config ${mount}`, String(data['binddn']));
  }
  const { data: roles } = await get('ldap/static-role?list=true');
  for (const name of [roles?.['keys'] ?? []].flat().map(String)) {
    const { data } = await get(`ldap/static-role/${name}`);
    things.set(`role ${name}`, String(data?.['username']));
  }
  const { rotations, rootRotations } = await secrets.counters();
  const all = [
    ...Object.entries(rotations).map(
      ([role, count]) => [`role ${role.replace(/^ldap\//, '')}`, count] as const,
    ),
    ...Object.entries(rootRotations).map(([mount, count]) => [`config ${mount}`, count] as const),
  ];
  return { things, rotations: new Map(all) };
}

/** What is gone, or is another one by now. */
export const lostOf = (before: Holdings, now: Holdings): readonly string[] =>
  [...before.things].filter(([name, is]) => now.things.get(name) !== is).map(([name]) => name);

/** What was there all along, and has another password. */
export const rotatedOf = (before: Holdings, now: Holdings): readonly Finding[] =>
  [...now.rotations].flatMap(([name, count]): readonly Finding[] => {
    const more = count - (before.rotations.get(name) ?? 0);
    return before.things.has(name) && more > 0
      ? [['duplicates', `${name} was rotated, ${more} times, by a state of before`]]
      : [];
  });

/** What the services were asked to destroy, and did. */
export const destroyedIn = ({ ledger }: World): readonly string[] =>
  effective(ledger)
    .filter(destroys)
    .map(({ call }) => call);
