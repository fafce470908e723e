// Mounts are the borders between tenants of a secrets service. A login method or a directory is named by its mount, and a role
// by its configuration; a key store has a name and a mount, and the access rules have to allow both.
import { expect, test } from 'vitest';
import { kmsProvider, kmsSecret, secretsConnection, serveSecrets } from '../support/secrets.ts';
import { serve } from '../support/service.ts';
import { Operated } from './operated.ts';

const mine = ['shop-*'];

test(
  "a tenant's key store under a name of its own was written to the mount of another tenant",
  { timeout: 120_000 },
  async () => {
    const secrets = await serveSecrets();
    const mounts = ['shop-keys', 'blog-keys'];
    for (const mount of mounts) await secrets.call('POST', `/v1/sys/mounts/${mount}`, { type: 'keymgmt' });
    const operated = await Operated.on(await serve());
    const connect = (externalNames: readonly string[]) => {
      const access = [{ namespaces: ['shop'], kinds: ['KMSProvider'], externalNames }];
      operated.tree.put('secrets.yaml', ...secretsConnection(secrets, { access }));
    };
    const put = (mount: string) =>
      operated.tree.put(
        'keys.yaml',
        kmsProvider({ externalName: 'shop-invoices', mount, deletionPolicy: 'Delete' }),
        kmsSecret('canary-tenant', 'canary-client', 'canary-secret'),
      );
    const stores = (mount: string) =>
      secrets.call('GET', `/v1/${mount}/kms/shop-invoices`).catch(() => 'none');

    connect(mine);
    put('blog-keys');
    await operated.apply();
    expect(await stores('blog-keys')).toBe('none');
    expect(await operated.ready('KMSProvider/shop/invoices')).toMatchObject({
      reason: 'AccessDenied',
      message:
        '/connectionRef: SecretsConnection/secrets gives no access to KMSProvider blog-keys from namespace shop',
    });

    connect([...mine, 'blog-keys']); // one mount for both
    await operated.converge();
    expect(await stores('blog-keys')).not.toBe('none');

    connect(mine); // what was made is its own: it may go, and no other comes
    operated.tree.put('keys.yaml', kmsSecret('canary-tenant', 'canary-client', 'canary-secret'));
    await operated.apply();
    expect(await stores('blog-keys')).toBe('none');
    put('shop-keys');
    await operated.converge();
    expect(await stores('shop-keys')).not.toBe('none');
  },
);
