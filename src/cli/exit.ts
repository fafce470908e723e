export const exitCode = {
  fine: 0,
  /** Any error, also invalid input. */
  error: 1,
  /** Only `plan --detailed-exitcode`. */
  changesPending: 2,
  notReady: 3,
  /** Standard output was closed before all was written, as by `head`: the code of a process that SIGPIPE ends. */
  outputClosed: 141,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Of `diff`, as of `kubectl diff`: more than 1 is an error. */
export const diffCode = { same: 0, differs: 1, error: 2 } as const;

/** What a command exits with that fails. */
export const failureOf = (command: string): ExitCode =>
  command === 'diff' ? diffCode.error : exitCode.error;
