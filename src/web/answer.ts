// Describes answers as data, and their common headers.

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly allow?: string;
  /** They override the common headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

export const text = (status: number, body: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${body}\n`,
});

export const page = (status: number, body: string): Answer => ({
  status,
  type: 'text/html; charset=utf-8',
  body,
});
