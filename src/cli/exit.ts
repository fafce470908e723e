export const exitCode = {
  fine: 0,
  /** Includes bad input. */
  error: 1,
  /** `plan --detailed-exitcode` only; `diff` has codes of its own, those of kubectl. */
  changesPending: 2,
  notReady: 3,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
