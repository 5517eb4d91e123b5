/** A page whose inline scripts import as those in files do. */
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { checkDocument } from './check-document.ts';
import { checkPage } from './check-page.ts';
import { unchanged, type CompiledText } from './compiled-file.ts';
import {
  createImports,
  findGuards,
  inOrder,
  tryEdits,
  type ModuleContext,
  type ModuleSource,
} from './compile-module.ts';
import { positionAt } from './instrument-html.ts';
import { isPath } from './find-module.ts';
import { resolveBase, resolvePath } from './resolve-path.ts';
import { applyEdits, type Edit } from './rewrite-module.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Lines stay; columns move only behind an import. So a page needs no map. */
export function compilePage({ path, text }: ModuleSource, context: ModuleContext): CompiledText {
  const problem = checkDocument(text);
  /** What relative addresses stand on; undefined where they are not of the project, or not known. */
  let base: string | undefined = path;
  let hasBase = false;
  let imports = createImports({ path, text }, context);
  const all = [imports];
  const edits: Edit[] = [];
  const loaded = new Set<string>();
  for (const part of findParts(parse(text, { sourceCodeLocationInfo: true }))) {
    if ('base' in part) {
      if (hasBase) continue;
      hasBase = true;
      base = resolveBase(path, part.base);
      imports = createImports({ path: base ?? path, text }, context);
      all.push(imports);
      continue;
    }
    if ('src' in part) {
      const target = base === undefined ? undefined : resolvePath(base, part.src);
      if (target !== undefined && context.exists(target)) loaded.add(target);
      continue;
    }
    const script = part;
    // Such a script may give the page another base: what comes after is the browser's to find.
    if (setsBase(script.text)) base = undefined;
    const isKnown = base !== undefined;
    const rewritten = tryEdits(script.text, (found) =>
      isKnown || !isPath(found.specifier)
        ? imports.rewrite({ ...found, at: found.at + script.start })
        : undefined,
    );
    const guards = findGuards(text, script.text, context);
    const within = [...rewritten, ...guards].sort(inOrder);
    for (const { start, end, text: by } of within)
      edits.push({ start: start + script.start, end: end + script.start, text: by });
  }
  const found = all.map((one) => one.found((at) => positionAt(text, at)));
  return {
    ...unchanged,
    code: edits.length > 0 ? applyEdits(text, edits) : undefined,
    problems: [...(problem ? [problem] : []), ...checkPage(text)],
    missing: found.flatMap(({ missing }) => missing),
    absent: found.flatMap(({ absent }) => absent),
    imports: [...new Set([...loaded, ...found.flatMap((one) => one.imports)])],
    hot: undefined,
  };
}

interface InlineScript {
  text: string;
  /** Index of its first character in the page. */
  start: number;
}

/** Whether a script has to do with `<base>`: "createElement('base')", "querySelector('base')" */
function setsBase(script: string): boolean {
  return /["'`<]base\b/i.test(script);
}

/** The page's scripts and `<base href>`s, in their order. */
function* findParts(
  node: Node,
  isInTemplate = false,
): Generator<InlineScript | { src: string } | { base: string }> {
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
    if (src !== undefined) yield { src };
    else if (child && 'value' in child && start !== undefined) yield { text: child.value, start };
  }
  for (const child of node.childNodes) yield* findParts(child, isInTemplate);
}

function isScript(attributes: readonly { name: string; value: string }[]): boolean {
  const type =
    attributes
      .find(({ name }) => name === 'type')
      ?.value.trim()
      .toLowerCase() ?? '';
  return ['', 'module', 'text/javascript', 'application/javascript'].includes(type);
}

/** The specifiers that import maps of pages answer; `three/` stands for all that begin so. */
export function findMappedSpecifiers(pages: Iterable<string>): string[] {
  const keys = new Set<string>();
  for (const page of pages)
    for (const map of findImportMaps(page)) for (const key of keysOf(map)) keys.add(key);
  return [...keys].sort();
}

/** By walking over tags, not by one expression, whose time could grow with the square of the page. */
function* findImportMaps(page: string): Generator<string> {
  if (!page.includes('importmap')) return;
  const tag = /<script\b/gi;
  while (tag.exec(page)) {
    const end = page.indexOf('>', tag.lastIndex);
    if (end === -1) return;
    const isMap = /\btype\s*=\s*["']?importmap/i.test(page.slice(tag.lastIndex, end));
    const close = isMap ? page.indexOf('</script', end) : end;
    // A script that is not closed goes on to the end of the page.
    if (close === -1) return;
    if (isMap) yield page.slice(end + 1, close);
    tag.lastIndex = close;
  }
}

function keysOf(map: string): string[] {
  try {
    const parsed: unknown = JSON.parse(map);
    if (typeof parsed !== 'object' || parsed === null || !('imports' in parsed)) return [];
    return Object.keys(parsed.imports ?? {});
  } catch (error) {
    // The browser would ignore a map that does not parse.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
