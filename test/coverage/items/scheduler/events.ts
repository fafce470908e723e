// scheduler-api.md: "Event stream", "Events".
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const client = codeIn('api/scheduler/client.ts');
const reading = codeIn('api/scheduler/events.ts');
const stream = codeIn('embedded/scheduler/events/stream.ts');
const broker = codeIn('embedded/scheduler/events/broker.ts');
const views = codeIn('embedded/scheduler/events/render.ts');
const rights = codeIn('embedded/scheduler/acl/rights.ts');
const events = testsIn('contract/event-cases.ts');
const inside = testsIn('embedded/scheduler/events/broker.test.ts');
const api = testsIn('api/events.test.ts');
const ours = testsIn('coverage/events.test.ts');

const heartbeat = 'begins with a heartbeat at once: whoever hears it is subscribed';
const inOrder =
  'without an index all that is still there is told, in order; each frame has the index of its change';
const subscribed = { client: client('events'), embedded: stream('eventStream') };

export const eventStream: Section = {
  title: 'Event stream',
  items: [
    said('`GET /v1/event/stream`', { ...subscribed, test: events(heartbeat) }),
    said('the backlog first, then what is new', { ...subscribed, test: events(inOrder) }),
    said('until the connection closes', {
      client: client('events'),
      embedded: codeIn('embedded/scheduler/events/subscription.ts')('Subscription'),
      test: inside('one who leaves is forgotten'),
    }),
    said('one JSON object per line', {
      client: codeIn('api/lines.ts')('linesOf'),
      embedded: codeIn('embedded/scheduler/events/subscription.ts')('Subscription'),
      test: api('wherever it is cut, in the middle of a character too, the same frames come out'),
    }),
    said('several events in one object', {
      client: reading('frameIn'),
      embedded: broker('Frame'),
      test: inside(
        'whatever a client should know can be told from outside: several events in one frame, with their keys',
      ),
    }),
    said('none: a heartbeat', {
      client: reading('frameIn'),
      embedded: codeIn('embedded/scheduler/events/subscription.ts')('heartbeatMs'),
      test: inside('a heartbeat comes every 30 s, whatever else is told'),
    }),
    {
      ...said('`index`: where to start, default 0', {
        client: { type: 'Subscription', field: 'index' },
        embedded: stream('indexIn'),
        test: events('an index is where it starts, itself included; the next one is where somebody goes on'),
      }),
      reads: 'index',
    },
    said('`index` that is no longer there: the next one that is', {
      client: { type: 'Subscription', field: 'index' },
      embedded: broker('placeAt'),
      test: inside(
        'only so many frames are kept, in memory: who asks for older ones gets the oldest there is',
      ),
    }),
    said('`namespace`: default `default`', {
      client: { type: 'Subscription', field: 'namespace' },
      embedded: stream('namespacesIn'),
      test: events('events of other namespaces do not come, and a star stands for those that were there'),
    }),
    said('`namespace` `*`: all, which needs to be allowed in all', {
      client: { type: 'Subscription', field: 'namespace' },
      embedded: stream('isAllowed'),
      test: events('all topics and all namespaces have to be allowed; no topic is all of them'),
    }),
    {
      ...said('`topic`: `topic:filter_key`, repeatable', {
        client: { type: 'Subscription', field: 'topics' },
        embedded: stream('topicsIn'),
        test: events('keys select exactly: no prefix, no part, and several of them add up'),
      }),
      reads: 'topic',
    },
    said('`topic` by default: `*:*`', {
      client: { type: 'Subscription', field: 'topics' },
      embedded: stream('topicsIn'),
      test: events(inOrder),
    }),
    said('`topic=Node` is `topic=Node:*`', {
      client: { type: 'Subscription', field: 'topics' },
      embedded: stream('topicsIn'),
      test: ours('a topic without a key is all of it, with a star too'),
    }),
    said('the filter key is a node’s ID, a job’s name', {
      client: { type: 'Subscription', field: 'topics' },
      embedded: views('allocationEvents'),
      test: ours('a job is selected by its name, a node by its ID'),
    }),
    ...['Job', 'Allocation', 'Deployment', 'Evaluation', 'Service'].map((topic) =>
      said(`topic \`${topic}\` needs \`namespace:read-job\``, {
        client: client('events'),
        embedded: rights('documentedTopics'),
        test: events('$topic needs $acl and nothing else', `'${topic}'`),
      }),
    ),
    said('topic `Node` needs `node:read`', {
      client: client('events'),
      embedded: rights('documentedTopics'),
      test: events('$topic needs $acl and nothing else', "'Node'"),
    }),
    ...['*', 'ACLToken', 'ACLPolicy', 'ACLRole', 'NodePool'].map((topic) =>
      said(`topic \`${topic}\` needs management`, {
        client: client('events'),
        embedded: stream('isAllowed'),
        test: events('%s needs a token of management', `'${topic}'`),
      }),
    ),
    said('without a topic: all, which needs management', {
      client: client('events'),
      embedded: stream('isAllowed'),
      test: events('all topics and all namespaces have to be allowed; no topic is all of them'),
    }),
  ],
};

