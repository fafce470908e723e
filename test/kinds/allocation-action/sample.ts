// An action of each sort with all that it can have declared, and the allocations that it is about.
import type { Sample } from '../samples.ts';

const id = '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01';
const connectionRef = { name: 'production' };
const exec = { task: 'server', command: ['true'] };

const allocation = {
  ID: id,
  Namespace: 'default',
  JobID: 'web',
  TaskGroup: 'main',
  NodeID: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01',
  DesiredStatus: 'run',
  ClientStatus: 'running',
  NextAllocation: '',
  TaskStates: { server: { State: 'running', Restarts: 0, LastRestart: '', Events: [] } },
};

export const actionSample: Sample = {
  specs: [
    { connectionRef, selector: { job: 'web' }, action: { exec } },
    {
      connectionRef,
      selector: { job: 'web', group: 'main', node: allocation.NodeID },
      action: { exec: { ...exec, timeout: '30s', expectedExitCodes: [0, 3] } },
      rollout: { maxParallel: 2, onFailure: 'Continue', pause: '10s' },
      timeout: '10m',
      notAfter: '2126-01-31T04:00:00Z',
    },
    { connectionRef, selector: { allocationID: id }, action: { stop: { noShutdownDelay: true } } },
    { connectionRef, selector: { job: 'web' }, action: { restart: { task: 'server' } } },
    { connectionRef, selector: { job: 'web' }, action: { restart: { allTasks: true } }, suspend: true },
    { connectionRef, selector: { job: 'web' }, action: { signal: { name: 'SIGHUP', task: 'server' } } },
  ],
  replies: { 'allocation.list': [allocation], 'allocation.read': allocation },
  ref: { backend: 'b1', namespace: 'default', action: 'shop/data' },
  own: {
    startedAt: '2026-03-01T00:00:00.000Z',
    results: [{ allocation: id, node: allocation.NodeID, phase: 'Pending' }],
  },
  requests: [],
};
