// LDAPConfig: the certificate of the directory. It is sent from a Secret, which plans can't read. So what the service answers
// is compared with what it answered first after it was sent. A server that lags behind answers the one of before, so the first
// look does not believe that one. PURE.
import type { LDAPConfigBody, LDAPConfigRead } from '../../api/secrets/wire.ts';
import type { Json } from '../../core/secret.ts';
import { unlessSet } from './body.ts';
import type { Own, Root } from './root.ts';
import type { Spec } from './schema.ts';

const textMax = 65_536;

/** What is read of it, or shown in a status. */
interface Seen {
  readonly certificate?: Json | undefined;
  readonly request_timeout?: Json | undefined;
}

/** Empty: there is none. `undefined`: the service does not tell. */
const seenIn = (live: Seen): string | undefined => {
  const seen = unlessSet(live, live.certificate, '');
  return typeof seen === 'string' ? seen : undefined;
};

/** For a status: neither empty nor too long. */
export function shownCertificate(live: LDAPConfigRead): string | undefined {
  const seen = seenIn(live);
  return seen === undefined || seen === '' || seen.length > textMax ? undefined : seen;
}

type Recorded = Pick<Own, 'certificate' | 'certificateBefore'>;

/** What was read first since it was sent or adopted. One that is too long is not recorded, so it is not compared. */
export function certificateRead(
  { caSecretRef }: Spec,
  own: Recorded | undefined,
  live: LDAPConfigRead,
): Recorded {
  const certificate = own?.certificate ?? seenIn(live);
  if (caSecretRef === undefined || certificate === undefined || certificate === own?.certificateBefore)
    return {};
  return certificate.length <= textMax ? { certificate } : {};
}

/** Until the service is looked at again, where it may lag behind: until then, roles are told the certificate of before. */
const againMs = 5_000;

/** When to look again after a write of a certificate, if the one of before shows. */
export const lookingAgain = (own: Recorded | undefined, live: LDAPConfigRead): { readonly dueMs?: number } =>
  own?.certificateBefore !== undefined && seenIn(live) === own.certificateBefore ? { dueMs: againMs } : {};

/** Whether the service trusts another certificate by now than the one that was read first. */
export function isSwapped(own: Recorded | undefined, live: Seen): boolean {
  const seen = seenIn(live);
  return own?.certificate !== undefined && seen !== undefined && seen !== own.certificate;
}

/** What is recorded with a step that sends no certificate. */
export const ownAfter = (root: Root, { certificate, certificateBefore }: Recorded = {}): Own => ({
  ...root,
  ...(certificate !== undefined && { certificate }),
  ...(certificateBefore !== undefined && { certificateBefore }),
});

/** What is recorded with a write. A certificate that it sends is read anew. */
export function ownAfterWrite(
  root: Root,
  own: Recorded | undefined,
  body: LDAPConfigBody,
  live: LDAPConfigRead,
): Own {
  if (body['certificate'] === undefined) return ownAfter(root, own);
  const before = seenIn(live);
  return before === undefined || before.length > textMax ? root : { ...root, certificateBefore: before };
}
