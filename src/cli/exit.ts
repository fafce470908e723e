export const exitCode = {
  fine: 0,
  /** Any error, also invalid input. */
  error: 1,
  /** Only `plan --detailed-exitcode`. `diff` has the exit codes of `kubectl diff`. */
  changesPending: 2,
  notReady: 3,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
