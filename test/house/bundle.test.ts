// The bundle, where nothing of this checkout is: it runs on Node alone.
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../build.ts';
import about from '../../package.json' with { type: 'json' };
import { mkdtempSync, rmSync } from 'node:fs';
