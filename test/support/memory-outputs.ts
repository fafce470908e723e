// Outputs in memory.
import { ApiError } from '../../src/core/errors.ts';
import type { Output, Published } from '../../src/core/source/output.ts';
import type { Outputs } from '../../src/sources/directory/outputs.ts';
import { isOwn, type Publisher } from '../../src/sources/publisher.ts';

/** Where outputs go. */
export type OutputStore = Pick<Outputs, 'published' | 'tryPublish' | 'publish' | 'withdraw'>;

export class MemoryOutputs implements OutputStore {
  /** `<namespace>/<name>` → what stands there, and the UID of whose it is. */
  readonly placed = new Map<string, { readonly uid: string; readonly output: Output }>();
  /** Nothing can be written, nor taken away. */
  full = false;

  published(publisher: Publisher, name: string): Published {
    const { key, uid } = publisher;
    const found = this.placed.get(`${key.namespace}/${name}`);
    if (!found) return { is: 'absent' };
    if (!isOwn(found.uid, publisher)) return { is: 'foreign', owner: 'somebody else' };
    return { is: 'ours', revision: found.output.revision, whole: found.uid === uid };
  }

  tryPublish(publisher: Publisher, name: string): void {
    if (this.full) throw new ApiError('waiting', 'OutputUnusable', `${name}: no space left on device`);
    if (this.published(publisher, name).is !== 'foreign') return;
    throw new ApiError('waiting', 'OutputConflict', `${name} belongs to somebody else`);
  }

  publish(publisher: Publisher, output: Output): void {
    this.tryPublish(publisher, output.name);
    this.placed.set(`${publisher.key.namespace}/${output.name}`, { uid: publisher.uid, output });
  }

  withdraw(publisher: Publisher, name: string): void {
    if (this.full) throw new ApiError('waiting', 'OutputUnusable', `${name}: read-only file system`);
    if (this.published(publisher, name).is === 'ours')
      this.placed.delete(`${publisher.key.namespace}/${name}`);
  }
}
