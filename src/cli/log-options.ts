export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export const logFormats = ['json', 'text'] as const;

export interface LogOptions {
  readonly logLevel: (typeof logLevels)[number];
  readonly logFormat: (typeof logFormats)[number];
}
