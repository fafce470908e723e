// What the convergence benchmark found, as one Markdown table, and where it was found.
import { cpus, loadavg, release, totalmem } from 'node:os';
import type { Case, Pair, PeerRun } from './convergence.ts';
import type { Measured } from './measured.ts';
import { spreadOf } from './statistics.ts';

export interface Result {
  readonly kase: Case;
  readonly pairs: readonly Pair[];
  /** Of the machine's last minute, before the first pair. */
  readonly loadBefore: number;
}

/** Above this, others use the machine, and wall times say little. */
export const loadMax = 0.5;

export const load = (): number => loadavg()[0] ?? 0;

export const machine = (): string => {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} cores, ${memory}, Linux ${release()}, Node ${process.version}`;
};

const range = (from: number, to: number): string => `${from.toFixed(2)} – ${to.toFixed(2)}`;
const cpuMs = ({ userMs, systemMs }: Measured): number => userMs + systemMs;
const medianOf = (pairs: readonly Pair[], figure: (pair: Pair) => number): number =>
  spreadOf(pairs.map(figure)).median;

type Run = (pair: Pair) => Measured;

const spent = (pairs: readonly Pair[], run: Run): string =>
  [(pair: Pair) => run(pair).wallMs, (pair: Pair) => cpuMs(run(pair))]
    .map((figure) => (medianOf(pairs, figure) / 1000).toFixed(2))
    .join('; ');

const peak = (pairs: readonly Pair[], run: Run): string =>
  (spreadOf(pairs.map((pair) => run(pair).peakBytes)).max / 2 ** 20).toFixed(0);

/** Wall of the operator ÷ wall of the floor. */
export const ratioOf = ({ operator, floor }: Pair): number => operator.wallMs / floor.wallMs;

function perVolume(routes: Pair['routes'], { volumes }: Case): string {
  const ofVolumes = Object.entries(routes).filter(([route]) => route.includes('/v1/volume/'));
  const all = ofVolumes.reduce((sum, [, count]) => sum + count, 0);
  const each = ofVolumes.map(([route, count]) => `${count / volumes} ${route}`);
  return `${all / volumes} (${each.join(', ')})`;
}

/** A row of the table: its figure for one case, and what is aimed at. */
interface Row {
  readonly name: string;
  readonly target?: string;
  readonly of: (result: Result) => string;
}

const rows: readonly Row[] = [
  {
    name: '**wall, operator ÷ floor: median**',
    target: '≤ 1.5 at 0 ms, ≤ 1.1 at 5 ms; ≤ 2.0 in Kubernetes',
    of: ({ pairs }) => `**${medianOf(pairs, ratioOf).toFixed(2)}**`,
  },
  {
    name: 'quartiles (min – max)',
    of({ pairs }) {
      const { min, lowerQuartile, upperQuartile, max } = spreadOf(pairs.map(ratioOf));
      return `${range(lowerQuartile, upperQuartile)} (${range(min, max)})`;
    },
  },
  { name: 'each pair', of: ({ pairs }) => pairs.map((pair) => ratioOf(pair).toFixed(2)).join(' ') },
  {
    name: 'processor time, operator ÷ floor: median',
    of: ({ pairs }) => medianOf(pairs, (p) => cpuMs(p.operator) / cpuMs(p.floor)).toFixed(2),
  },
  { name: 'operator: wall; processor time (s, medians)', of: ({ pairs }) => spent(pairs, (p) => p.operator) },
  { name: 'floor: wall; processor time (s, medians)', of: ({ pairs }) => spent(pairs, (p) => p.floor) },
  { name: 'operator: peak memory (MiB, the most)', of: ({ pairs }) => peak(pairs, (p) => p.operator) },
  { name: 'floor: peak memory (MiB, the most)', of: ({ pairs }) => peak(pairs, (p) => p.floor) },
  {
    name: 'requests per created volume',
    target: '≤ 3',
    of: ({ kase, pairs }) => perVolume(pairs[0]?.routes ?? {}, kase),
  },
  {
    name: 'writes of the API server per created volume',
    target: '≤ 3',
    of: ({ pairs }) => pairs[0]?.perVolume?.toFixed(2) ?? '–',
  },
  { name: 'second pass: writes', target: '0', of: () => '0' }, // else there is no pair
  {
    name: 'second pass: requests',
    of: ({ pairs }) => String(medianOf(pairs, ({ again }) => again.requests)),
  },
  { name: 'second pass: wall; processor time (s, medians)', of: ({ pairs }) => spent(pairs, (p) => p.again) },
  { name: 'load of the machine before', of: ({ loadBefore }) => loadBefore.toFixed(2) },
];

/** Where there are peers, and what they are measured by. */
function peerRows([result]: readonly Result[]): readonly Row[] {
  const peers = result?.pairs[0]?.peers ?? [];
  if (peers.length === 0) return [];
  const runs: readonly Run[] = [(p) => p.operator, (p) => p.floor, ...peers.map((_, i) => runOf(i))];
  const names = ['operator', 'floor', ...peers.map(({ name }) => name)].join('; ');
  return [
    ...peers.flatMap(rowsOf),
    {
      name: `processor time per created volume (ms, medians): ${names}`,
      of: ({ kase: { volumes }, pairs }) =>
        runs.map((run) => medianOf(pairs, (pair) => cpuMs(run(pair)) / volumes).toFixed(2)).join('; '),
    },
  ];
}

const runOf =
  (peer: number): Run =>
  (pair) => {
    const found = pair.peers?.[peer];
    if (!found) throw new RangeError(`there is no peer ${peer}`);
    return found.run;
  };

function rowsOf({ name, target, perVolume: writes, again }: PeerRun, peer: number): readonly Row[] {
  const run = runOf(peer);
  const ratio = (figure: (run: Measured) => number) => (pair: Pair) =>
    figure(pair.operator) / figure(run(pair));
  return [
    {
      name: `**wall, operator ÷ ${name}: median**`,
      target,
      of: ({ pairs }) =>
        `**${medianOf(
          pairs,
          ratio(({ wallMs }) => wallMs),
        ).toFixed(2)}**`,
    },
    {
      name: `processor time, operator ÷ ${name}: median`,
      of: ({ pairs }) => medianOf(pairs, ratio(cpuMs)).toFixed(2),
    },
    { name: `${name}: wall; processor time (s, medians)`, of: ({ pairs }) => spent(pairs, run) },
    { name: `${name}: peak memory (MiB, the most)`, of: ({ pairs }) => peak(pairs, run) },
    ...(writes === undefined
      ? []
      : [
          {
            name: `${name}: writes of the API server per created volume`,
            of: ({ pairs }: Result) => pairs[0]?.peers?.[peer]?.perVolume?.toFixed(2) ?? '–',
          },
        ]),
    ...(again ? secondPassOf(name, peer) : []),
  ];
}

function secondPassOf(name: string, peer: number): readonly Row[] {
  const run: Run = (pair) => pair.peers?.[peer]?.again ?? runOf(peer)(pair);
  return [
    {
      name: `second pass: wall, operator ÷ ${name}: median`,
      of: ({ pairs }) => medianOf(pairs, (pair) => pair.again.wallMs / run(pair).wallMs).toFixed(2),
    },
    { name: `${name}: second pass: wall; processor time (s, medians)`, of: ({ pairs }) => spent(pairs, run) },
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function table(results: readonly Result[]): string {
  const cases = results.map(
    ({ kase: { source, volumes, volumesPerFile, latencyMs } }) =>
      `${volumes} volumes, ${source === 'directory' ? `${volumesPerFile} a file` : 'in Kubernetes'}, ${latencyMs} ms`,
  );
  const body = [...rows, ...peerRows(results)].map(({ name, of, target }) =>
    line([name, ...results.map(of), target ?? '']),
  );
  return [line(['', ...cases, 'target']), line(['---', ...cases.map(() => '---'), '---']), ...body].join(
    '\n',
  );
}
