// scheduler-api.md, "What the service does", "Common conventions", "Versioning".
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const client = codeIn('api/scheduler/client.ts');
const headers = codeIn('api/dialects.ts');
const blocking = codeIn('embedded/scheduler/http/blocking.ts');
const endpoints = codeIn('embedded/scheduler/http/endpoints.ts');
const actions = codeIn('embedded/scheduler/allocations/actions.ts');
const query = codeIn('embedded/http/query.ts');
const served = codeIn('embedded/http/server.ts');

const reads = testsIn('contract/read-cases.ts');
const http = testsIn('contract/http-cases.ts');
const conventions = testsIn('contract/convention-cases.ts');
const claims = testsIn('contract/claim-cases.ts');
const cases = testsIn('contract/allocation-cases.ts');
const waits = testsIn('embedded/scheduler/http/blocking.test.ts');
const ours = testsIn('coverage/bodies.test.ts');
const answers = testsIn('api/answers.test.ts');

const blocks = (path: string) =>
  conventions('%s tells the index, also of what is not there, and waits for the next', path);
const waited = 'in $dialect "$wait" waits $ms ms and up to a sixteenth more: $why';
const listed =
  'allocations are listed by creation, by prefix, in pages and without task states when not wanted';
const parses = codeIn('api/request.ts');

export const service: Section = {
  title: 'Service and versioning',
  items: [
    said('every route begins with `/v1/`', {
      client: parses('pathOf'),
      embedded: endpoints('served'),
      test: testsIn('coverage/coverage.test.ts')('every route is under /v1/, as both documents say'),
    }),
    said('default port 4646, another one by configuration', {
      client: codeIn('core/connection.ts')('addresses', 'the address says it'),
      embedded: codeIn('embedded/scheduler/server.ts')('port', 'any free one, or the one of `--port`'),
      test: ours('the port is the one that is asked for'),
    }),
    said('namespaces', {
      client: { op: 'volume.list', parameter: 'namespace' },
      embedded: endpoints('namespaceOf'),
      test: reads('the namespace of a read is taken literally: * finds nothing'),
    }),
    said('endpoints of the agent itself', {
      client: { op: 'agent.self' },
      embedded: { served: 'agent.self' },
      test: http('the leader is a JSON string, the agent tells its version and its health'),
    }),
  ],
};

