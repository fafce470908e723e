// Certificates and keys that can be read, and belong to nobody here.
import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';

const [authority = '', otherAuthority = ''] = rootCertificates;
export { authority, otherAuthority };

const privateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

export const key = privateKey();
export const otherKey = privateKey();
