// What clients may rely on, asked over HTTP: of the embedded secrets service in both dialects, or, unchanged, of a real
// server (see secrets/targets.ts). Cases that need the set-up API run on the embedded one only.
import { afterAll, beforeAll, describe } from 'vitest';
import { aclCases } from './secrets/acl-cases.ts';
import { Bench } from './secrets/bench.ts';
import { httpCases } from './secrets/http-cases.ts';
import { kmsCases } from './secrets/kms-cases.ts';
import { ldapConfigCases } from './secrets/ldap-config-cases.ts';
import { ldapRoleCases } from './secrets/ldap-role-cases.ts';
import { namespaceCases } from './secrets/namespace-cases.ts';
import { oidcConfigCases } from './secrets/oidc-config-cases.ts';
import { oidcLoginCases } from './secrets/oidc-login-cases.ts';
import { oidcRoleCases } from './secrets/oidc-role-cases.ts';
import { targets } from './secrets/targets.ts';
import { tokenCases } from './secrets/token-cases.ts';

describe.each(targets)('secrets service, $name', (target) => {
  const bench = new Bench(target);
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  httpCases(bench);
  tokenCases(bench);
  ldapConfigCases(bench);
  ldapRoleCases(bench);
  oidcConfigCases(bench);
  oidcRoleCases(bench);
  oidcLoginCases(bench);
  kmsCases(bench);
  namespaceCases(bench);
  aclCases(bench);
});
