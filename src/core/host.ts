// Whom a request says it talks to. On loopback only this machine's names are answered: any other means that a page
// from elsewhere made its own name resolve to 127.0.0.1 (DNS rebinding).

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** `undefined` for what is no host with or without a port; the name in lower case and without brackets. */
export function hostIn(header: string): { readonly name: string; readonly port: string } | undefined {
  const { name, port = '' } = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<port>\d*))?$/.exec(header)?.groups ?? {};
  return name === undefined ? undefined : { name: name.toLowerCase().replace(/^\[(.*)\]$/, '$1'), port };
}

/** Any port will do: port forwarding changes it, and a foreign name stays foreign on every port. */
export const namesLoopback = (header: string | undefined): boolean =>
  isLoopback(hostIn(header ?? '')?.name ?? '');
