export const exitCode = {
  fine: 0,
  /** Includes bad input. */
  error: 1,
  /** `plan --detailed-exitcode` only. */
  changesPending: 2,
  notReady: 3,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
