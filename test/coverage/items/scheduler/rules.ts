// scheduler-api.md, "Authentication", "Errors", "Limits".
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const client = codeIn('api/scheduler/client.ts');
const refusals = codeIn('api/scheduler/refusals.ts');
const rights = codeIn('embedded/scheduler/acl/authorize.ts');
const removal = codeIn('embedded/scheduler/volumes/removal.ts');
const registration = codeIn('embedded/scheduler/volumes/registration.ts');
const lists = codeIn('embedded/scheduler/provider/lists.ts');
const cutting = codeIn('embedded/scheduler/volumes/snapshots.ts');
const blocking = codeIn('embedded/scheduler/http/blocking.ts');

const http = testsIn('contract/http-cases.ts');
const acl = testsIn('contract/acl-cases.ts');
const writes = testsIn('contract/write-cases.ts');
const claims = testsIn('contract/claim-cases.ts');
const plugins = testsIn('contract/plugin-cases.ts');
const snapshots = testsIn('contract/snapshot-cases.ts');
const conventions = testsIn('contract/convention-cases.ts');
const waits = testsIn('embedded/scheduler/http/blocking.test.ts');
const meanings = testsIn('api/refusals.test.ts');
const api = testsIn('api/client.test.ts');

const waited = 'in $dialect "$wait" waits $ms ms and up to a sixteenth more: $why';
const alone = 'a status alone: $status $why';
const notDeregistered = 'is not deregistered%s';
const incapable = 'a plugin that lacks it can not $verb';

export const authentication: Section = {
  title: 'Authentication',
  items: [
    said('1. the token in the header `X-Cluster-Token`: its `SecretID`', {
      client: codeIn('api/dialects.ts')('token'),
      embedded: rights('tokenIn'),
      test: http('without the right token nothing but the leader is told'),
    }),
    said('1. its policies decide what is allowed', {
      client: refusals('refusal'),
      embedded: rights('authorize'),
      test: acl(
        'policies are looked up with each request: who is changed, denied or deleted notices at once',
      ),
    }),
    said('1. TLS', {
      client: codeIn('api/http.ts')('tls'),
      embedded: codeIn('embedded/http/server.ts')('serve', 'serves loopback without TLS'),
      test: testsIn('api/answers.test.ts')('over TLS, with the authority that is trusted and with no other'),
    }),
    said('2. each endpoint needs a capability', {
      client: codeIn('api/route.ts')('acl'),
      embedded: codeIn('embedded/scheduler/acl/rights.ts')('documentedRights'),
      test: acl('each operation of the route table has its case'),
    }),
    said('4. missing authentication is 403', {
      client: refusals('refusal'),
      embedded: rights('denied'),
      test: http('without the right token nothing but the leader is told'),
    }),
  ],
};

export const codes: Section = {
  title: 'Status codes',
  items: [
    said('200: success', {
      client: client('perform'),
      embedded: codeIn('embedded/http/server.ts')('json'),
      test: testsIn('contract/read-cases.ts')(
        'what was created reads back, without its secrets and as large as the provider made it',
      ),
    }),
    said('204: success', {
      client: client('perform'),
      embedded: codeIn('embedded/http/server.ts')('empty', 'this service answers 200 without a body'),
      test: api('a deletion is $expect.is: $why', 'done, without a body'),
    }),
    said('400: validation failed', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/http/server.ts')('Refusal'),
      test: http('400 for ?$query: $why', 'an index is a number'),
    }),
    said('400, to the client: refused, nothing was done', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/http/server.ts')('Refusal'),
      test: meanings(alone, 'not as the service wants it'),
    }),
    said('403: not authenticated', {
      client: refusals('refusal'),
      embedded: rights('denied'),
      test: meanings(alone, 'no permission'),
    }),
    said('404: unknown', {
      client: client('page'),
      embedded: codeIn('embedded/http/server.ts')('absent'),
      test: api('404 is absence, which is no error'),
    }),
    said('5xx: the same request is not expected to succeed', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')('refuse'),
      test: meanings(alone, 'a bug of theirs'),
    }),
    said('5xx is not sent again by itself', {
      client: codeIn('api/request.ts')('persistently'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')('refuse'),
      test: api('a read that was answered is not sent again, however bad the answer'),
    }),
    said('the codes may be those of this table for errors of volumes as well', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')('refuse'),
      test: conventions("codes can be those of the documents' table"),
    }),
  ],
};

