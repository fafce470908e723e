// Tells of objects whose status the API server does not let Holdfast write. Their conditions can't say so: these stay as they were.
import type { ApiError } from '../../core/errors.ts';
import type { Declarations } from '../../core/source/source.ts';
import type { EventRecorder } from '../../sources/kubernetes/events.ts';
import { apiVersion } from '../../schema/declaration.ts';

export interface RefusedWritesOptions {
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly read: Declarations['read'];
  /** Called once for each other reason for which an object can't be written, and once, with `undefined`, when it can again. */
  readonly trouble: (about: string, message: string | undefined) => void;
}

export class RefusedWrites {
  readonly #options: RefusedWritesOptions;
  /** Key → the reason that was told last. */
  readonly #told = new Map<string, string>();

  constructor(options: RefusedWritesOptions) {
    this.#options = options;
  }

  refused(key: string, { reason, message }: ApiError): void {
    const { recorder, read, trouble } = this.#options;
    const note = `its record can't be written: ${message}`;
    const object = read(key)?.object;
    if (object)
      recorder.record(
        { key: object.key, uid: object.uid, apiVersion },
        { type: 'Warning', reason, action: 'Record', note },
      );
    if (this.#told.get(key) === message) return;
    this.#told.set(key, message);
    trouble(key, note);
  }

  written(key: string): void {
    if (this.#told.delete(key)) this.#options.trouble(key, undefined);
  }
}
