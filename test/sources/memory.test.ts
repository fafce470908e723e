// The source in memory that other tests use: it keeps the contract of the real ones, so what is shown on it holds on them.
import { keyText } from '../../src/core/resource.ts';
import { reveal, Secret } from '../../src/core/secret.ts';
import { MemorySource } from '../support/memory-source.ts';
import type { SourceBench } from './bench.ts';
import { sourceContract } from './contract.ts';

const keyOf = (name: string) => ({ kind: 'Disk', namespace: 'shop', name });

/** What was written in memory by the process before is what the next one finds. */
function benchOn(source: MemorySource): SourceBench {
  const told: string[] = [];
  let drawn = 0;
  const declare = (name: string, size: number): void => {
    const before = source.read(keyText(keyOf(name)))?.object;
    source.declare({
      key: keyOf(name),
      deleting: false,
      ...(before ? { generation: before.generation + 1 } : { uid: `uid-${name}-${++drawn}` }),
      spec: { size },
    });
  };
  const tell = (name: string): void => source.notify(keyText(keyOf(name)), 'edited');
  if (source.entries.size === 0 && !source.knowsSecrets) declare('data', 1);
  return {
    source,
    revives: true,
    told: () => told.splice(0),
    start: () => source.start((key, cause) => told.push(`${key} ${cause}`)),
    async declare(name, size) {
      declare(name, size);
      tell(name);
    },
    declareUnheard: async (name, size) => declare(name, size),
    async ask(name, request, token) {
      const object = source.read(keyText(keyOf(name)))?.object;
      if (object) source.declare({ ...object, requests: { ...object.requests, [request]: token } });
      source.notify(keyText(keyOf(name)), 'requested');
    },
    async remove(name) {
      const object = source.read(keyText(keyOf(name)))?.object;
      if (object) source.declare({ ...object, deleting: true, generation: object.generation + 1 });
      tell(name);
    },
    async setPassword(value) {
      if (value === undefined) source.secrets.delete('shop/login/password');
      else
        source.secrets.set('shop/login/password', Secret.of('login/password', `version of ${value}`, value));
      source.notify('Secret/shop/login', 'secret');
    },
    async readOutput(name) {
      const entries = source.memoryOutputs.placed.get(`shop/${name}`)?.output.entries;
      return (
        entries &&
        Object.fromEntries(
          Object.entries(entries).map(([entry, parts]) => [
            entry,
            parts.map((part) => (part instanceof Secret ? reveal(part) : part)).join(''),
          ]),
        )
      );
    },
    async putForeign(name) {
      const theirs = { name, revision: 'theirs', entries: { password: ['theirs'] } };
      source.memoryOutputs.placed.set(`shop/${name}`, { uid: 'somebody', output: theirs });
    },
    workloads: {
      declare: async ({ kind, name }) => source.hasWorkloads(`${kind}/shop/${name}`),
      restarts: async (workload) => source.restartsOf('shop', workload).length,
    },
    async restarted() {
      const next = new MemorySource();
      for (const [key, entry] of source.entries) next.entries.set(key, entry);
      for (const [name, placed] of source.memoryOutputs.placed) next.memoryOutputs.placed.set(name, placed);
      for (const [name, tokens] of source.workloads) next.workloads.set(name, tokens);
      next.knowsSecrets = true;
      return benchOn(next);
    },
    loseLock: async () => void (source.fenced = true),
  };
}

sourceContract('a source in memory', async () => benchOn(new MemorySource()));
