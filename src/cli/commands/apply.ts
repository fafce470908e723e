// `holdfast apply`: reconciles a directory once, or carries out a saved plan, if nothing has changed since it was made.
import { statSync } from 'node:fs';
import { UsageError } from '../../core/errors.ts';
import { differences, goingOf, PlanBounds } from '../../core/planning/saved-plan.ts';
import { treeOf } from '../../runtime/manifests.ts';
import { digestOf, isPlan, readPlan } from '../../runtime/place/saved-plan.ts';
import type { Process } from '../process.ts';
import type { ExitCode } from '../exit.ts';
import type { Terminal } from '../output/terminal.ts';
import { savedOf } from '../output/saved.ts';
import { isIn, lookAhead } from './plan.ts';
import { applyWithin, type ApplyOptions } from './run.ts';

const linesMax = 20;

export async function apply(
  path: string,
  options: ApplyOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw new UsageError(
      `${path}: expected a directory or a file of manifests, or a saved plan, and there is none`,
    );
  const isFile = found.isFile();
  if (isFile && isPlan(path)) return await applyPlan(path, options, terminal, process);
  return await (isFile ? applyFile : applyWithin)(path, options, terminal, process);
}

/**
 * Applies what one file declares. Nothing else is changed, and nothing is approved: what goes beyond the limits waits.
 * @throws UsageError if the file can't be used
 */
async function applyFile(
  file: string,
  options: ApplyOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { found, planned } = await lookAhead(file, options, process);
  const [problem] = found.problems;
  if (problem) throw new UsageError(terminal.problemText(problem));
  const objects = savedOf(planned, found);
  const { root, only = file } = treeOf(file);
  const keys = new Set(objects.map(({ key }) => key));
  return await applyWithin(root, options, terminal, process, {
    grants: new Map(),
    plan: new PlanBounds(objects, digestOf, { what: only, remedy: 'apply the directory' }),
    shows: (key) => keys.has(key),
  });
}

/** @throws UsageError if the plan is not valid here, or is outdated */
async function applyPlan(
  file: string,
  options: ApplyOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { plan, check } = readPlan(file);
  const { manifests, namespace, objects } = plan;
  const secretsDir = options.secretsDir ?? plan.secretsDir;
  const given = { ...options, ...(secretsDir !== undefined && { secretsDir }) };
  const { found, planned } = await lookAhead(
    manifests,
    { ...given, approved: true, ...(namespace !== undefined && { namespace }) },
    process,
  );
  if (found.of) check(found.of);
  if (found.distrusted) throw new UsageError(found.distrusted.message);
  const [problem] = found.problems;
  const broken = problem ? [`${problem.origin}: ${problem.message}`] : [];
  const moved = [...broken, ...differences(objects, savedOf(planned, found))];
  if (moved.length > 0) throw new UsageError(refused(file, moved));
  return await applyWithin(treeOf(manifests).root, given, terminal, process, {
    grants: goingOf(objects),
    plan: new PlanBounds(objects, digestOf),
    shows: (key) => isIn(namespace, key),
  });
}

function refused(file: string, moved: readonly string[]): string {
  const more = moved.length > linesMax ? [`  … and ${moved.length - linesMax} more`] : [];
  return [
    `${file}: nothing was done, for this is not the world any more that the plan was made of:`,
    ...moved.slice(0, linesMax).map((line) => `  ${line}`),
    ...more,
    'Plan again, and look at that plan.',
  ].join('\n');
}
