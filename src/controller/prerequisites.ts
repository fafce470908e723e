// What creates need at the service that no reference names, such as a plugin. A plan asks for it beforehand, because nothing
// else tells that a create would be refused; each connection is asked once for the same.
import { ApiError } from '../core/errors.ts';
import { blocked, type Blocked, type Step } from '../core/planning/plan.ts';
import type { Preconditions } from './reconcile/preconditions.ts';

const creates: ReadonlySet<Step<unknown>['verb']> = new Set(['create', 'revive']);

export class Prerequisites<E, Reader> {
  readonly #asked = new Map<string, Promise<Blocked | undefined>>();

  /** @returns why a step would be refused; `undefined`: nothing is known to be missing */
  missing(
    { verb }: Step<E>,
    { opened, used, connection, resolved }: Preconditions<E, Reader>,
    signal: AbortSignal,
  ): Promise<Blocked | undefined> {
    const prerequisite = creates.has(verb) ? opened.prerequisite(resolved) : undefined;
    if (!prerequisite) return Promise.resolve(undefined);
    const name = `${connection} ${prerequisite.name}`;
    const asked = this.#asked.get(name) ?? ask(prerequisite.missing(used.service.reader, signal));
    this.#asked.set(name, asked);
    return asked;
  }
}

/** What can't be read is not known to be missing: a token need not be allowed to. */
async function ask(
  answer: Promise<Pick<Blocked, 'reason' | 'message'> | undefined>,
): Promise<Blocked | undefined> {
  try {
    const missing = await answer;
    return missing && blocked(missing.reason, missing.message, { on: 'live' });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
