// CSIVolume: the volumes of a Terraform state, for `holdfast import`.
import { at, block, blocks, type ResourceType } from '../../schema/terraform.ts';
import { fields } from './schema.ts';

const capability = (one: unknown) => ({
  accessMode: at(one, 'access_mode'),
  attachmentMode: at(one, 'attachment_mode'),
});
const required = (value: unknown) =>
  blocks(block(block(value, 'required'), 'topology'), (one) => at(one, 'segments'));

export const resources: ResourceType = {
  names: ['nomad_csi_volume', 'nomad_csi_volume_registration', 'nomad_volume', 'nomad_external_volume'],
  provider: 'nomad',
  table: fields,
  name: ['volume_id', '', 'externalName'],
  attributes: {
    plugin_id: '/pluginID',
    external_id: '/register/externalID',
    capability: ['/capabilities', (value) => blocks(value, capability)],
    // The older types have one capability, as attributes of the volume.
    access_mode: ['/capabilities', (_, attributes) => [capability(attributes)]],
    mount_options: ['/mountOptions/fsType', (value) => block(value, 'fs_type')],
    topology_request: ['/topology/required', required],
  },
  partly: { mount_options: ['mount_flags'], topology_request: ['preferred'] },
  always: { deletionPolicy: 'Retain' },
  unread: [
    'attachment_mode',
    'id',
    'name',
    'type',
    'schedulable',
    'topologies',
    'capacity',
    'controller_required',
    'controllers_expected',
    'controllers_healthy',
    'nodes_expected',
    'nodes_healthy',
    'plugin_provider',
    'plugin_provider_version',
  ],
};
