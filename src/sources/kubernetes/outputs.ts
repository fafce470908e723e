import type { Published, Output } from '../../core/source/output.ts';
import type { Key } from '../../core/resource.ts';
export interface Publisher {
  readonly key: Key;
  readonly uid: string;
  readonly formerly?: string;
}
export class Outputs {
  constructor(_: unknown) {}
  async published(_: Publisher, _n: string): Promise<Published> {
    return { is: 'absent' };
  }
  async publish(_: Publisher, _o: Output): Promise<void> {}
  async tryPublish(_: Publisher, _n: string): Promise<void> {}
  async withdraw(_: Publisher, _n: string): Promise<void> {}
}
