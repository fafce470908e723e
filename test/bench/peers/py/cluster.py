"""What Holdfast does with CSIVolumes of a cluster, on kopf: the benchmarks' peer in Python.

Run: KUBECONFIG=… python cluster.py [--once N] [--connections N]
"""
import argparse
import asyncio
import base64
import json
import logging

import kopf

import scheduler
import statuses
import usage

INTENT = 'holdfast.dev/intent'
KIND = ('holdfast.dev', 'v1alpha1', 'csivolumes')
CONNECTION_KIND = ('holdfast.dev', 'v1alpha1', 'schedulerconnections')
parser = argparse.ArgumentParser()
parser.add_argument('--once', type=int, default=0, help='end once so many volumes are ready; 0: never')
parser.add_argument('--connections', type=int, default=56, help='requests to the scheduler at once')
options = parser.parse_args()
stop = asyncio.Event()
ready = set()
clients = {}


@kopf.on.startup()
def configure(settings, **_):
    settings.persistence.finalizer = 'holdfast.dev/finalizer'
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix='peer.holdfast.dev')
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(
        prefix='peer.holdfast.dev', ignored_fields=[('metadata', 'annotations', INTENT)])
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.peering.standalone = True
    settings.watching.chunk_size = 500
    # A worker waits so long for further events of its object, and holds its place meanwhile: so no limit to workers.
    settings.queueing.idle_timeout = 1.0


@kopf.on.cleanup()
async def close(**_):
    for client in clients.values():
        await (await client).close()


@kopf.index('v1', 'secrets')
async def secrets(namespace, name, body, **_):
    return {(namespace, name): dict(body.get('data', {}))}


@kopf.index(*CONNECTION_KIND)
async def connections(name, spec, **_):
    return {name: dict(spec)}


def one(index, key):
    for value in index.get(key, ()):
        return value
    raise kopf.TemporaryError(f'{key} is missing', delay=5)


async def client_of(name, connections, secrets):
    """Probed before anybody uses it, and once for all."""
    if name not in clients:
        clients[name] = asyncio.ensure_future(connect(name, connections, secrets))
    try:
        return await clients[name]
    except Exception:
        clients.pop(name, None)
        raise


async def connect(name, connections, secrets):
    spec = one(connections, name)
    ref = spec['auth']['tokenSecretRef']
    token = base64.b64decode(one(secrets, (ref['namespace'], ref['name']))[ref['key']]).decode()
    client = scheduler.Client(spec['addresses'][0], token, options.connections)
    await client.probe()
    return client


@kopf.on.resume(*CONNECTION_KIND)
@kopf.on.create(*CONNECTION_KIND)
async def connection(name, meta, status, patch, connections, secrets, **_):
    await client_of(name, connections, secrets)
    patch.status.update(statuses.reported(meta, status, [('Ready', 'Connected', '')]))


@kopf.on.event(*KIND)
async def watched(namespace, name, uid, meta, spec, status, patch, **_):
    """Adds the intent to the request that adds the finalizer, so that it is durable before anything is created."""
    if any(c['type'] == 'Ready' and c['status'] == 'True' for c in status.get('conditions', [])):
        ready.add((namespace, name))
        if len(ready) == options.once:
            stop.set()
    if INTENT in meta.annotations or meta.deletion_timestamp:
        return
    applied = scheduler.applied_of(spec)
    text = json.dumps({'op': 'create', 'uid': uid, 'name': scheduler.name_of(name, uid, applied), 'applied': applied})
    patch.fns.append(lambda body: body['metadata'].setdefault('annotations', {}).update({INTENT: text}))


@kopf.on.resume(*KIND)
@kopf.on.create(*KIND)
@kopf.on.update(*KIND, field='spec')
async def volume(name, uid, meta, spec, status, patch, connections, secrets, **_):
    client = await client_of(spec['connectionRef']['name'], connections, secrets)
    applied = scheduler.applied_of(spec)
    live = await client.volume(name)
    history = list(status.get('history', []))
    if live is None:
        await client.create(scheduler.request_of(name, uid, applied))
        what = f"create {name} with {spec['pluginID']}"
        history.append({'at': statuses.now(), 'verb': 'create', 'what': what, 'fields': list(applied)})
        live = await client.volume(name)
    if live['Name'] != scheduler.name_of(name, uid, applied):
        raise kopf.PermanentError(f'{name} exists and is not ours')
    if fields := scheduler.differences(applied, live):  # no benchmark has this peer update a volume
        raise kopf.TemporaryError(f'{fields} differ', delay=60)
    if history != status.get('history', []) or status.get('observedGeneration') != meta['generation']:
        patch.status.update(statuses.observed(meta, status, live, applied, history, client.base))


@kopf.on.delete(*KIND)
async def retain(**_):
    """deletionPolicy: Retain. Kopf adds its finalizer for the sake of this handler."""


if __name__ == '__main__':
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(kopf.operator(clusterwide=True, stop_flag=stop))
    usage.report()
