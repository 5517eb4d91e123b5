/** Compiles HTML pages: resolves the imports of inline scripts. */
import { findServedFile } from '@vitrine/project';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { checkInlineScripts } from './check-inline-scripts.ts';
import { checkPageMarkup } from './check-page-markup.ts';
import { unchangedFile, type CompiledText } from '../compiled-file.ts';
import {
  createImportResolver,
  findLoopGuards,
  findProjectEdits,
  joinFound,
  compareEdits,
  tryFindImportEdits,
} from '../compile-module.ts';
import { findBuiltFile, type BuiltFile } from './built-files.ts';
import { findImplicitEntry } from './create-react-app.ts';
import { getElementAttribute } from './inline-attributes.ts';
import { getPosition } from './instrument-html.ts';
import { isPathSpecifier } from '../find-module.ts';
import { encodePath, resolveBase, resolvePath } from '../resolve-path.ts';
import { applyEdits, type Edit } from '../rewrite-module.ts';
import { findPageReferenceEdits } from '../script/environment.ts';
import type { ModuleContext, ModuleSource } from '../compile-context.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/**
 * Compiles a page. Lines stay and columns move only after an import or a reference such as `%MODE%`,
 * so it needs no source map.
 */
export function compilePage({ path, text }: ModuleSource, context: ModuleContext): CompiledText {
  const problem = checkInlineScripts(text);
  /** Base path of relative URLs; undefined if it is outside the project or unknown. */
  let base: string | undefined = path;
  let hasBase = false;
  let imports = createImportResolver({ path, text }, context);
  const importResolvers = [imports];
  const references = findPageReferenceEdits(text, context.env);
  const edits: Edit[] = [...references];
  const loaded = new Set<string>();
  const missing: NonNullable<BuiltFile['missing']>[] = [];
  let hasBundle = false;
  const globs: ReturnType<typeof findProjectEdits> = { edits: [], ids: [], problems: [] };
  for (const part of findParts(parse(text, { sourceCodeLocationInfo: true }))) {
    if ('base' in part) {
      if (hasBase) continue;
      hasBase = true;
      base = resolveBase(path, part.base);
      imports = createImportResolver({ path: base ?? path, text }, context);
      importResolvers.push(imports);
      continue;
    }
    if ('element' in part) {
      const built = base === undefined ? undefined : findBuiltFile(part.element, base, context);
      if (!built) continue;
      edits.push(...built.edits);
      if (built.entry !== undefined) loaded.add(built.entry);
      if (built.missing) missing.push(built.missing);
      hasBundle ||= built.entry !== undefined;
      continue;
    }
    if ('src' in part) {
      const src = applyEdits(part.src, findPageReferenceEdits(part.src, context.env));
      const target = base === undefined ? undefined : resolvePath(base, src);
      const file = target === undefined ? undefined : findServedFile(target, context.exists);
      if (file !== undefined) loaded.add(file);
      continue;
    }
    const script = part;
    // The script may change the page's base URL: later relative URLs are left to the browser.
    if (setsBase(script.text)) base = undefined;
    const isKnown = base !== undefined;
    const rewritten = tryFindImportEdits(script.text, (found) =>
      isKnown || !isPathSpecifier(found.specifier)
        ? imports.rewrite({ ...found, at: found.at + script.start })
        : undefined,
    );
    const guards = findLoopGuards(text, script.text, context);
    const own = findProjectEdits({ path: base ?? path, text: script.text }, context);
    globs.ids = [...globs.ids, ...own.ids];
    globs.problems = [
      ...globs.problems,
      ...own.problems.map((one) => ({ ...one, at: one.at + script.start })),
    ];
    const scriptEdits = [...rewritten, ...guards, ...own.edits].map((edit) => ({
      ...edit,
      start: edit.start + script.start,
      end: edit.end + script.start,
    }));
    // A reference in an import is part of its specifier.
    const isFree = (edit: Edit) => !references.some((one) => overlaps(one, edit));
    edits.push(...scriptEdits.filter(isFree));
  }
  const entry = hasBundle ? undefined : findImplicitEntry(path, text, context);
  if (entry !== undefined) {
    loaded.add(entry);
    const at = findBodyEnd(text);
    const tag = `<script type="module" src="/${encodePath(entry)}"></script>`;
    edits.push({ start: at, end: at, text: tag });
  }
  edits.sort(compareEdits);
  const locationOf = (at: number) => getPosition(text, at);
  const found = importResolvers.map((one) => one.found(locationOf));
  const { imports: globImports, problems: globProblems } = joinFound(
    { missing: [], absent: [], imports: [] },
    globs,
    locationOf,
  );
  return {
    ...unchangedFile,
    code: edits.length > 0 ? applyEdits(text, edits) : undefined,
    problems: [...(problem ? [problem] : []), ...checkPageMarkup(text), ...globProblems],
    missing: [
      ...found.flatMap((one) => one.missing),
      ...missing.map(({ at, ...one }) => ({ ...one, ...locationOf(at) })),
    ],
    absent: found.flatMap(({ absent }) => absent),
    imports: [...new Set([...loaded, ...found.flatMap((one) => one.imports), ...globImports])],
    hot: undefined,
  };
}

