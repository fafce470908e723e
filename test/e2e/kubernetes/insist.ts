// A client whose calls are repeated for as long as the API server can't be used, as the engine repeats a visit: writes only
// where nothing was done.
import type { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { ApiError } from '../../../src/core/errors.ts';

const passing = new Set(['ClusterUnavailable', 'Throttled', 'InvalidResponse']);

export function insist(client: KubernetesClient): void {
  client.get = repeated(client.get.bind(client), false);
  client.create = repeated(client.create.bind(client), true);
  client.replace = repeated(client.replace.bind(client), true);
  client.patch = repeated(client.patch.bind(client), true);
  client.remove = repeated(client.remove.bind(client), true);
}

const repeated =
  <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>, mutates: boolean) =>
  async (...args: A): Promise<R> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(...args);
      } catch (error) {
        const isOver = !(error instanceof ApiError) || !passing.has(error.reason) || attempt === 20;
        if (isOver || (mutates && error.mayHaveHadEffect)) throw error;
      }
    }
  };
