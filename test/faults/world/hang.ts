// A program that never ends is killed, and that is a finding: somebody would have to do the same.
import type { Ended, Holdfast } from '../../support/cli.ts';

/** Far beyond what any pass is given, on a busy machine. */
const lifetimeMs = 120_000;

export class NeverEnded extends Error {
  /** What it said until then. */
  readonly output: string;

  constructor(output: string) {
    super(`it never ended: killed after ${lifetimeMs / 1_000} s`);
    this.output = output;
  }
}

/** @throws NeverEnded */
export const endingOf = (child: Holdfast): Promise<Ended> =>
  endingIn(child.ended, () => {
    child.kill('SIGKILL');
    return child.stdout + child.stderr;
  });

/** @param kill says what it said until then. @throws NeverEnded */
export async function endingIn(ended: Promise<Ended>, kill = (): string => ''): Promise<Ended> {
  const never = Promise.withResolvers<never>();
  const timer = setTimeout(() => never.reject(new NeverEnded(kill())), lifetimeMs);
  try {
    return await Promise.race([ended, never.promise]);
  } finally {
    clearTimeout(timer);
  }
}
