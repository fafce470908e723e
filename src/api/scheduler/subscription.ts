// What is asked of the event stream, and what it tells.
import type { Clock } from '../../core/clock.ts';
import type { Sealed } from '../../core/secret.ts';
import type { HttpStream } from '../http.ts';

export interface StreamEvent {
  /** E.g. `Allocation`, `Node`, `CSIVolume`. */
  readonly Topic: string;
  /** E.g. `AllocationUpdated`. It belongs to the whole transaction, whatever the topic. */
  readonly Type: string;
  readonly Key: string;
  /** Empty without a namespace. */
  readonly Namespace: string;
  readonly FilterKeys: readonly string[];
  /** State index of the change; of its frame where the event has none. */
  readonly Index: number;
  /** By type, e.g. `Node`; in the neutral shape, with the secrets of jobs in boxes. */
  readonly Payload: Readonly<Record<string, Sealed>>;
}

export interface Subscription {
  /** `Topic`, or `Topic:key` for one object and those that belong to it. Keys match exactly. */
  readonly topics: readonly string[];
  /** `*`: all existing ones. */
  readonly namespace: string;
  /** Start with frames from this index on that are still there; 0: all. Absent: only new ones. */
  readonly index?: number;
  /** Refused, another one is asked for: only the last refusal means that nothing may be heard. */
  readonly hasFallback?: boolean;
}

export type Told =
  /** The service accepted the subscription: later events will come. */
  | { readonly is: 'open' }
  | { readonly is: 'frame'; readonly index: number; readonly events: readonly StreamEvent[] }
  | { readonly is: 'gap' }
  /** Disconnected; reconnecting. */
  | { readonly is: 'lost'; readonly message: string };

export interface EventOptions {
  readonly open: (index: number, signal: AbortSignal) => Promise<HttpStream>;
  readonly from: number | undefined;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}
