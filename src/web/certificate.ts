// The certificate of the port, from files: a renewed one is used from the next connection on, without a restart.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const lookMs = 60_000;

/** @throws if one can't be read */
export const readCertificate = ({ certFile, keyFile }: TlsFiles) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
});

export function renewCertificate(server: Server, files: TlsFiles, nowMs: () => number): void {
  let dueMs = nowMs() + lookMs;
  server.prependListener('connection', () => {
    if (nowMs() < dueMs) return;
    dueMs = nowMs() + lookMs;
    try {
      server.setSecureContext(readCertificate(files));
    } catch {} // only one of them was replaced yet: the former ones go on
  });
}
