// Exit codes.
export const exitCode = {
  fine: 0,
  /** Bad input included. */
  error: 1,
  /** `plan --detailed-exitcode` only. */
  changesPending: 2,
  /** Not everything Ready in time. */
  notReady: 3,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
