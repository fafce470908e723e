// `holdfast plan`: what a reconciler would do now, without doing it. The same plan, from the same code.
import { join } from 'node:path';
import { EffectGate } from '../api/effect.ts';
import { Connections } from '../controller/connections.ts';
import { Deletions } from '../controller/deletions.ts';
import { Graph } from '../controller/graph.ts';
import { Owners } from '../controller/owners.ts';
import { preview, type Previewed } from '../controller/preview.ts';
import { withEmptied } from '../sources/directory/emptied.ts';
import { PreviewSource } from '../sources/directory/preview.ts';
import { renderProblem } from '../sources/directory/problem.ts';
import { TreeReader } from '../sources/directory/read.ts';
import { openStateReadOnly } from '../sources/directory/snapshot.ts';
import { systemClock } from './clock.ts';
import { lastDialect, runningEmbedded, startEmbedded, type Embedded } from './embedded.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { declarations, kinds } from './kinds.ts';
import type { Process } from './process.ts';
import { nonce } from './operator.ts';
import { connect } from './services.ts';
import { planLines } from './show.ts';
import type { Terminal } from './terminal.ts';

export interface PlanOptions {
  readonly stateDir: string;
  readonly secretsDir?: string;
  readonly output: 'text' | 'json' | 'markdown';
  readonly detailedExitcode?: boolean;
}

export async function plan(
  root: string,
  options: PlanOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { stateDir, secretsDir } = options;
  const snapshot = await openStateReadOnly(join(stateDir, 'state.sqlite'));
  const previous = (key: string) => snapshot?.rows.get(key)?.object.spec;
  const reader = new TreeReader({
    root,
    declarations,
    previous,
    ...(secretsDir !== undefined && { secretsDir }),
  });
  const pass = withEmptied(await reader.read(), snapshot?.rows ?? []);
  const source = new PreviewSource(pass, snapshot);
  const embedded = await embeddedFor(source, stateDir);
  const gate = new EffectGate(systemClock);
  const graph = new Graph();
  const { nowMs } = systemClock;
  const connections = new Connections(
    (connection) => connect(connection, gate, () => embedded?.running),
    nowMs,
  );
  const ports = {
    kinds,
    source,
    graph,
    connections,
    owners: new Owners(),
    deletions: new Deletions({ graph, source, settled: () => true, nowMs }),
    nonce,
  };
  try {
    const looked = await preview({ ports, clock: systemClock, concurrency: 16 }, process.asking);
    if (snapshot?.distrusted) terminal.note(snapshot.distrusted.message);
    for (const problem of pass.problems)
      terminal.note(renderProblem(problem, { color: terminal.colourOnErr }));
    show(looked, options.output, terminal);
    if (pass.problems.length > 0 || looked.some((l) => 'error' in l)) return exitCode.error;
    return options.detailedExitcode === true && looked.some(changes)
      ? exitCode.changesPending
      : exitCode.fine;
  } finally {
    await connections.closeAll();
    await embedded?.stop();
  }
}

/** The embedded services that a running process serves, or some of our own on what they remember; reads change nothing. */
async function embeddedFor(
  source: PreviewSource,
  stateDir: string,
): Promise<Pick<Embedded, 'running' | 'stop'> | undefined> {
  const wanted = [...source.keys()].some((key) =>
    JSON.stringify(source.read(key)?.object.spec).includes('"embedded"'),
  );
  if (!wanted) return undefined;
  const running = runningEmbedded(stateDir);
  if (running) return { running, stop: () => Promise.resolve() };
  return await startEmbedded({
    stateDir,
    dialect: lastDialect(stateDir),
    port: 0,
    secretsPort: 0,
    still: true,
  });
}

const changes = (looked: Previewed): boolean =>
  'plan' in looked && (looked.plan.verdict === 'change' || looked.plan.verdict === 'gone');

/** What is to be destroyed, by verb and by what goes: apart from all that can be undone. */
function destructions(looked: readonly Previewed[]): string {
  const counts = new Map<string, number>();
  for (const one of looked) {
    const [first] = 'plan' in one && one.plan.verdict === 'change' ? one.plan.steps : [];
    if (!first?.destroys) continue;
    const what = `to ${first.verb}: destroys ${plural[first.destroys]}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => `${count} ${what}\n`).join('');
}

const plural = { data: 'data', registration: 'registrations', credential: 'credentials' } as const;

const heldLines = ({ held }: Extract<Previewed, { readonly plan: unknown }>): readonly string[] =>
  held ? [`  x ${held.reason}: ${held.message}`] : [];

function show(looked: readonly Previewed[], output: PlanOptions['output'], terminal: Terminal): void {
  if (output === 'json') return terminal.json(looked);
  const counts = { change: 0, blocked: 0, 'in-sync': 0, gone: 0, error: 0 };
  const destroying = destructions(looked);
  const blocks: string[] = [];
  for (const one of looked) {
    counts['plan' in one ? one.plan.verdict : 'error']++;
    const lines = 'plan' in one ? [...planLines(one.plan), ...heldLines(one)] : [`  x ${one.error}`];
    if (lines.length > 0) blocks.push([one.key, ...lines].join('\n'));
  }
  const text = blocks.join('\n\n');
  const summary = `${destroying}${counts.change} to change, ${counts.gone} to leave, ${counts.blocked} blocked, ${counts['in-sync']} in sync${counts.error > 0 ? `, ${counts.error} failed` : ''}`;
  if (output === 'markdown') {
    terminal.line(`### holdfast plan\n\n${summary}\n${text === '' ? '' : `\n\`\`\`diff\n${text}\n\`\`\``}`);
  } else {
    if (text !== '') terminal.line(`${text}\n`);
    terminal.line(summary);
  }
}
