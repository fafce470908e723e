// A store that has listed, and what it tells.
import type { Written } from '../../../src/api/kubernetes/options.ts';
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { Store } from '../../../src/sources/kubernetes/store.ts';
import { sent, type Sent } from './objects.ts';

export const data = 'Disk/shop/data';
export const all = { kind: 'Disk', namespace: '' };

export class Bench {
  readonly store: Store;
  readonly told: string[] = [];
  deletions = 0;
  /** Who is told fails so often. */
  failures = 0;

  /** Whether an object is watched. */
  isSelected = true;

  /** @param listed what there is at version 10 */
  constructor(...listed: readonly KubernetesObject[]) {
    this.store = new Store({
      validate: () => undefined,
      selects: () => this.isSelected,
      notify: (key, cause) => {
        if (this.failures-- > 0) throw new Error('the engine has a bug');
        this.told.push(`${key} ${cause}`);
      },
      onDeletion: () => (this.deletions += 1),
    });
    this.store.replace(all, listed, '10');
    this.store.isListed = true;
  }

  heard(as: Sent): readonly string[] {
    this.store.changed('Disk', sent(as));
    return this.said();
  }

  said(): readonly string[] {
    return this.told.splice(0);
  }

  get version(): string | undefined {
    return this.store.get(data)?.resourceVersion;
  }
}

/** A write that ends when the test says so. */
export function writing(bench: Bench) {
  const { promise, resolve, reject } = Promise.withResolvers<Written>();
  const ended = bench.store.write(data, 'Disk', () => promise);
  return {
    done: async (as: Sent) => {
      resolve({ is: 'done', object: sent(as) });
      await ended;
    },
    lost: async () => {
      reject(new Error('no answer in time'));
      await ended.catch(() => {});
    },
    refused: async () => {
      resolve({ is: 'conflict' });
      await ended;
    },
  };
}