export const errors: Section = {
  title: 'Error conditions',
  items: [
    said('registering a registered volume', {
      client: refusals('refusal'),
      embedded: registration('registered'),
      test: writes('creating or registering a registered volume is an error and changes nothing'),
    }),
    said('creating a registered volume', {
      client: refusals('refusal'),
      embedded: registration('registered'),
      test: writes('creating or registering a registered volume is an error and changes nothing'),
    }),
    said('deregistering a volume in use', {
      client: refusals('refusal'),
      embedded: removal('deregister'),
      test: claims(notDeregistered, "['', '?force=true']"),
    }),
    said('deregistering with `force=true` while an allocation runs', {
      client: refusals('refusal'),
      embedded: removal('deregister'),
      test: claims(notDeregistered, "'?force=true'"),
    }),
    said('deleting a volume in use', {
      client: refusals('refusal'),
      embedded: removal('deleteVolume'),
      test: claims(
        'deleting a claimed volume is an error, and its disk is lost all the same where the plugin does not look',
      ),
    }),
    said('detaching a volume in use', {
      client: refusals('refusal'),
      embedded: removal('detachVolume'),
      test: claims('detaching from under a running allocation is an error'),
    }),
    said('creating on a plugin that can not', {
      client: refusals('refusal'),
      embedded: registration('create'),
      test: plugins('create says "$text": $why', 'plugin does not support creating'),
    }),
    said('deleting on a plugin that can not', {
      client: refusals('refusal'),
      embedded: codeIn('embedded/scheduler/provider/provider.ts')('remove'),
      test: testsIn('coverage/bodies.test.ts')('a plugin that makes no disks deletes none'),
    }),
    said('listing disks on a plugin that can not', {
      client: refusals('refusal'),
      embedded: lists('page'),
      test: testsIn('contract/external-cases.ts')('a plugin that can not list says so'),
    }),
    said('creating snapshots on a plugin that can not', {
      client: refusals('refusal'),
      embedded: cutting('cutsSnapshots'),
      test: snapshots(incapable, "verb: 'create'"),
    }),
    said('deleting snapshots on a plugin that can not', {
      client: refusals('refusal'),
      embedded: cutting('cutsSnapshots'),
      test: snapshots(incapable, "verb: 'delete'"),
    }),
    said('listing snapshots on a plugin that can not', {
      client: refusals('refusal'),
      embedded: lists('page'),
      test: snapshots(incapable, "verb: 'list'"),
    }),
  ],
};

export const limits: Section = {
  title: 'Limits',
  items: [
    said('`wait` of a blocking query: at most 10 minutes', {
      client: client('page'),
      embedded: codeIn('embedded/scheduler/behaviour.ts')('waitMaxMs'),
      test: waits(waited, 'that of the documents is ten'),
    }),
    said('`wait` by default: 5 minutes', {
      client: client('page'),
      embedded: blocking('waitDefaultMs'),
      test: waits(waited, 'five minutes by default here too'),
    }),
    said('a random wait on top, up to a sixteenth', {
      client: client('page'),
      embedded: blocking('jitterShare'),
      test: waits(waited, 'as asked'),
    }),
    said('a client waits as long as that may take', {
      client: client('page'),
      embedded: blocking('read'),
      test: api('waits in seconds, as long as the server may take'),
    }),
    said('task events kept: the latest 10', {
      client: codeIn('api/scheduler/wire.ts')('TaskState'),
      embedded: codeIn('embedded/scheduler/allocations/tasks.ts')('after'),
      test: testsIn('embedded/scheduler/allocations/tasks.test.ts')('the last ten events are kept'),
    }),
    said('stale replies are about 50 ms behind', {
      client: codeIn('api/scheduler/routes.ts')('Blocking'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')('lastContactMs'),
      test: conventions('a server that lags says by how much, to who asked any server'),
    }),
    said('a prefix has an even number of hexadecimal digits', {
      client: { op: 'allocation.list', parameter: 'prefix' },
      embedded: codeIn('embedded/http/query.ts')('uuidPrefix'),
      test: http('/v1/$path is $status: $why', 'allocations?prefix=abc'),
    }),
    said('default port 4646', {
      client: codeIn('core/connection.ts')('addresses', 'the address says it'),
      embedded: codeIn('embedded/scheduler/server.ts')('port', 'any free one, or the one of `--port`'),
      test: testsIn('coverage/bodies.test.ts')('the port is the one that is asked for'),
    }),
  ],
};
