// `npm run bench -- convergence`: its options, and its runs in turn.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../build.ts';
import { say, type Benchmark } from './benchmark.ts';
import { runPair, type Case, type Pair } from './convergence.ts';
import { runClusterPair } from './in-cluster.ts';
import { whole, wholes } from './numbers.ts';
import { buildPeers } from './peers/peers.ts';
import { load, loadMax, ratioOf, table, type Result } from './report.ts';

const options = {
  n: { type: 'string', default: '10000' },
  pairs: { type: 'string', default: '5' },
  'latency-ms': { type: 'string', default: '0' },
  'per-file': { type: 'string', default: '10' },
  source: { type: 'string', default: 'directory' },
  peers: { type: 'boolean', default: false },
} as const;

export const convergence: Benchmark = {
  usage: `  --n <number>         volumes to create (default 10000)
  --pairs <number>     runs of the operator and of the floor, in turn (default 5)
  --latency-ms <list>  added by the server before each reply; one column of the table each (default 0)
  --per-file <list>    manifests in a file; likewise (default 10)
  --source <name>      directory, or kubernetes: a real API server (default directory)
  --peers              beside controllers in Go and in Python, too (test/bench/peers)`,
  section: (args) => (args.includes('kubernetes') ? 'convergence in Kubernetes' : 'convergence'),
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const volumes = whole('n', values.n, 1);
    const pairs = whole('pairs', values.pairs, 1);
    const layouts = wholes('per-file', values['per-file'], 1);
    const { source } = values;
    if (source !== 'directory' && source !== 'kubernetes')
      throw new Error(`--source: expected directory or kubernetes, got ${source}`);
    const cases: readonly Case[] = wholes('latency-ms', values['latency-ms'], 0).flatMap((latencyMs) =>
      layouts.map((volumesPerFile) => ({ source, volumes, volumesPerFile, latencyMs })),
    );
    return async (directory) => {
      const built = join(directory, 'program');
      await bundle(built);
      const results: Result[] = [];
      const peers = values.peers ? buildPeers() : [];
      const runOne: RunOne = (kase) => {
        const folder = join(directory, 'run');
        const run = kase.source === 'directory' ? runPair : runClusterPair;
        return run(folder, join(built, 'holdfast.mjs'), kase, peers);
      };
      for (const kase of cases) results.push(await measure(kase, pairs, runOne));
      return table(results);
    };
  },
};

type RunOne = (kase: Case) => Promise<Pair>;

async function measure(kase: Case, count: number, runOne: RunOne): Promise<Result> {
  const loadBefore = load();
  say(`${JSON.stringify(kase)}: load before ${loadBefore.toFixed(2)}`);
  if (loadBefore > loadMax) say('the machine is busy: wall times will say little, processor times more');
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const pair = await runOne(kase);
    pairs.push(pair);
    const [ours, theirs] = [pair.operator.wallMs, pair.floor.wallMs].map((ms) => (ms / 1000).toFixed(2));
    say(`  pair ${pairs.length}: ${ours} s ÷ ${theirs} s = ${ratioOf(pair).toFixed(2)}`);
    for (const { name, run } of pair.peers ?? []) say(`    ${name}: ${(run.wallMs / 1000).toFixed(2)} s`);
  }
  return { kase, pairs, loadBefore };
}
