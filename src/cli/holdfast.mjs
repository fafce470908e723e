#!/usr/bin/env node
// Starts main.ts under a Node that runs TypeScript directly: this one, or else the one that `npm ci` installs. Node 14
// and newer parse this file, so that old versions can say what is missing.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// By default, SIGUSR1 opens Node's inspector, which could read every secret and use every token. With a handler, the
// signal does nothing, in threads either.
process.on('SIGUSR1', () => {});

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const major = Number(process.versions.node.split('.')[0]);

function explain() {
  const cause = existsSync(path('../../node_modules/node'))
    ? 'the package node is installed without its program, as npm leaves it when ignore-scripts is set: ' +
      'run `npm ci --ignore-scripts=false`'
    : 'run `npm ci`: the package node, a development dependency, brings it';
  process.stderr.write(`holdfast needs Node 24 or newer, and this is ${process.version}; ${cause}\n`);
  process.exitCode = 1;
}

function startUnder(node) {
  const child = spawn(node, ['--disable-sigusr1', ...process.argv.slice(1)], {
    stdio: 'inherit',
  });
  // A terminal sends SIGINT to both processes. It is not forwarded: a second signal makes the child exit at once.
  const forward = (signal) => (process.stdin.isTTY && signal === 'SIGINT' ? undefined : child.kill(signal));
  const signals = ['SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(`holdfast: ${node} did not start: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, killedBy) => {
    for (const signal of signals) process.off(signal, forward);
    if (killedBy === null) process.exitCode = code;
    else process.kill(process.pid, killedBy);
  });
}

async function start() {
  // The cache is beside the code, and so as trustworthy as the code. If it can't be written, the start takes longer.
  module.enableCompileCache(path('../../node_modules/.cache/holdfast'));
  const { main } = await import('./main.ts');
  await main();
}

function explainPackage() {
  process.stderr.write(
    'holdfast runs from a checkout, not as a package of node_modules, where Node runs no TypeScript: clone the ' +
      'repository, and run `npm ci` and `npm install --global` there\n',
  );
  process.exitCode = 1;
}

const bundled = path('../../node_modules/node/bin/node');
if (/[\\/]node_modules[\\/]/.test(path('.'))) explainPackage();
else if (major >= 24) void start();
else if (existsSync(bundled)) startUnder(bundled);
else explain();
