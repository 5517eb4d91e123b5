// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { node, root } from '../install.js';

/** Known-bad samples: a folder, and an import that files in it must not have. */
const samples = [
  ['packages/project/src', "import { createEditor } from '@vitrine/editor';"],
  ['packages/project/src', "import { readFile } from 'node:fs';"],
  ['packages/project/src', "import { useState } from 'react';"],
  ['packages/project/src', "import { parseLockfile } from '@vitrine/esm/lockfile';"],
  ['packages/esm/src', "import { compileFile } from '@vitrine/compiler';"],
  ['packages/esm/src', "import { start } from '../../../apps/web/server/main.ts';"],
  ['packages/esm/src/lockfile', "import { readFile } from 'node:fs';"],
  ['packages/esm/src/lockfile', "import { createPackageServer } from '../server.ts';"],
  ['packages/compiler/src', "import { mount } from '@vitrine/sandbox/host';"],
  ['packages/compiler/src', "import { createPackageServer } from '@vitrine/esm';"],
  ['packages/sandbox/src/host', "import { createPackageServer } from '@vitrine/esm';"],
  ['apps/web/app', "import { createPackageServer } from '@vitrine/esm';"],
  ['packages/sandbox/src/host', "import { createEditor } from '@vitrine/editor';"],
  ['packages/sandbox/src/frame', "import { useState } from 'react';"],
  ['packages/editor/src', "import { useState } from 'react';"],
  ['packages/editor/src', "import { createPackageServer } from '@vitrine/esm';"],
  ['packages/editor/src', "import { compileFile } from '@vitrine/compiler';"],
  ['packages/backend/src', "import { start } from '../../../apps/web/server/main.ts';"],
  ['apps/cli/src', "import { startInstance } from '../../web/server/main.ts';"],
  ['packages/collaboration/src', "import { createEditor } from '@vitrine/editor';"],
  ['packages/collaboration/src', "import { ProcessPool } from '@vitrine/processes';"],
  ['packages/processes/src', "import { isRecord } from '@vitrine/project';"],
  ['packages/esm/src', "import { createCompiler } from '@vitrine/compiler';"],
  ['packages/esm/src/build', "import { useState } from 'react';"],
  ['packages/backend/src', "import { openTestDatabase } from '@vitrine/testing/database';"],
  ['packages/esm/src', "import { startFakeRegistry } from '@vitrine/testing/registry';"],
  ['packages/sandbox/src/host', "import { openWindow } from '@vitrine/testing/chromium';"],
  ['apps/cli/src', "import { openTestDatabase } from '@vitrine/testing/database';"],
  ['apps/web/app', "import { openWindow } from '@vitrine/testing/chromium';"],
  ['apps/web/server', "import { startServer } from '@vitrine/testing/server';"],
  ['packages/testing/src', "import { startInstance } from '../../../apps/web/server/main.ts';"],
  ['apps/web/app', "import { startInstance } from '../server/main.ts';"],
  ['apps/web/app/workspace', "import { startInstance } from '../../server/main.ts';"],
  ['apps/web/app/workspace/tree', "import { startInstance } from '../../../server/main.ts';"],
  ['apps/web/app/workspace/tree', "import { showToast } from '../../ui/toast.tsx';"],
];

const file = (/** @type {string} */ folder) => `${root}${folder}/known-bad-sample.ts`;

afterEach(() => {
  for (const [folder] of samples) rmSync(file(String(folder)), { force: true });
});

describe('the linter', () => {
  test.each(samples)('rejects in %s: %s', (folder, line) => {
    mkdirSync(`${root}${folder}`, { recursive: true });
    writeFileSync(
      file(folder),
      `${line}\nexport const used = [${/\{ (\w+) \}/.exec(line)?.[1]}];\n`,
    );
    expect(lint(file(folder))).toContain('no-restricted-imports');
  });

  test('rejects a cycle of types', () => {
    const folder = `${root}packages/project/src`;
    const other = `${folder}/known-bad-cycle.ts`;
    writeFileSync(
      file('packages/project/src'),
      "import type { B } from './known-bad-cycle.ts';\nexport type A = B[];\n",
    );
    writeFileSync(
      other,
      "import type { A } from './known-bad-sample.ts';\nexport type B = { a: A };\n",
    );
    try {
      expect(lint(other)).toContain('no-cycle');
    } finally {
      rmSync(other);
    }
  });
});

/** @param {string} path */
function lint(path) {
  try {
    return execFileSync(node, [`${root}node_modules/oxlint/bin/oxlint`, '--deny-warnings', path], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    // A finding makes it exit with 1, with the findings in its output.
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}
