// `holdfast dev`: the embedded services, and a directory reconciled on them.
import type { SchedulerDialectName } from '../api/dialects.ts';
import { schedulerDialect } from '../api/dialects.ts';
import { plain } from './terminal.ts';
import { converge } from './converge.ts';
import { systemClock } from './clock.ts';
import { embeddedToken, startEmbedded } from './embedded.ts';
import { exitCode, type ExitCode } from './exit.ts';
import { faultFrom } from './fault.ts';
import { Narrator } from './narrator.ts';
import { openOperator, type Operator } from './operator.ts';
import { serveRequests } from './requests.ts';
import type { Terminal } from './terminal.ts';
import type { Process } from './process.ts';

export interface DevOptions {
  readonly once?: boolean;
  readonly output: 'text' | 'json';
  readonly dialect: SchedulerDialectName;
  readonly stateDir: string;
  readonly secretsDir?: string;
  /** Seconds. */
  readonly timeout: number;
  readonly port: number;
}

export async function dev(
  directory: string | undefined,
  options: DevOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { stateDir, dialect, port } = options;
  const scheduler = await startEmbedded({ stateDir, dialect, port });
  const text = options.output === 'text';
  const narrator = new Narrator(terminal, !text, systemClock.nowMs);
  let operator: Operator | undefined;
  try {
    if (text) greet(terminal, scheduler.url, options);
    if (directory === undefined) {
      await process.asked;
      return exitCode.fine;
    }
    operator = await openOperator({
      directory,
      stateDir,
      watch: options.once !== true,
      embedded: () => ({
        url: scheduler.url,
        dialect,
      }),
      ...narrator.hooks,
      ...(options.secretsDir !== undefined && { secretsDir: options.secretsDir }),
      gate: faultFrom(process.env['HOLDFAST_FAULT']),
    });
    await operator.controller.list();
    const control = options.once === true ? undefined : await serveRequests(stateDir, operator);
    const timeUp = AbortSignal.any([AbortSignal.timeout(options.timeout * 1000), process.asking]);
    const facts = () => ({ 'service writes': scheduler.counters().writes });
    const { code } = await converge(operator, narrator, terminal, { output: options.output, timeUp, facts });
    if (options.once === true) return code;
    if (text) invite(terminal, scheduler.url, directory, options, operator);
    await process.asked;
    await control?.close();
    return exitCode.fine;
  } finally {
    await operator?.close();
    await scheduler.stop();
  }
}

function greet(terminal: Terminal, url: string, { dialect, stateDir }: DevOptions): void {
  terminal.line(
    `${terminal.style('bold', 'scheduler')}  ${url}  (embedded, dialect ${dialect}, token ${embeddedToken})`,
  );
  terminal.line(`${terminal.style('bold', 'state')}      ${plain(stateDir)}`);
  terminal.line();
}

function invite(
  terminal: Terminal,
  url: string,
  directory: string,
  { dialect }: DevOptions,
  operator: Operator,
): void {
  const { token } = schedulerDialect(dialect).headers;
  const volume = operator
    .rows(() => [])
    .find(({ key, memory }) => key.kind === 'CSIVolume' && memory.externalRef);
  terminal.line();
  terminal.line(`Watching ${plain(directory)}: edit, add or remove a file.`);
  if (volume) {
    const id = encodeURIComponent(volume.memory.externalRef?.['id'] ?? '');
    terminal.line('Or change something behind its back:');
    terminal.line(`  curl -X DELETE -H '${token}: ${embeddedToken}' ${url}/v1/volume/csi/${id}`);
  }
  terminal.line('Ctrl-C ends.');
}
