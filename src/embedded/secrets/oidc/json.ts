// Values of JSON that nobody vouches for, taken as what they should be.

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
