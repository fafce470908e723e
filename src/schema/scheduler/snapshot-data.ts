// The name of a snapshot's data: the same for the object that has it, and for a volume that is to start from it. PURE.

/** Name of the data, the same through every scheduler. */
export const snapshotData = ({ id, pluginID }: { readonly id: string; readonly pluginID: string }): string =>
  `snapshot ${id} of ${pluginID}`;
