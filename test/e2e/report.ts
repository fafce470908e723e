// Figures that a run is about: printed with its result.

export const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
