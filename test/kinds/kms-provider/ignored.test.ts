// A provider of another collection was taken over as it is, which the declaration asks for: drift of the collection is ignored. The
// next write of credentials led it to the declared collection all the same, and the keys of the other one were out of reach.
import { expect, test } from 'vitest';
import { outline, recorded, sent, type Given } from './situation.ts';

const given: Given = {
  live: { key_collection: 'others-keys' },
  memory: { ...recorded, identity: 'cloud_keystore for others-keys' },
  policy: { drift: { ignore: ['/keyCollection'] } },
};

test('other credentials are written to it, and it stays one of the collection that is there', () => {
  expect(outline(given)).toBe('in-sync');
  expect(sent({ ...given, versions: { secret: '2' } })).toMatchObject({
    provider: 'cloud_keystore',
    key_collection: 'others-keys',
    credentials: { client_secret: { version: '2' } },
  });
});
