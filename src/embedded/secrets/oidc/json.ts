// Reads untrusted JSON values as the type they should have.

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