export const common: Section = {
  title: 'Common conventions',
  items: [
    said('1. the verbs are GET, PUT, DELETE', {
      client: codeIn('api/route.ts')('Route'),
      embedded: codeIn('embedded/http/router.ts')('Router'),
      test: http(
        'an unknown route is an empty 404, what lies below a known one says so, a wrong method is 405',
      ),
    }),
    said('1. some endpoints take POST as well, as stated', {
      client: codeIn('api/route.ts')('Route'),
      embedded: actions('allocationActions'),
      test: cases('a signal has a body and its methods, nothing else is below an allocation'),
    }),
    said('1. one path does different things by verb', {
      client: { op: 'snapshot.delete' },
      embedded: codeIn('embedded/scheduler/volumes/snapshots.ts')('snapshotEndpoints'),
      test: testsIn('contract/snapshot-cases.ts')(
        'are told once, with an ID that is nowhere else, and then listed, until they are deleted',
      ),
    }),
    said('replies are JSON', {
      client: parses('jsonOf'),
      embedded: served('json'),
      test: http('JSON is terse, pretty when asked, and pretty=0 is not asking'),
    }),
    said('2. JSON is terse', {
      client: parses('jsonOf'),
      embedded: served('rendered'),
      test: http('JSON is terse, pretty when asked, and pretty=0 is not asking'),
    }),
    said('2. `pretty`: formatted JSON', {
      client: parses('jsonOf', 'reads either form, and never asks for this one'),
      embedded: served('rendered'),
      test: answers('formatted JSON is read like terse JSON'),
    }),
    said('3. `Accept-Encoding: gzip` packs the reply', {
      client: codeIn('api/http.ts')('HttpTransport', 'asks for none'),
      embedded: served('takesGzip'),
      test: http('a client that offers gzip gets gzip'),
    }),
    said('4. `namespace` selects another namespace', {
      client: { op: 'volume.read', parameter: 'namespace' },
      embedded: endpoints('namespaceOf'),
      test: reads('the namespace of a read is taken literally: * finds nothing'),
    }),
    said('5. `region`: by default the agent’s own', {
      client: codeIn('core/connection.ts')('region'),
      embedded: codeIn('embedded/scheduler/cluster/reads.ts')('checkRegion'),
      test: conventions("the agent's own region is served, with a name and without"),
    }),
    said('5. `region`: forwarded to another one', {
      client: codeIn('core/connection.ts')('region'),
      embedded: codeIn('embedded/scheduler/cluster/reads.ts')('checkRegion'),
      test: testsIn('api/bad-days.test.ts')('a region is forwarded to, or there is no path to it'),
    }),
    said('6. `X-Cluster-Index` on replies that block', {
      client: headers('index'),
      embedded: blocking('meta'),
      test: blocks('/v1/volumes?type=csi'),
    }),
    said('6. the index starts at 1', {
      client: client('page'),
      embedded: codeIn('embedded/scheduler/behaviour.ts')('firstIndex'),
      test: testsIn('api/bad-days.test.ts')(
        'of a table that nothing was written to the index is 1, or 0 really, on which nobody could wait',
      ),
    }),
    said('6. `index`: waits until a change', {
      client: { op: 'volume.list', parameter: 'index' },
      embedded: blocking('read'),
      test: reads('a blocked list, and a blocked read of what is absent, answer when a volume is written'),
    }),
    said('6. a return is no guarantee of a change', {
      client: { op: 'volume.list', parameter: 'index' },
      embedded: blocking('read'),
      test: reads('when the wait ends the answer is the one of before'),
    }),
    said('6. `wait`: the longest wait, a duration', {
      client: { op: 'volume.list', parameter: 'wait' },
      embedded: query('parseDurationMs'),
      test: waits(waited, 'as asked'),
    }),
    said('7. consistent by default', {
      client: client('page'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')('checkLeader'),
      test: conventions('with a leader that is $leader only stale reads are answered', 'No cluster leader'),
    }),
    said('7. just after an election the old leader may answer', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: codeIn('embedded/scheduler/http/faults.ts')(
        'leaderProblem',
        'the new one answers that it is not ready',
      ),
      test: conventions(
        'with a leader that is $leader only stale reads are answered',
        'Not ready to serve consistent reads',
      ),
    }),
    said('7. `stale`: any server may answer', {
      client: { op: 'volume.read', parameter: 'stale' },
      embedded: codeIn('embedded/scheduler/http/faults.ts')('isStale'),
      test: conventions('with a leader that is $leader only stale reads are answered', 'No cluster leader'),
    }),
    said('7. `X-Cluster-LastContact` in milliseconds', {
      client: headers('lastContact'),
      embedded: blocking('meta'),
      test: conventions('a server that lags says by how much, to who asked any server'),
    }),
    said('7. `X-Cluster-KnownLeader`', {
      client: headers('knownLeader'),
      embedded: blocking('meta'),
      test: conventions('with a leader that is $leader only stale reads are answered', 'No cluster leader'),
    }),
    said('8. prefixes of IDs are bytes: an even number of hexadecimal digits', {
      client: { op: 'allocation.list', parameter: 'prefix' },
      embedded: query('uuidPrefix'),
      test: http('/v1/$path is $status: $why', 'allocations?prefix=abc'),
    }),
    said('8. `node_id` on listings', {
      client: { op: 'volume.list', parameter: 'node_id' },
      embedded: query('uuidPrefix'),
      test: http('/v1/$path is $status: $why', 'volumes?type=csi&node_id=zz'),
    }),
    said('8. `plugin_id` on listings', {
      client: { op: 'volume.list', parameter: 'plugin_id' },
      embedded: codeIn('embedded/scheduler/volumes/reads.ts')(
        'selection',
        'plain text: plugin IDs are names',
      ),
      test: conventions(
        'plugin IDs are plain names: by the documents their beginning is enough, and it need not be hexadecimal',
      ),
    }),
    said('9. `per_page`, `next_token`', {
      client: { op: 'allocation.list', parameter: 'next_token' },
      embedded: codeIn('embedded/scheduler/http/paging.ts')('page'),
      test: claims(listed),
    }),
    said('9. the next token: a header of listings, a field of what providers list', {
      client: client('page'),
      embedded: codeIn('embedded/scheduler/provider/lists.ts')('listed'),
      test: testsIn('api/snapshots.test.ts')(
        'the next page is named by a header or a field, and the last one by neither',
      ),
    }),
  ],
};
