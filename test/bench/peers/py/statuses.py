"""What is remembered of a volume, and told about it."""
import datetime

import scheduler


def observed(meta, status, live, applied, history, base):
    """The status of a volume that is as declared."""
    disk = {'externalID': live['ExternalID'], 'name': live['Name'], 'pluginID': live['PluginID'], 'capacity': live['Capacity'],
            'capabilities': scheduler.capabilities_of(live), 'context': live['Context'], 'parameters': live['Parameters'],
            'fsType': live['MountOptions']['FsType']}
    healthy = (f"plugin {live['PluginID']}: controllers {live['ControllersHealthy']}/{live['ControllersExpected']}, "
               f"nodes {live['NodesHealthy']}/{live['NodesExpected']} healthy")
    return {
        'identity': f"{live['ExternalID']} {live['CreateIndex']}",
        'externalRef': {'backend': f'{base} default', 'namespace': 'default', 'id': live['ID']},
        'applied': applied,
        'own': {'disk': disk},
        'observed': {'id': live['ID'], 'namespace': live['Namespace'], 'externalID': live['ExternalID'],
                     'pluginID': live['PluginID'], 'capacity': live['Capacity'],
                     'claims': [claim['ID'] for claim in live['Allocations']]},
        'history': history,
        **reported(meta, status, [('Ready', 'InSync', ''), ('Synced', 'InSync', ''), ('Schedulable', 'PluginHealthy', healthy)]),
    }


def reported(meta, status, conditions):
    """Conditions that are true, each since when it is."""
    since = {c['type']: c['lastTransitionTime'] for c in status.get('conditions', []) if c['status'] == 'True'}
    return {
        'observedGeneration': meta['generation'],
        'conditions': [
            {'type': kind, 'status': 'True', 'reason': reason, 'message': message, 'observedGeneration': meta['generation'],
             'lastTransitionTime': since.get(kind) or now()}
            for kind, reason, message in conditions
        ],
    }


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
