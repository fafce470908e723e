// Shots: each is called outside as in the namespace of its object, and made from a disk. Those of `shop` may move elsewhere.
import { conditionOf } from '../../src/core/status/condition.ts';
import type { Access } from '../../src/core/connection.ts';
import type { DeclaredObject } from '../../src/core/resource.ts';
import { disks, type DiskSpec } from './disks.ts';

export const shot = (namespace: string, name = 'a') => `Shot/${namespace}/${name}`;
export const from = { 'moved-from': 'shop/a' };
export const howToSay =
  'holdfast.dev/moved-from in the new one says that it moves, another externalName that it does not';

/** `shop/a` has something outside, made from the disk `other`. */
export async function shots() {
  const scene = await disks(['other']);
  const { at } = scene;
  const declare = (namespace: string, more: Partial<DeclaredObject> = {}, spec: Partial<DiskSpec> = {}) =>
    at.source.declare({
      key: { kind: 'Shot', namespace, name: 'a' },
      ...more,
      spec: { type: 'ssd', ...spec },
    });
  /** A disk in the namespace `store`. */
  const put = async (name: string, named: string, more: Partial<DiskSpec> = {}) => {
    const spec: DiskSpec = { type: 'ssd', named, ...more };
    at.source.declare({ key: { kind: 'Disk', namespace: 'store', name }, spec });
    await at.visit(`Disk/store/${name}`);
  };
  const leave = (namespace: string) => {
    const entry = at.source.read(shot(namespace));
    if (entry) at.source.declare({ ...entry.object, deleting: true });
  };
  const give = async (access: readonly Access[]) => {
    scene.connect('c', { access });
    await at.visit('Conn/c');
  };
  const visit = async (...namespaces: readonly string[]) => {
    for (const namespace of namespaces) await at.visit(shot(namespace));
    return namespaces.map((namespace) => {
      const entry = at.source.read(shot(namespace));
      const ready = conditionOf(entry?.status.conditions ?? [], 'Ready');
      return entry ? `${ready?.reason}: ${ready?.message}` : 'gone';
    });
  };
  declare('shop');
  await visit('shop');
  at.source.log.length = 0;
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  return { ...scene, declare, put, give, leaveDisk: scene.leave, leave, visit, sent };
}
