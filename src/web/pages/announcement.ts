// Words changes of state for screen readers. No other change is announced.
import type { Move } from './board.ts';
import { visible } from '../../core/text/visible.ts';
import type { Shows } from '../reader.ts';
import { stateNames } from './format.ts';

/** If more objects changed state, only their number is announced. */
const namedMax = 3;

/** @returns empty if nothing on the page is worth announcing */
export function announcement(moves: readonly Move[], shows: Shows): string {
  const shown = shows.page === 'object' ? moves.filter((move) => move.key === shows.key) : moves;
  if (shown.length > namedMax) return `${shown.length} objects changed state.`;
  return shown.map(sentence).join(' ');
}

function sentence({ key, before, after }: Move): string {
  const name = visible(key);
  if (after === undefined) return `${name} is gone.`;
  const state = stateNames[after].toLowerCase();
  return before === undefined ? `${name} is new: ${state}.` : `${name} is ${state}.`;
}
