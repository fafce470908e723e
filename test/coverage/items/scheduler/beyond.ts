// What clients use of the scheduler beyond the documents.
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const http = testsIn('contract/http-cases.ts');
const around = 'nodes, plugins, namespaces and regions are listed and read';

export const beyond: Section = {
  title: 'Beyond the document',
  items: [
    said('`GET /v1/status/leader`', {
      client: { op: 'status.leader' },
      embedded: { served: 'status.leader' },
      test: http('the leader is a JSON string, the agent tells its version and its health'),
    }),
    said('`GET /v1/agent/self`', {
      client: { op: 'agent.self' },
      embedded: { served: 'agent.self' },
      test: http('the leader is a JSON string, the agent tells its version and its health'),
    }),
    said('`GET /v1/plugins`', {
      client: { op: 'plugin.list' },
      embedded: { served: 'plugin.list' },
      test: http(around),
    }),
    said('`GET /v1/nodes`', {
      client: { op: 'node.list' },
      embedded: { served: 'node.list' },
      test: http(around),
    }),
    said('`GET /v1/jobs`', {
      client: { op: 'job.list' },
      embedded: { served: 'job.list' },
      test: http(around),
    }),
    said('too many connections of one client: 429', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: codeIn('embedded/http/connection-limit.ts')('ConnectionLimit'),
      test: testsIn('api/bad-days.test.ts')('a connection too many is throttling, and nothing was done'),
    }),
  ],
};
