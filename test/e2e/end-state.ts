// What a run left behind, in a form in which two runs can be compared.
import { expect } from 'vitest';
import { holdfast } from '../support/cli.ts';
import type { Service } from '../support/service.ts';

/** Volumes and disks by the service's own word. Disks that were made have random IDs: here they go by their names. */
export async function endState(service: Service) {
  const disks = await service.disks();
  const nameOf = new Map(disks.map((disk) => [disk.externalID, disk.name]));
  const volumes = (await service.volumes()).map(({ ID, Namespace, Name, PluginID, ExternalID }) => ({
    ID,
    Namespace,
    Name,
    PluginID,
    disk: nameOf.get(ExternalID) ?? ExternalID,
  }));
  return {
    volumes,
    disks: disks
      .map(({ pluginID, name, capacityBytes }) => ({ pluginID, name, capacityBytes }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Applies a tree to the end, and once more, which must write nothing. */
export async function reconciled(
  tree: string,
  { cwd, stateDir, service }: { readonly cwd: string; readonly stateDir: string; readonly service: Service },
): Promise<void> {
  const apply = () => holdfast(['apply', tree, '--state-dir', stateDir], { cwd });
  const first = await apply();
  expect(first.code, first.stdout + first.stderr).toBe(0);
  await service.resetCounters();
  const second = await apply();
  expect(second.code, second.stdout + second.stderr).toBe(0);
  expect((await service.counters()).writes, second.stdout).toBe(0);
}
