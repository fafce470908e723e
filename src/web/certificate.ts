// The certificate of the port, from files. A renewed certificate is used for new connections without a restart.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The files are read again at most this often. */
const lookMs = 60_000;

/** @throws if a file can't be read */
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
    } catch {} // only one file was replaced so far: the old pair stays in use
  });
}
