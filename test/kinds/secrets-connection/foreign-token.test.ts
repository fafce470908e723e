// A token of one namespace knows itself from any other, so the connection seems well: that it can do nothing there is told.
import { expect, test } from 'vitest';
import { rightsOf } from '../../../src/kinds/secrets-connection/health.ts';

const denied = { is: 'unknown', message: 'token.capabilities: permission denied' } as const;
const told = (namespace: string, home?: string) =>
  rightsOf(
    { rights: denied, token: { ttl: 0, ...(home !== undefined && { namespace_path: home }) } },
    namespace,
  )[0];

test.for([
  { namespace: 'team-a', home: 'team-b/', where: 'team-a' },
  { namespace: 'team', home: 'team/inner/', where: 'team' },
  { namespace: 'team-a', home: 'team/', where: 'team-a' },
  { namespace: '', home: 'team/', where: 'root' },
])(
  'a token of the namespace $home is told to reach nothing in $where, not that all else works',
  ({ namespace, home, where }) => {
    expect(told(namespace, home)).toMatchObject({
      status: 'False',
      reason: 'PermissionsMissing',
      message: `the token is of the namespace ${home.slice(0, -1)}, and reaches nothing in ${where}`,
    });
  },
);

test.for([
  { namespace: 'team/inner', home: 'team/' },
  { namespace: 'team', home: 'team/' },
  { namespace: 'team', home: '' },
  { namespace: 'team', home: undefined },
])(
  'a token of the same namespace, of one above it or of none may only not ask: %j',
  ({ namespace, home }) => {
    expect(told(namespace, home)).toMatchObject({ status: 'Unknown', reason: 'PermissionsUnknown' });
  },
);
