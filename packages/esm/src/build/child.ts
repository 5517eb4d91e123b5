/**
 * The program of the child process: reads one request from standard input, builds, and says on
 * standard output how it went. Nothing of a package is run here, only read.
 */
import { VitrineError } from '@vitrine/project';
import { bundlePackage } from './bundle.ts';
import { parseChildRequest } from './child-protocol.ts';
import { joinModules } from './join-modules.ts';
import { readFileSync } from 'node:fs';

const asked = parseChildRequest(readFileSync(0, 'utf8'));
try {
  if (asked.kind === 'join') await joinModules(asked.output, asked.request);
  else await bundlePackage(asked.folder, asked.output, asked.request);
  process.stdout.write('{"built":true}');
} catch (error) {
  const known = error instanceof VitrineError ? error : undefined;
  const reason = known?.details ?? (error instanceof Error ? error.message : String(error));
  const code = known?.code ?? 'package_build_failed';
  process.stdout.write(JSON.stringify({ built: false, code, reason }));
}
// esbuild's own process would keep this one alive.
process.exit(0);
