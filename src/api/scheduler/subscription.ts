// Types of the event stream: subscriptions and what they yield.
import type { Clock } from '../../core/time/clock.ts';
import type { Sealed } from '../../core/secret.ts';
import type { HttpStream } from '../http/transport.ts';

export interface StreamEvent {
  /** E.g. `Allocation`, `Node`, `CSIVolume`. */
  readonly Topic: string;
  /** E.g. `AllocationUpdated`. All events of one transaction have the same type, whatever their topic. */
  readonly Type: string;
  readonly Key: string;
  /** Empty if the object has no namespace. */
  readonly Namespace: string;
  readonly FilterKeys: readonly string[];
  /** State index of the change, or of the frame if the event has none. */
  readonly Index: number;
  /** Objects by type, e.g. `Node`; in the neutral shape, with the jobs' secrets boxed. */
  readonly Payload: Readonly<Record<string, Sealed>>;
}

export interface Subscription {
  /** `Topic`, or `Topic:key` for one object and the objects that belong to it. Keys match exactly. */
  readonly topics: readonly string[];
  /** `*`: all existing namespaces. */
  readonly namespace: string;
  /** Start with the retained frames from this index on; 0: all retained frames. Absent: only new frames. */
  readonly index?: number;
  /** If this subscription is refused, the caller tries another: this refusal does not mean that events are denied. */
  readonly hasFallback?: boolean;
}

export type StreamNotice =
  /** The service accepted the subscription: later events will arrive. */
  | { readonly is: 'open' }
  | { readonly is: 'frame'; readonly index: number; readonly events: readonly StreamEvent[] }
  | { readonly is: 'gap' }
  /** The connection was lost; the client reconnects. */
  | { readonly is: 'lost'; readonly message: string };

export interface EventOptions {
  readonly open: (index: number, signal: AbortSignal) => Promise<HttpStream>;
  readonly from: number | undefined;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
}
