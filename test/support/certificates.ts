// Certificates for tests, made when they are needed.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether they can be made here: `test.skipIf(!hasOpenssl)`. */
export const hasOpenssl: boolean = isThere();

function isThere(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** `ca`, and a certificate of it each for `server` (127.0.0.1, localhost) and for `client`: `.pem` and `.key`. */
export function makeCertificates(folder: string): void {
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-sha256'];
  const ca = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    '/CN=test CA',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    ...ca,
  );
  writeFileSync(
    join(folder, 'server.ext'),
    'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n',
  );
  writeFileSync(join(folder, 'client.ext'), 'extendedKeyUsage=clientAuth\n');
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-sha256'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signed,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
  }
}
