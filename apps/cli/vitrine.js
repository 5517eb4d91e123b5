#!/usr/bin/env node
// @ts-check
/** `vitrine COMMAND`. Plain JavaScript, because the system's Node may not run TypeScript. */
import { fail, runProgram } from '../../scripts/install.js';

try {
  await runProgram(new URL('src/main.ts', import.meta.url));
} catch (error) {
  fail(error);
}
