/** Style sheets of packages: as modules that add the style to the page, and as text/css. */
import { build, type OnLoadResult, type OnResolveArgs, type OnResolveResult } from 'esbuild';
import { findRelative } from './package-files.ts';
import { formatPackagePlaceholder } from './placeholders.ts';
import { resolveSpecifier } from './resolve-specifier.ts';
import type { BuildSubject } from './build-subject.ts';

/** Stands for the package's base URL in the text of a style until the module runs. */
const baseToken = 'vitrine-style-base:';

/** Module that adds a style sheet to the page and exports its text. */
export async function writeStyleModule(subject: BuildSubject, path: string): Promise<OnLoadResult> {
  const { text, external } = await bundleStyle(subject, path, baseToken);
  const own = text.replaceAll(/@import\s+(?:url\()?"vitrine-package:[^"]*"\)?[^;]*;\s*/g, '');
  const lines = [
    ...external.map((specifier) => `import ${JSON.stringify(specifier)};`),
    'const base = new URL("vitrine-base:", import.meta.url).href;',
    `const text = ${JSON.stringify(own)}.replaceAll(${JSON.stringify(baseToken)}, base);`,
    'if (typeof document !== "undefined") {',
    '  const style = document.createElement("style");',
    '  style.textContent = text;',
    '  document.head.append(style);',
    '}',
    'export default text;',
  ];
  return { contents: lines.join('\n') };
}

/**
 * Style sheet with its own imports inlined. URLs of its files and of other packages are
 * placeholders.
 */
export async function writeStyleSheet(subject: BuildSubject, path: string): Promise<string> {
  return (await bundleStyle(subject, path, 'vitrine-base:')).text;
}

async function bundleStyle(subject: BuildSubject, path: string, base: string) {
  const external: string[] = [];
  const result = await build({
    entryPoints: [`entry:${path}`],
    absWorkingDir: '/',
    bundle: true,
    write: false,
    outdir: '/',
    logLevel: 'silent',
    tsconfigRaw: {},
    plugins: [
      {
        name: 'style',
        setup(inner) {
          inner.onResolve({ filter: /.*/ }, (args) =>
            resolveInStyle(subject, args, base, external),
          );
          inner.onLoad({ filter: /.*/ }, (args) => ({
            contents: subject.files.readText(args.path).replaceAll('sourceMappingURL=', ''),
            loader: 'css',
          }));
        },
      },
    ],
  });
  return { text: result.outputFiles[0]?.text ?? '', external };
}

function resolveInStyle(
  subject: BuildSubject,
  args: OnResolveArgs,
  base: string,
  external: string[],
): OnResolveResult {
  if (args.kind === 'entry-point') return { path: args.path.slice(6), namespace: 'style' };
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(args.path)) return { path: args.path, external: true };
  const file = findRelative(subject.files, args.importer, args.path.replace(/^~/, ''));
  if (args.kind === 'import-rule') {
    if (file !== undefined) return { path: file, namespace: 'style' };
    const target = resolveSpecifier(
      subject.files,
      subject.mode,
      args.importer,
      args.path,
      'import',
    );
    if (target.kind === 'file') return { path: target.path, namespace: 'style' };
    const placeholder = formatPackagePlaceholder(args.path);
    external.push(placeholder);
    return { path: `${placeholder}?css`, external: true };
  }
  const suffix = /[?#].*$/.exec(args.path)?.[0] ?? '';
  return {
    path: file === undefined ? args.path : `${base}/-/${encodeURI(file)}${suffix}`,
    external: true,
  };
}
