// The watches of the API server, and the changes that they tell.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import type { Client, Reply } from '../../../src/embedded/http/server.ts';
import type { Outlet } from '../../../src/embedded/http/stream.ts';
import { failure } from './answers.ts';
import type { Stored } from './objects.ts';

/** Which objects a list or a watch has, and how it shows them. */
export interface Scope {
  readonly resource: Resource;
  /** Empty: all. */
  readonly namespace: string;
  readonly selects: (labels: Readonly<Record<string, string>>) => boolean;
  readonly metadataOnly: boolean;
}

export interface Change {
  readonly resource: Resource;
  readonly version: number;
  readonly before?: Stored;
  readonly after?: Stored;
}

export interface WatchOptions {
  /** Everything after it is told. */
  readonly from: number;
  /** What is told first: all that there is. */
  readonly initial?: readonly Stored[];
  /** A bookmark says where that ends. */
  readonly marksInitial: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds?: number;
}

const bookmarkMs = 60_000;
/** A last bookmark comes that long before the end. */
const lastBookmarkMs = 2_000;

interface Shown {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata: object;
}

export const covers = ({ resource, namespace, selects }: Scope, of: Resource, object: Stored): boolean =>
  of === resource &&
  (namespace === '' || object.metadata.namespace === namespace) &&
  selects(object.metadata.labels ?? {});

export const shown = (scope: Scope, object: Shown): object =>
  scope.metadataOnly
    ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }
    : object;

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

/** The answer to a watch that can't begin: it begins, and says why it ends. */
export const failedWatch = (code: number, reason: string, message: string, details?: object): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: {
    stream: (out) => out.end(line('ERROR', failure(code, reason, message, details && { ...details }))),
    endsConnection: false,
    packs: false,
  },
});

export class Watch {
  readonly #scope: Scope;
  readonly #version: () => number;
  readonly #isSilent: () => boolean;
  readonly #deadlineMs: number | undefined;
  #ageMs = 0;
  #out: Outlet | undefined;
  #missed: string[] = [];
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #from: number;

  constructor(scope: Scope, options: WatchOptions, at: { version: () => number; isSilent: () => boolean }) {
    this.#scope = scope;
    this.#version = at.version;
    this.#isSilent = at.isSilent;
    this.#from = options.from;
    const { initial = [], marksInitial, bookmarks, timeoutSeconds } = options;
    for (const object of initial) this.#say(line('ADDED', shown(scope, object)));
    if (marksInitial && bookmarks) this.#bookmark({ 'k8s.io/initial-events-end': 'true' });
    this.#deadlineMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000;
    this.#wait(bookmarks);
  }

  get ended(): boolean {
    return this.#ended;
  }

  tell({ resource, version, before, after }: Change): void {
    if (version <= this.#from || this.#ended) return;
    const was = before !== undefined && covers(this.#scope, resource, before);
    const is = after !== undefined && covers(this.#scope, resource, after);
    if (is) this.#say(line(was ? 'MODIFIED' : 'ADDED', shown(this.#scope, after)));
    else if (was) {
      // As it was last seen, and with the version at which it left.
      const last = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
      this.#say(line('DELETED', shown(this.#scope, last)));
    }
  }

  /** The answer begins to arrive: what was said until then comes first. */
  attach(out: Outlet): void {
    this.#out = out;
    out.onGone(() => this.drop());
    this.flush();
    if (this.#ended) out.end('');
  }

  flush(): void {
    if (!this.#out || this.#isSilent()) return;
    for (const text of this.#missed.splice(0)) this.#out.send(text);
  }

  end(): void {
    if (this.#ended) return;
    this.drop();
    this.#out?.end('');
  }

  /** Nobody listens any more. */
  drop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #say(text: string): void {
    this.#missed.push(text);
    this.flush();
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { apiVersion, kind } = this.#scope.resource;
    const resourceVersion = String(this.#version());
    const metadata = { resourceVersion, ...(annotations && { annotations }) };
    this.#say(line('BOOKMARK', shown(this.#scope, { apiVersion, kind, metadata })));
  }

  #wait(bookmarks: boolean): void {
    const end = this.#deadlineMs;
    const last = end === undefined || end - lastBookmarkMs <= this.#ageMs ? Infinity : end - lastBookmarkMs;
    const bookmarkAt = bookmarks ? Math.min(this.#ageMs + bookmarkMs, last) : Infinity;
    const next = Math.min(bookmarkAt, end ?? Infinity);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#ageMs = next;
      if (next === end) return this.end();
      if (!this.#isSilent() && this.#version() > this.#from) this.#bookmark();
      return this.#wait(bookmarks);
    }, next - this.#ageMs);
  }
}

/** Begins to listen at once; what happens before the answer arrives is not lost. */
export function watching(watch: Watch, client: Client): Reply {
  if (client.closed) watch.drop();
  else client.once('close', () => watch.drop());
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: { stream: (out) => watch.attach(out), endsConnection: false, packs: false },
  };
}
