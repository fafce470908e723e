// A state of Terraform, in each of the forms in which it prints one.

export interface Resource {
  /** `module.a.module.b[0]` */
  readonly module?: string;
  readonly type: string;
  readonly name: string;
  readonly key?: string | number;
  /** Of the provider's configuration. */
  readonly alias?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly sensitive?: readonly string[];
}

const providerOf = ({ type }: Resource): string => type.split('_')[0] ?? '';

/** As `terraform state pull` prints it. */
export const stateFile = (resources: readonly Resource[]): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    resources: resources.map((one) => ({
      ...(one.module !== undefined && { module: one.module }),
      mode: 'managed',
      type: one.type,
      name: one.name,
      provider: `provider["registry.terraform.io/hashicorp/${providerOf(one)}"]${one.alias === undefined ? '' : `.${one.alias}`}`,
      instances: [
        {
          ...(one.key !== undefined && { index_key: one.key }),
          schema_version: 0,
          attributes: one.attributes,
          sensitive_attributes: (one.sensitive ?? []).map((value) => [{ type: 'get_attr', value }]),
        },
      ],
    })),
  });

interface Module {
  readonly address?: string;
  readonly resources: unknown[];
  readonly child_modules: Module[];
}

/** As `terraform show -json` prints it. */
export function shown(resources: readonly Resource[]): string {
  const root: Module = { resources: [], child_modules: [] };
  const moduleAt = (address: string): Module => {
    if (address === '') return root;
    const parent = moduleAt(address.slice(0, Math.max(0, address.lastIndexOf('.module.'))));
    const found = parent.child_modules.find((one) => one.address === address);
    if (found) return found;
    const made: Module = { address, resources: [], child_modules: [] };
    parent.child_modules.push(made);
    return made;
  };
  for (const one of resources) {
    const { module = '', type, name, key, attributes, sensitive = [] } = one;
    const index = key === undefined ? '' : `[${JSON.stringify(key)}]`;
    moduleAt(module).resources.push({
      address: `${module === '' ? '' : `${module}.`}${type}.${name}${index}`,
      mode: 'managed',
      type,
      name,
      ...(key !== undefined && { index: key }),
      provider_name: `registry.terraform.io/hashicorp/${providerOf(one)}`,
      schema_version: 0,
      values: attributes,
      sensitive_values: Object.fromEntries(sensitive.map((of) => [of, true])),
    });
  }
  const values = { outputs: {}, root_module: root };
  return JSON.stringify({ format_version: '1.0', terraform_version: '1.11.4', values });
}
