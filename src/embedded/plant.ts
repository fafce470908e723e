import { UsageError } from '../core/errors.ts';
import { Refusal } from './http/server.ts';

/** @param at the item's place in the seed. @throws UsageError with that place, and why the service refuses the item */
export function plantOne(add: () => unknown, at: string): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    throw new UsageError(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error });
  }
}
