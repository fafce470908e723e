// The input from which every page is rendered.
import type { View } from '../../core/status/view.ts';
import type { Board } from './board.ts';

export interface Scene {
  readonly view: View;
  readonly board: Board;
  readonly wallMs: number;
  readonly ready: boolean;
}
