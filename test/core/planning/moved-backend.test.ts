// What a person is told to write into backendID has to bring the recorded backend back; where it can't, it is not told.
import { expect, test } from 'vitest';
import { planned } from '../../support/policy-rows.ts';
import { recorded } from '../../support/toy.ts';

const back = 'set backendID, region and namespace of the connection back to what they were';
const same = 'if it is the same service, set backendID of the connection to b1';

test.for([
  { why: 'a new address', was: 'b1 eu shop', backend: 'b2 eu shop', within: 'eu shop', says: same },
  { why: 'a new address of a service without parts', was: 'b1', backend: 'b2', says: same },
  { why: 'another namespace', was: 'b1 shop', backend: 'b1 blog', within: 'blog', says: back },
  { why: 'another one that ends alike', was: 'b1 eshop', backend: 'b1 shop', within: 'shop', says: back },
  { why: 'a region that is gone', was: 'b1 eu shop', backend: 'b1 shop', within: 'shop', says: back },
  { why: 'a namespace that is gone', was: 'b1 shop', backend: 'b1', says: back },
])('$why: only that is named which helps', ({ was, backend, within, says }) => {
  const plan = planned({
    located: { backend },
    ...(within !== undefined && { within }),
    memory: { ...recorded, externalRef: { backend: was } },
  });
  expect(plan).toMatchObject({
    reason: 'BackendChanged',
    message: `recorded on ${was}, the connection now points at ${backend}; ${says}`,
  });
});
