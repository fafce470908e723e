import { UsageError } from '../core/errors.ts';
import { Refusal } from './http/server.ts';

/** @param at the item's path in the seed. @throws UsageError with that path and the reason if the item is refused */
export function plantOne(add: () => unknown, at: string): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    throw new UsageError(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error });
  }
}
