// Plain scalars that readers of YAML 1.1 and 1.2 may take for different things: judged here, and by kubectl in the e2e suite.

/** kubectl reads another value: refused. */
export const misread: readonly string[] = `
  y Y yes Yes YES on On ON n N no No NO off Off OFF
  010 -010 +010 00010 0777
  1_000 1_0 1_ -1_0 -_1 0_7 1_0.5 1_0e2 .1_0 .5e1_0
  0b101 0B1 -0b1 -0o7 +0o7 0O7 0X1f -0x1f +0x1F`
  .trim()
  .split(/\s+/);

/** Both read the same. */
export const alike: readonly string[] = [
  '',
  '! 010',
  '!!str yes',
  'y es',
  ...`
  true True TRUE false False null Null NULL ~
  0 -0 +1 10 -10 0o10 0x1f 0x1F 00 07 08 089 0o 0x 0b 0b2 0o8
  1.5 1. .5 -.5 +.5 1e3 1E3 1.5e-3 010.5 1e 1.2.3 1:30 190:20:30
  2001-01-01 2001-01-01T10:00:00Z 10Gi 1h30m 10.0.0.1 + . _1 .1_ .1__0 ._1
  yEs nO oN yess tRUE nil None "yes" '010' = <<`
    .trim()
    .split(/\s+/),
];
