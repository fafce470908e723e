// Decides whether a state was restored or copied. The records of such a state may be about external objects that have a
// different owner by now. Until a person approves it, nothing is destroyed because of it, and no earlier request is
// carried out again. Pure.
import { dirname } from 'node:path';
import { shortHash } from '../../../core/hash.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Distrust } from '../../../core/source/approvals.ts';
import type { Generation } from './generation.ts';
import { isRecord, parseJson } from '../../../core/json.ts';

export interface Origin {
  readonly generation: Pick<Generation, 'id' | 'commits'>;
  /** Identity of the file that the state was written to; see `fileIdOf`. */
  readonly file: string;
  /** When the backup was taken (ISO 8601); `undefined`: the state is not a backup. */
  readonly backup: string | undefined;
  /** The recorded doubt, which stands until a person approves. */
  readonly doubt: Doubt | undefined;
}

export interface Doubt {
  /** What a person approves. */
  readonly digest: string;
  /** Follows the name of the file in a sentence. */
  readonly why: string;
  /** Whether all manifests were read since, so that their requests are known. */
  readonly seen: boolean;
}

/** From `fs.stat` with `bigint: true`. */
export type FileStat = Readonly<Record<'ino' | 'birthtimeNs' | 'ctimeNs', bigint>>;

/** Inode and time of birth: even an exact copy has others. 0: the file system does not provide it. */
export const fileIdOf = ({ ino, birthtimeNs }: FileStat): string => `${ino} ${birthtimeNs}`;

/** A part that is unknown on either side matches. */
function isSameFile(recorded: string, { ino, birthtimeNs, ctimeNs }: FileStat): boolean {
  const born = birthtimeNs === ctimeNs ? 0n : birthtimeNs; // old systems report the time of the last change as the birth
  const now = [String(ino), String(born)];
  return recorded.split(' ').every((part, n) => part === '0' || now[n] === '0' || part === now[n]);
}

/**
 * @param beside the generation file, as read before the state
 * @param file of the state
 */
export function doubtOf(origin: Origin, beside: Generation | undefined, file: FileStat): Doubt | undefined {
  if (origin.doubt) return origin.doubt;
  const why = whyNot(origin, beside, file);
  if (why === undefined) return undefined;
  const { generation, backup = '' } = origin;
  const digest = shortHash([
    generation.id,
    generation.commits,
    beside?.id ?? '',
    beside?.commits ?? 0,
    fileIdOf(file),
    backup,
  ]);
  return { digest, why, seen: false };
}

function whyNot(origin: Origin, beside: Generation | undefined, file: FileStat): string | undefined {
  const { generation, backup } = origin;
  const taken = backup === undefined ? '' : `, a backup of ${backup}`;
  if (!beside) return `was brought here from elsewhere${taken}: state.generation is not beside it`;
  if (beside.id !== generation.id) {
    return generation.commits === 0
      ? `was lost after ${beside.commits} commits, and is a new one`
      : `is not the state that was here, but another one put in its place${taken}`;
  }
  if (generation.commits < beside.commits) {
    return `holds ${generation.commits} of ${beside.commits} commits: an earlier state was put in its place${taken}`;
  }
  if (backup !== undefined) return `is a backup of ${backup}`;
  return isSameFile(origin.file, file) ? undefined : 'is a copy of the file that was written to';
}

export const distrustOf = (file: string, { digest, why, seen }: Doubt): Distrust => ({
  digest,
  message:
    `${file} ${why}; nothing is destroyed, and no earlier request is carried out again, ` +
    `until ${seen ? '' : 'all manifests have been read and '}you approve this state: ` +
    `holdfast approve ${digest} --state-dir ${dirname(file)}`,
});

/** Approving would count current requests as handled, so it is refused while they are not known. */
export const unacknowledged = (file: string, { digest, why }: Doubt): UsageError =>
  new UsageError(
    `${file} ${why}; the manifests have not been read since, so their requests are not known: let \`holdfast apply\`, ` +
      `\`run\` or \`dev\` read them all without a problem, then approve ${digest}`,
  );

export function parseDoubt(source: string): Doubt {
  const value = parseJson(source);
  const { digest, why, seen } = isRecord(value) ? value : {};
  return {
    digest: typeof digest === 'string' ? digest : shortHash(source),
    why: typeof why === 'string' ? why : 'was found to be an earlier one, or one from elsewhere',
    seen: seen === true,
  };
}