function overlaps(a: Edit, b: Edit): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Index of the end tag of the body, or the end of the page. */
function findBodyEnd(html: string): number {
  const at = html.search(/<\/body\s*>/i);
  return at === -1 ? html.length : at;
}

interface InlineScript {
  text: string;
  /** Index of the script's first character in the page. */
  start: number;
}

/** Whether a script may create or change `<base>`: "createElement('base')", "querySelector('base')" */
function setsBase(script: string): boolean {
  return /["'`<]base\b/i.test(script);
}

/** Yields the page's scripts and `<base href>` values in document order. */
function* findParts(
  node: Node,
  isInTemplate = false,
): Generator<InlineScript | { src: string } | { element: Element } | { base: string }> {
  if ('content' in node) yield* findParts(node.content, true);
  if (!('childNodes' in node)) return;
  if ('tagName' in node && node.tagName === 'base' && !isInTemplate) {
    const href = node.attrs.find(({ name }) => name === 'href')?.value;
    if (href !== undefined) yield { base: href };
  }
  if ('tagName' in node && node.tagName === 'script' && isScript(node.attrs)) {
    const [child] = node.childNodes;
    const start = child?.sourceCodeLocation?.startOffset;
    const src = node.attrs.find(({ name }) => name === 'src')?.value;
    if (src !== undefined) yield* [{ src }, { element: node }];
    else if (child && 'value' in child && start !== undefined) yield { text: child.value, start };
  }
  if ('tagName' in node && node.tagName === 'link' && isStylesheet(node)) yield { element: node };
  for (const child of node.childNodes) yield* findParts(child, isInTemplate);
}

function isStylesheet(link: Element): boolean {
  return /\bstylesheet\b/i.test(getElementAttribute(link, 'rel') ?? '');
}

function isScript(attributes: readonly { name: string; value: string }[]): boolean {
  const type =
    attributes
      .find(({ name }) => name === 'type')
      ?.value.trim()
      .toLowerCase() ?? '';
  return ['', 'module', 'text/javascript', 'application/javascript'].includes(type);
}

/** Finds the specifiers in import maps of pages. `three/` matches all specifiers with that prefix. */
export function findImportMapSpecifiers(pages: Iterable<string>): string[] {
  const keys = new Set<string>();
  for (const page of pages)
    for (const map of findImportMaps(page)) for (const key of getImportKeys(map)) keys.add(key);
  return [...keys].sort();
}

/** Scans tag by tag: the time of one regular expression could grow with the square of the length. */
function* findImportMaps(page: string): Generator<string> {
  if (!page.includes('importmap')) return;
  const tag = /<script\b/gi;
  while (tag.exec(page)) {
    const end = page.indexOf('>', tag.lastIndex);
    if (end === -1) return;
    const isMap = /\btype\s*=\s*["']?importmap/i.test(page.slice(tag.lastIndex, end));
    const close = isMap ? page.indexOf('</script', end) : end;
    // An unclosed script extends to the end of the page.
    if (close === -1) return;
    if (isMap) yield page.slice(end + 1, close);
    tag.lastIndex = close;
  }
}

function getImportKeys(map: string): string[] {
  try {
    const parsed: unknown = JSON.parse(map);
    if (typeof parsed !== 'object' || parsed === null || !('imports' in parsed)) return [];
    return Object.keys(parsed.imports ?? {});
  } catch (error) {
    // Browsers ignore import maps that can't be parsed.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