const told = codeIn('embedded/scheduler/fixtures/cluster-endpoints.ts')(
  'publish',
  'told from outside, `POST /setup/events`',
);
/** What the embedded service tells by itself. */
const own: ReadonlyMap<string, string> = new Map([
  ['ACLToken', 'tokenEvent'],
  ['ACLTokenUpserted', 'tokenEvent'],
  ['ACLTokenDeleted', 'tokenEvent'],
  ['ACLPolicy', 'policyEvent'],
  ['ACLPolicyUpserted', 'policyEvent'],
  ['ACLPolicyDeleted', 'policyEvent'],
  ['Allocation', 'allocationEvents'],
  ['AllocationUpdated', 'allocationEvents'],
  ['AllocationUpdateDesiredStatus', 'allocationEvents'],
  ['PlanResult', 'allocationEvents'],
  ['Evaluation', 'evaluation'],
  ['Job', 'jobEvent'],
  ['JobRegistered', 'jobEvent'],
  ['JobDeregistered', 'jobEvent'],
  ['Node', 'nodeEvent'],
  ['NodeRegistration', 'nodeEvent'],
  ['NodeDeregistration', 'nodeEvent'],
  ['NodeEligibility', 'nodeEvent'],
  ['NodeDrain', 'nodeEvent'],
  ['NodeEvent', 'nodeEvent'],
]);
const teller = (name: string) => {
  const view = own.get(name);
  return view === undefined ? told : views(view);
};

const topics = [
  ['ACLToken', 'ACLToken'],
  ['ACLPolicy', 'ACLPolicy'],
  ['ACLRoles', 'ACLRole'],
  ['Allocation', 'Allocation, without its job'],
  ['Job', 'Job'],
  ['Evaluation', 'Evaluation'],
  ['Deployment', 'Deployment'],
  ['Node', 'Node'],
  ['NodeDrain', 'Node'],
  ['NodePool', 'NodePool'],
  ['Service', 'Service'],
] as const;
const types =
  'ACLTokenUpserted ACLTokenDeleted ACLPolicyUpserted ACLPolicyDeleted ACLRoleUpserted ACLRoleDeleted AllocationCreated ' +
  'AllocationUpdated AllocationUpdateDesiredStatus DeploymentStatusUpdate DeploymentPromotion DeploymentAllocHealth ' +
  'EvaluationUpdated JobRegistered JobDeregistered JobBatchDeregistered NodeRegistration NodeDeregistration ' +
  'NodeEligibility NodeDrain NodeEvent NodePoolUpserted NodePoolDeleted PlanResult ServiceRegistration ServiceDeregistration';

export const eventTypes: Section = {
  title: 'Events',
  items: [
    ...topics.map(([topic, output]) =>
      said(`topic \`${topic}\`: ${output}`, {
        client: { type: 'StreamEvent', field: 'Topic' },
        embedded: topic === 'NodeDrain' ? told : teller(topic),
        test: ours('the client hears of topic $topic with its $output', `'${topic}'`),
      }),
    ),
    ...types.split(' ').map((type) =>
      said(`\`Type\` \`${type}\``, {
        client: { type: 'StreamEvent', field: 'Type' },
        embedded: teller(type),
        test: ours('the client hears of %s', `'${type}'`),
      }),
    ),
    said('1. each event has the index of its change', {
      client: { type: 'StreamEvent', field: 'Index' },
      embedded: broker('Frame'),
      test: events(inOrder),
    }),
    said('1. whoever subscribes resumes with `index`', {
      client: reading('Progress'),
      embedded: broker('placeAt'),
      test: api('what follows the last newline is no frame: a stream that ends there goes on where it was'),
    }),
    said('2. an empty list of events is a heartbeat', {
      client: reading('frameIn'),
      embedded: codeIn('embedded/scheduler/events/subscription.ts')('heartbeatMs'),
      test: events(heartbeat),
    }),
  ],
};
