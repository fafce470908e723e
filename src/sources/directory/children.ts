// Stores children, which are objects that another object declares, as rows of the state without a manifest.
import type { Child, ChildRef } from '../../core/effect.ts';
import { keyText } from '../../core/resource.ts';
import { expire, generate } from './state/row.ts';
import type { State } from './state/state.ts';

interface ChildrenOptions {
  readonly state: Pick<State, 'write'>;
  readonly newUid: () => string;
  /** The wall-clock time in RFC 3339, shown to people. */
  readonly now?: () => string;
}

export class Children {
  readonly #options: ChildrenOptions;
  readonly #tell: (key: string) => void;

  constructor(options: ChildrenOptions, tell: (key: string) => void) {
    this.#options = options;
    this.#tell = tell;
  }

  /** @throws ApiError */
  async create(child: Child): Promise<void> {
    const key = keyText(child.key);
    const { state, newUid, now } = this.#options;
    await state.write(key, ({ row }) => ({ row: generate(row, child, newUid, now?.()) }));
    this.#tell(key);
  }

  /** @throws ApiError */
  async delete(children: readonly ChildRef[]): Promise<void> {
    await Promise.all(
      children.map(async ({ key, uid, expired }) => {
        const text = keyText(key);
        await this.#options.state.write(text, ({ row }) => ({ row: expire(row, uid, expired) }));
        this.#tell(text);
      }),
    );
  }
}
