/** Collects the modules and files of packages that a project loads, with everything that these import. */
import {
  applyEdits,
  createFileUrl,
  findAssetUrlEdits,
  findImportEdits,
  isLexerError,
} from '@vitrine/compiler';
import { VitrineError } from '@vitrine/project';
import { packageScheme } from '../../single-file.ts';

interface PackageFile {
  /** URL path, with its query: "/npm/three@0.187.0~k2jq…/addons/x.js" */
  readonly path: string;
  /** A module's text, with specifiers as `packageScheme` has them, or the bytes of another file. */
  readonly content: string | Blob;
  readonly mediaType: string;
}

export interface PackageModules {
  readonly files: readonly PackageFile[];
  /** Paths of modules that couldn't be loaded, which only fail when they are imported. */
  readonly missing: readonly string[];
}

interface CollectOptions {
  /** Origin of the app, which serves packages. */
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Called with the numbers of files that are loaded and known. */
  readonly onProgress: (done: number, total: number) => void;
}

/** UTF-16 units and bytes of all files. A page that loads more would take minutes to open from disk. */
const maxSize = 64 * 1024 * 1024;
const maxRequests = 6;

/** Finds the URL paths of packages in compiled code. */
export function findPackagePaths(code: string): string[] {
  return Array.from(
    code.matchAll(/vitrine-package:(\/npm\/[^"'`\s\\<>]+)/g),
    ([, path = '']) => path,
  );
}

/**
 * Loads modules, and what they import. Rejects with a `VitrineError`: `export_too_large`, or
 * `export_packages_unavailable` if a module of `entries` can't be loaded.
 */
export async function collectPackageModules(
  entries: Iterable<string>,
  { origin, signal, onProgress }: CollectOptions,
): Promise<PackageModules> {
  const known = new Set(entries);
  const required = new Set(known);
  const queue = [...known];
  const files = new Map<string, PackageFile>();
  const missing: string[] = [];
  let size = 0;
  const ended = new AbortController();
  const load = async (path: string) => {
    const response = await fetch(origin + path, {
      signal: AbortSignal.any([signal, ended.signal]),
    });
    if (!response.ok) {
      if (required.has(path)) throw new VitrineError('export_packages_unavailable', path);
      missing.push(path);
      return;
    }
    const mediaType = response.headers.get('Content-Type') ?? '';
    const isModule = mediaType.startsWith('text/javascript') && !path.includes('/-/');
    const loaded = isModule ? await response.text() : await response.blob();
    size += typeof loaded === 'string' ? loaded.length : loaded.size;
    if (size > maxSize) throw new VitrineError('export_too_large', `${size} bytes`);
    if (typeof loaded !== 'string')
      return void files.set(path, { path, content: loaded, mediaType });
    const { text, references } = rewriteModule(loaded, new URL(response.url, origin));
    files.set(path, { path, content: text, mediaType });
    for (const reference of references) {
      if (known.has(reference)) continue;
      known.add(reference);
      queue.push(reference);
    }
  };
  const work = async () => {
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      await load(path);
      onProgress(files.size, known.size);
    }
  };
  // A worker that finds the queue empty would leave the rest to the others.
  try {
    while (queue.length > 0) await Promise.all(Array.from({ length: maxRequests }, work));
  } finally {
    // After a failure, the other workers stop, too.
    ended.abort();
  }
  return { files: [...files.values()], missing };
}

/**
 * Rewrites a module's URLs of packages. `url` is where it was loaded from.
 * `import "/npm/a@1/x"` → `import "vitrine-package:/npm/a@1/x"`
 * `new URL("/npm/a@1/-/x.png", import.meta.url)` → `new URL("vitrine-file:%2Fnpm…")`
 */
function rewriteModule(source: string, url: URL): { text: string; references: Set<string> } {
  const references = new Set<string>();
  const toPath = (specifier: string) => {
    const target = URL.parse(specifier, url);
    return target?.origin === url.origin && target.pathname.startsWith('/npm/')
      ? target.pathname + target.search
      : undefined;
  };
  const text = stripSourceMap(source);
  try {
    const imports = findImportEdits(text, ({ specifier }) => {
      const isUrl = /^(?:\.{0,2}\/|https?:)/.test(specifier);
      const path = isUrl ? toPath(specifier) : undefined;
      if (path === undefined) return undefined;
      references.add(path);
      return packageScheme + path;
    });
    const addresses = findAssetUrlEdits(text, (specifier) => {
      const path = toPath(specifier);
      if (path === undefined) return undefined;
      // The URL of a script only serves as a base for those of files beside it.
      if (!path.includes('/-/') || /\.[cm]?js$/.test(path)) return packageScheme + path;
      references.add(path);
      return createFileUrl(path);
    });
    const edits = [...imports, ...addresses].sort((a, b) => a.start - b.start);
    const base = /new URL\("(\/npm\/[^"]+)", import\.meta\.url\)/.exec(text)?.[1];
    const rewritten = applyEdits(text, edits)
      // A stylesheet's own files, which the module gives their URLs when it runs.
      .replace(
        /vitrine-style-base:(\/-\/[^"'\\)\s?#]+)([?#][^"'\\)\s]*)?/g,
        (whole, file: string) => {
          const path = base === undefined ? undefined : toPath(base + file);
          if (path === undefined) return whole;
          references.add(path);
          return createFileUrl(path);
        },
      );
    return { text: rewritten, references };
  } catch (error) {
    if (isLexerError(error)) return { text, references };
    throw error;
  }
}

/** Removes the comment that leads to the source map, which isn't part of the file. */
function stripSourceMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n');
}
