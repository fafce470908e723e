// Whether what is remembered of an object may not be all: actions that are done at most once are not repeated then.
import { expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Json } from '../../../src/core/secret.ts';
import { decode, finalizer } from '../../../src/sources/kubernetes/wire.ts';
import { sent, type Sent } from './objects.ts';

const intended: Status = { ...noStatus, pending: { op: 'create', token: 'nonce' } };
const record = { id: 'i1', uid: 'u1', status: { ...intended } };
const intent = (fields: Json): Sent => ({
  version: 1,
  annotations: { 'holdfast.dev/intent': JSON.stringify(fields) },
});
const decoded = (as: Sent) => decode(sent(as), 'Disk', undefined, () => undefined);

const held = [finalizer];
const whole = { uid: 'u1', intent: 'i1', identity: 'disk-1' };
test.for<{ why: string; as: Sent; is: 'copied' | 'recalled' | undefined }>([
  { why: 'a new object', as: { version: 1 }, is: undefined },
  { why: 'written since it was held', as: { ...intent(record), status: whole }, is: undefined },
  { why: 'held, and not written since: or its status was stripped', as: intent(record), is: 'recalled' },
  {
    why: 'written since, and no step was made: what a stripped status did not say is not known now either',
    as: { ...intent(record), status: { ...whole, pending: { op: 'create', token: 'nonce' } } },
    is: 'recalled',
  },
  { why: 'held without an intent', as: intent({ id: 'i1', uid: 'u1' }), is: undefined },
  {
    why: 'held without one, and something is begun since',
    as: {
      ...intent({ id: 'i1', uid: 'u1' }),
      status: { ...whole, pending: { op: 'create', token: 'nonce' } },
    },
    is: undefined,
  },
  {
    why: 'with another intent since',
    as: { ...intent(record), status: { ...whole, pending: { op: 'update', token: 'nonce' } } },
    is: undefined,
  },
  { why: 'with the annotation of another', as: intent({ ...record, uid: 'u0' }), is: 'copied' },
  { why: 'with a finalizer that says nothing of whom', as: { version: 1, finalizers: held }, is: 'copied' },
  {
    why: 'copied with its status and finalizer',
    as: { ...intent({ ...record, uid: 'u0' }), finalizers: held, status: { ...whole, uid: 'u0' } },
    is: 'copied',
  },
])('may not be all that there was to remember: $why', ({ as, is }) => {
  expect(decoded(as).object.doubt).toBe(is);
});

test.for<{ why: string; as: Sent; is: true | undefined }>([
  { why: 'the first intent alone', as: intent(record), is: true },
  { why: 'the status of another', as: { ...intent(record), status: { ...whole, uid: 'u0' } }, is: true },
  { why: 'a status that includes the intent', as: { ...intent(record), status: whole }, is: undefined },
  { why: 'a status of before the intent', as: { ...intent(record), status: { uid: 'u1' } }, is: undefined },
  { why: 'nothing at all', as: { version: 1 }, is: undefined },
])('requests may have been answered in a status that is lost: $why', ({ as, is }) => {
  expect(decoded(as).object.unwritten).toBe(is);
});
