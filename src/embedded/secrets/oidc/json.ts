// Reads untrusted JSON values as the expected type; a value of another type becomes empty.

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
