// Services that quote what they were sent: nothing that was secret in it may come back in a message.
import { expect, test } from 'vitest';
import type { SchedulerEffect } from '../../../src/api/routes.ts';
import { Secret } from '../../../src/core/secret.ts';
import { client, everythingOf, never, serve } from '../servers.ts';

const token = 'canary-token-51c8';
const quoted = 'canary-"quoted"-9d02';
const withToken = { token: Secret.of('holdfast/nomad', '1', `${token}\n`) };

const create: SchedulerEffect = {
  port: 'scheduler',
  op: 'volume.create',
  params: { id: 'data', namespace: 'shop' },
  body: {
    Volumes: [
      {
        ID: 'data',
        Name: 'data-1',
        Namespace: 'shop',
        PluginID: 'ebs',
        Secrets: { user: Secret.of('csi/user', '3', quoted) },
      },
    ],
  },
};

test.for([400, 403, 500])(
  'a refusal with %i that repeats token and body names the secrets only',
  async (status) => {
    const { url } = await serve(({ headers, body }, response) => {
      response.writeHead(status).end(`can't: ${String(headers['x-cluster-token'])} ${quoted} ${body}`);
    });
    const outcome = await client([url], { dialect: 'cluster', ...withToken }).perform(create, 'k', never);
    if (outcome.is === 'done') throw new Error('expected a refusal');
    const shown = everythingOf(outcome.error);
    expect(shown).toContain('(secret csi/user)');
    expect(shown).toContain('(secret holdfast/nomad)');
    expect(shown).not.toContain('canary');
  },
);
