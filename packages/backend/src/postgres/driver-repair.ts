/**
 * Patches two bugs of the driver while Node loads it (postgres 3.4.9, issues 1066, 1154 and 1208):
 * a write to a connection that just closed throws where nothing can catch it, which ends the
 * process; and a connection that closes with unsent data never sends again. Patched, such a query
 * fails with CONNECTION_CLOSED.
 *
 * Must be imported before the driver, by the entry of the program.
 */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/postgres/src/connection.js') || !loaded.source) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    return { ...loaded, source: patchSource(text) };
  },
});

function patchSource(source: string): string {
  const guarded = replaceExactly(
    source,
    '    const x = socket.write(chunk, fn)\n',
    (line) =>
      `    if (socket === null) {\n` +
      `      chunk = nextWriteTimer = null\n` +
      `      error(Errors.connection('CONNECTION_CLOSED', options))\n` +
      `      return false\n` +
      `    }\n${line}`,
    1,
  );
  return replaceExactly(
    guarded,
    '\n    clearImmediate(nextWriteTimer)\n',
    (line) => `${line}    chunk = nextWriteTimer = null\n`,
    2,
  );
}

/** Throws for other versions of the driver: the bugs may be fixed there, and the patch obsolete. */
function replaceExactly(
  source: string,
  found: string,
  replacement: (found: string) => string,
  times: number,
): string {
  const parts = source.split(found);
  if (parts.length === times + 1) return parts.join(replacement(found));
  throw new Error(
    'postgres/driver-repair.ts does not support this version of the postgres driver.',
  );
}
