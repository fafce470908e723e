// OIDCConfig: lists the configuration of each auth method, whoever wrote it.
import type { Reader } from '../../api/routes.ts';
import { isThere, objectName, ofEach, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { placeholder, specOf } from '../../schema/exported.ts';
import { have, type Live } from './body.ts';
import { fields } from './schema.ts';
import { isWhole } from './shape.ts';

function exported(mount: string, live: Live): Exported | string {
  const seen = have(live);
  if (!seen['/discoveryURL']) return 'tokens are checked with keys, not with what an issuer tells';
  const name = objectName(mount);
  const readsDirectory = seen['/providerConfig/provider'] === 'workspace_directory';
  const secrets = {
    ...(seen['/clientID'] && { '/clientSecretSecretRef': placeholder(`${name}-client`, 'secret') }),
    ...(readsDirectory && {
      '/providerConfig/serviceAccountSecretRef': placeholder(`${name}-service-account`, 'key.json'),
    }),
  };
  return {
    spec: { mount, ...specOf(fields, { ...seen, ...secrets }) },
    notes: Object.entries(secrets).map(
      ([path, secret]) =>
        `${path.slice(1)}: nobody can read it, and every write sends it; make the Secret ${secret.name}`,
    ),
  };
}

export const discovery: Discovery<Reader> = {
  mounted: 'auth',
  find: (read, { connection: { backend }, mounts }, signal) =>
    ofEach(mounts, async (mount) => {
      const live = await isThere(read.read('oidc.config.read', { mount }, signal));
      if (!live || !isWhole(live)) return []; // another method may have the same path
      const exportIt = () => Promise.resolve(exported(mount, live));
      return [{ ref: { backend, mount }, name: mount, export: exportIt }];
    }),
};
