// Prints events as they happen, one line each: steps, drift, changes of readiness, problems.
import type { Visit } from '../../controller/reconcile/endings.ts';
import { conditionOf } from '../../core/status/condition.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { Condition } from '../../core/status/status.ts';
import type { Problem } from '../../core/text/problem.ts';
import type { ScanReport } from '../../sources/directory/scan-report.ts';
import { changeText, signs } from './changes.ts';
import { plain, type Terminal } from './terminal.ts';

export class Narrator {
  readonly #terminal: Terminal;
  /** Whether to print to standard error, because standard output is for the result. */
  readonly #aside: boolean;
  readonly #wallMs: () => number;
  readonly #startedMs: number;
  readonly #done = new Map<string, string[]>();
  readonly #printed = new Map<string, string>();
  problems = 0;
  /** Options for the operator. */
  readonly hooks = {
    onStep: (key: string, step: Step<unknown>, outcome: Outcome | undefined) =>
      this.#step(key, step, outcome),
    onVisit: (visit: Visit) => this.#visit(visit),
    onScan: (report: ScanReport) => this.#pass(report),
    onWarning: (warning: Problem) => this.#terminal.warning(warning),
    onBug: (key: string, error: unknown) => this.#bug(key, error),
    onDistrust: (message: string) => this.#terminal.note(plain(message)),
    onRefused: (message: string | undefined) =>
      this.#terminal.note(message === undefined ? 'the state can be written again' : plain(message)),
    onTrouble: (message: string) => this.#terminal.note(plain(message)),
    onPageBug: (error: unknown) => this.#bug('the status page', error),
  };

  constructor(terminal: Terminal, aside: boolean, wallMs: () => number) {
    this.#terminal = terminal;
    this.#aside = aside;
    this.#wallMs = wallMs;
    this.#startedMs = wallMs();
  }

  done(key: string): readonly string[] {
    return this.#done.get(key) ?? [];
  }

  #step(key: string, step: Step<unknown>, outcome: Outcome | undefined): void {
    if (outcome?.is !== 'done') return; // conditions report failures
    this.#done.set(key, [...(this.#done.get(key) ?? []), step.summary]);
    const colour = step.destroys ? 'red' : 'green';
    this.#say(this.#terminal.style(colour, signs[step.verb]), key, step.summary);
    for (const change of step.changes) {
      if (change.cause === 'drift' && step.verb !== 'create' && step.verb !== 'revive') {
        this.#say(' ', key, changeText(change));
      }
    }
    for (const warning of outcome.warnings ?? []) {
      this.#say(this.#terminal.style('yellow', '!'), key, `the service warns: ${warning}`);
    }
  }

  #visit(visit: Visit): void {
    if (visit.ending.is === 'conflict') return;
    if (visit.ending.is === 'gone') {
      this.#printed.delete(visit.key);
      const why = visit.done.length > 0 ? 'no longer managed' : `no longer managed: ${visit.ending.because}`;
      return this.#say(this.#terminal.style('red', '-'), visit.key, why);
    }
    const ready = conditionOf(visit.status.conditions, 'Ready');
    const synced = conditionOf(visit.status.conditions, 'Synced');
    const worse = ready?.status === 'True' && synced?.status !== 'True' ? synced : ready;
    const text = `${worse?.status} ${worse?.reason} ${worse?.message}`;
    const before = this.#printed.get(visit.key);
    if (!worse || before === text) return;
    this.#printed.set(visit.key, text);
    const well = worse === ready && ready.status === 'True';
    const isAsRecorded = before === undefined && visit.done.length === 0;
    if (well && isAsRecorded && this.#isOfBefore(ready)) return; // the table at the end has it
    const mark = well ? this.#terminal.style('green', '✓') : this.#terminal.style('yellow', '!');
    this.#say(mark, visit.key, well ? 'ready' : `${worse.reason}: ${worse.message}`);
  }

  /** A condition holds the second in which it became so. */
  #isOfBefore({ lastTransitionTime }: Condition): boolean {
    return Date.parse(lastTransitionTime) + 1_000 <= this.#startedMs;
  }

  #pass({ problems, appeared, cleared }: ScanReport): void {
    this.problems = problems.length;
    for (const problem of appeared) this.#terminal.problem(problem);
    const wrong = new Set(problems.map(({ origin }) => origin));
    const solved = new Set(cleared.map(({ origin }) => origin).filter((origin) => !wrong.has(origin)));
    for (const origin of solved) this.#say(this.#terminal.style('green', '✓'), origin, 'problem solved');
  }

  #bug(key: string, error: unknown): void {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#terminal.note(`${plain(key)}: a bug in Holdfast, please report it: ${what}`);
  }

  #say(mark: string, key: string, text: string): void {
    if (this.#aside && !this.#terminal.showsProgress) return;
    const at = new Date(this.#wallMs()).toTimeString().slice(0, 8);
    const line = `${this.#terminal.style('dim', at)}  ${mark} ${plain(key)}  ${plain(text)}`;
    if (this.#aside) this.#terminal.note(line);
    else this.#terminal.line(line);
  }
}
