// Parses the `Host` header. On loopback, only names of this machine are served: any other name means that a web page made
// its own name resolve to 127.0.0.1 (DNS rebinding).

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Host name in lower case, without brackets. `undefined` unless the header is a host with an optional port. */
export function hostIn(header: string): { readonly name: string; readonly port: string } | undefined {
  const { name, port = '' } = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<port>\d*))?$/.exec(header)?.groups ?? {};
  return name === undefined ? undefined : { name: name.toLowerCase().replace(/^\[(.*)\]$/, '$1'), port };
}

/** Ignores the port: port forwarding changes it, and a foreign name is foreign on every port. */
export const namesLoopback = (header: string | undefined): boolean =>
  isLoopback(hostIn(header ?? '')?.name ?? '');
