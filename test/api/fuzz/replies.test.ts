// Any JSON in place of any reply, and replies that are no JSON: a value, an absence or a typed error; and what was written
// with such a reply is done only where no reply is needed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { call, operations, type Came, type Operation } from '../every-op.ts';
import { client, everythingOf, serve } from '../servers.ts';
import { secretsClient } from '../secrets/service.ts';
import { jsonText, patience, runs } from './runs.ts';

const token = Secret.of('holdfast/token', '1', 'canary-fuzz-token');

/** A service that says to all but to the session's own calls what it is told to say. */
async function saying({ op, service }: Operation) {
  const says = { status: 200, body: '' as string | Buffer };
  const { url } = await serve(({ url: path }, response) => {
    if (path.endsWith('/lookup-self') && op !== 'token.lookup') response.end('{"data":{"ttl":0}}');
    else response.writeHead(says.status).end(says.status === 204 ? '' : says.body);
  });
  return {
    says,
    sender: service === 'scheduler' ? client([url], { token }) : secretsClient([url], { token }).client,
  };
}

/** What may be wrong with what a call came to: that its error is none of ours, or shows what it must not. */
function wrongWith(came: Came): unknown {
  const outcome = 'outcome' in came && came.outcome.is !== 'done' ? came.outcome : undefined;
  const error = 'error' in came ? came.error : outcome?.error;
  if (error === undefined) return undefined;
  return error instanceof ApiError && !everythingOf(error).includes('canary') ? undefined : error;
}

const status = fc.constantFrom(
  200,
  200,
  200,
  201,
  204,
  206,
  299,
  300,
  307,
  400,
  403,
  404,
  405,
  429,
  472,
  500,
  503,
  599,
);

describe.for(operations)('$op', (operation) => {
  const needsReply = operation.route.answers === true;

  test('any JSON with any status', patience, async () => {
    const { says, sender } = await saying(operation);
    await fc.assert(
      fc.asyncProperty(status, jsonText, async (code, body) => {
        Object.assign(says, { status: code, body });
        const came = await call(sender, operation);
        expect(wrongWith(came)).toBeUndefined();
        if (operation.route.mutates === false && code === 200 && 'answer' in came)
          expect(came.answer).toBeDefined();
        if ('outcome' in came && code >= 300 && operation.route.method !== 'DELETE')
          expect(came.outcome.is).not.toBe('done');
      }),
      runs(15),
    );
  });

  test('a success that says nothing that can be read', patience, async () => {
    const { says, sender } = await saying(operation);
    const garbage = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }).map((all) => Buffer.from([0x7b, ...all])),
      jsonText.map((all) => Buffer.from(`${all}}`)),
    );
    await fc.assert(
      fc.asyncProperty(garbage, async (body) => {
        if (isJSON(body)) return;
        Object.assign(says, { status: 200, body });
        const came = await call(sender, operation);
        expect(wrongWith(came)).toBeUndefined();
        if (operation.route.mutates === false) expect(came).toMatchObject({ error: { class: 'unreadable' } });
        else if (needsReply) expect(came).toMatchObject({ outcome: { is: 'unknown' } });
        else expect(came).toMatchObject({ outcome: { is: expect.stringMatching(/^(done|unknown)$/) } });
      }),
      runs(15),
    );
  });
});

function isJSON(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}
