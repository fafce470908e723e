// Children in a directory: rows of the state that no manifest declares.
import type { Child, ChildRef } from '../../core/effect.ts';
import { keyText } from '../../core/resource.ts';
import { expire, generate } from './state/row.ts';
import type { State } from './state/state.ts';

export class Children {
  readonly #state: Pick<State, 'write'>;
  readonly #newUid: () => string;
  readonly #tell: (key: string) => void;

  constructor(state: Pick<State, 'write'>, newUid: () => string, tell: (key: string) => void) {
    this.#state = state;
    this.#newUid = newUid;
    this.#tell = tell;
  }

  /** @throws ApiError */
  async create(child: Child): Promise<void> {
    const key = keyText(child.key);
    await this.#state.write(key, ({ row }) => ({ row: generate(row, child, this.#newUid) }));
    this.#tell(key);
  }

  /** @throws ApiError */
  async delete(children: readonly ChildRef[]): Promise<void> {
    await Promise.all(
      children.map(async ({ key, uid, expired }) => {
        const text = keyText(key);
        await this.#state.write(text, ({ row }) => ({ row: expire(row, uid, expired) }));
        this.#tell(text);
      }),
    );
  }
}
