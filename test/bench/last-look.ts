// `npm run bench -- last-look`: how long the operator's last look at a volume is ago when the call that destroys something
// arrives, as the scheduler sees both. The tree is large, so that reading it anew would show between the two.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { say, type Benchmark } from './benchmark.ts';
import { wholes } from './numbers.ts';
import { tailOf } from './quantiles.ts';
import { tableOf, type Row } from './table.ts';

const options = {
  files: { type: 'string', default: '1000,99000' },
  deletions: { type: 'string', default: '5' },
} as const;

const token = 'bench';
const program = fileURLToPath(import.meta.resolve('../../src/cli/holdfast.mjs'));
const secondsMax = 1_800;

interface Result {
  readonly files: number;
  /** Milliseconds from the arrival of the last look to that of the call, one for each destroying call. */
  readonly gaps: readonly number[];
}

interface Request {
  readonly method: string;
  /** Of the route, with its names. */
  readonly pattern: string;
  readonly atMs: number;
}

const document = (kind: string, name: string, rest: object): string =>
  `${JSON.stringify({ apiVersion: kind === 'Secret' ? 'v1' : 'holdfast.dev/v1alpha1', kind, metadata: { name, namespace: 'bench' }, ...rest })}\n`;

const volumeFile = (directory: string, number: number): string => join(directory, `volume-${number}.yaml`);

/** Volumes to be deleted, and as many files beside them as are asked for. */
function plant(directory: string, files: number, volumes: number, address: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'holdfast.yaml'),
    `${JSON.stringify({ apiVersion: 'holdfast.dev/v1alpha1', kind: 'Installation', metadata: { name: 'bench' } })}\n`,
  );
  const connection = {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'SchedulerConnection',
    metadata: { name: 'bench' },
    spec: {
      addresses: [address],
      dialect: 'cluster',
      auth: { tokenSecretRef: { namespace: 'bench', name: 'scheduler', key: 'token' } },
      access: [{ namespaces: ['bench'] }],
      limits: { deletions: { perHour: 1_000, percent: 100 } },
    },
  };
  writeFileSync(join(directory, 'connection.yaml'), `${JSON.stringify(connection)}\n`);
  writeFileSync(join(directory, 'token.yaml'), document('Secret', 'scheduler', { stringData: { token } }));
  const spec = {
    connectionRef: { name: 'bench' },
    pluginID: 'hostpath',
    deletionPolicy: 'Delete',
    create: { capacity: { min: '1Gi' } },
    capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
  };
  for (let number = 0; number <= volumes; number++)
    writeFileSync(volumeFile(directory, number), document('CSIVolume', `volume-${number}`, { spec }));
  for (let number = 0; number < files; number++) {
    const folder = join(directory, `folder-${Math.floor(number / 1_000)}`);
    if (number % 1_000 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `${number}.yaml`),
      document('Secret', `secret-${number}`, { stringData: { key: 'value' } }),
    );
  }
}

async function apply(directory: string, stateDir: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [program, 'apply', directory, '--state-dir', stateDir, '--timeout', String(secondsMax)],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`apply: expected exit code 0, got ${code}`);
}

const isDestroying = ({ method, pattern }: Request): boolean =>
  method === 'DELETE' && pattern.startsWith('/v1/volume/');
const isLook = ({ method }: Request): boolean => method === 'GET';

/** Of each destroying call, how long ago the look before it was: at that volume, or at who shares its disk. */
function gapsIn(requests: readonly Request[]): readonly number[] {
  return requests.flatMap((call, at) => {
    if (!isDestroying(call)) return [];
    const looks = requests.slice(0, at).filter(isLook);
    const last = looks.at(-1);
    return last ? [call.atMs - last.atMs] : [];
  });
}

async function measure(directory: string, files: number, deletions: number): Promise<Result> {
  const requests: Request[] = [];
  const scheduler = await startScheduler({
    dialect: 'cluster',
    token,
    onRequest({ method, pattern }) {
      requests.push({ method, pattern, atMs: performance.now() });
      return 'none';
    },
  });
  try {
    const tree = join(directory, `tree-${files}`);
    const stateDir = join(directory, `state-${files}`);
    plant(tree, files, deletions, scheduler.url);
    await apply(tree, stateDir);
    const gaps: number[] = [];
    // One after the other: looks of several at once would make the last one look fresher than it is.
    for (let number = 0; number < deletions; number++) {
      requests.length = 0;
      rmSync(volumeFile(tree, number));
      await apply(tree, stateDir);
      gaps.push(...gapsIn(requests));
    }
    say(`${files} files: ${gaps.length} destroying calls`);
    return { files, gaps };
  } finally {
    await scheduler.stop();
  }
}

const rows: readonly Row<Result>[] = [
  { name: 'destroying calls', of: ({ gaps }) => String(gaps.length) },
  {
    name: '**ms since the last look: p50 / p99 / p99.9 / most**',
    of: ({ gaps }) => tailOf(gaps),
    target: 'most ≤ 50',
  },
];

export const lastLook: Benchmark = {
  usage: `  --files <list>       files in the tree besides; one column of the table each (default 1000,99000)
  --deletions <n>      volumes that are deleted, one after the other (default 5)`,
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const sizes = wholes('files', values.files, 1);
    const [deletions = 1] = wholes('deletions', values.deletions, 1);
    return async (directory) => {
      const results: Result[] = [];
      for (const files of sizes) results.push(await measure(directory, files, deletions));
      return tableOf(results, ({ files }) => `${files} files`, rows);
    };
  },
};
