// A configuration that the service does not show, because the file of its service account is gone or is no key: only a write mends
// that, and only an edit is a reason to write.
import { expect, test } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { oidcConfig } from '../../../src/kinds/oidc-config/kind.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import type { Status } from '../../../src/core/status/status.ts';
import { failure } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';
import { observe } from '../observe.ts';
import { secretsOf } from '../resolved.ts';
import { canary, declared, key, recorded } from './situation.ts';

const errors = [
  '1 error occurred:\n\t* error initializing "gsuite" provider_config: error parsing service account JSON\n\n',
];

const { clientID: _, clientSecretSecretRef: _secret, ...clientless } = declared;
const { externalRef: _ref, ...unrecorded } = recorded;
const edited: Spec = { ...declared, boundIssuer: 'https://embedded/staff' };

const looked = (spec: Spec, status: Status = recorded) =>
  observe(
    oidcConfig,
    {
      key,
      spec,
      status,
      resolved: secretsOf(spec, { clientSecretSecretRef: Secret.of('oidc/secret', '1', canary) }),
    },
    { '/v1/auth/oidc/config': { status: 500, json: { errors } } },
  );

test.for<{ why: string; spec: Spec; status?: Status }>([
  { why: 'nothing was edited', spec: declared },
  { why: 'it is not ours', spec: edited, status: unrecorded },
  {
    why: 'its client would be lost, which nobody declares',
    spec: { ...clientless, boundIssuer: 'https://embedded/staff' },
    status: {
      ...recorded,
      applied: { '/discoveryURL': declared.discoveryURL },
      observed: { clientID: 'theirs' },
    },
  },
])('it is left alone where $why, and says what the service says', async ({ spec, status }) => {
  expect(await failure(looked(spec, status))).toMatchObject({
    class: 'refused',
    reason: 'Rejected',
    message: expect.stringContaining('error parsing service account JSON'),
  });
});

test('an edit is written, with all that is declared', async () => {
  const plan = (await looked(edited)).plan(momentAt(0));
  expect(plan).toMatchObject({
    verdict: 'change',
    steps: [
      {
        verb: 'update',
        changes: [{ path: '/boundIssuer' }],
        effect: {
          op: 'oidc.config.write',
          body: { oidc_client_id: 'holdfast', bound_issuer: 'https://embedded/staff', default_role: 'staff' },
        },
      },
    ],
  });
});
