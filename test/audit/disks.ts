// What the scheduler holds: disks by the ID that the provider gave them, which stand for their data, and who is on them.
import type { Service } from '../support/service.ts';

/** IDs of all disks that were made through the API. */
export const diskIDs = async (service: Service): Promise<readonly string[]> =>
  (await service.disks()).map(({ externalID }) => externalID);

/** Of these disks, those that are not there any more. */
export async function lost(service: Service, disks: readonly string[]): Promise<readonly string[]> {
  const there = new Set(await diskIDs(service));
  return disks.filter((disk) => !there.has(disk));
}

/** `[NAMESPACE/]ID` of a volume → its disk; those of the namespace `default` without it. */
export async function registered(service: Service): Promise<Readonly<Record<string, string>>> {
  const volumes = await service.volumes();
  return Object.fromEntries(
    volumes.map(({ Namespace, ID, ExternalID }) => [
      Namespace === 'default' ? ID : `${Namespace}/${ID}`,
      ExternalID,
    ]),
  );
}

/** The disk on which a volume is. @throws Error where there is none */
export async function diskOf(service: Service, volume: string): Promise<string> {
  const disk = (await registered(service))[volume];
  if (disk === undefined) throw new Error(`${volume} is not registered`);
  return disk;
}
