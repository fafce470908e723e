// One item of what a fresh service starts with.
import { UsageError } from '../core/errors.ts';
import { Refusal } from './http/server.ts';

/** @param at where the item stands in the seed. @throws UsageError that says where, and why the service refuses it */
export function plantOne(add: () => unknown, at: string): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    throw new UsageError(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error });
  }
}
