import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { checkScript, type ScriptKind, type CompileDiagnostic } from '../script/check-script.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Returns the first syntax error in an inline script of a document, with its position there. */
export function checkInlineScripts(html: string): CompileDiagnostic | undefined {
  for (const element of findScripts(parse(html, { sourceCodeLocationInfo: true }))) {
    const problem = checkInline(element);
    if (problem) return problem;
  }
  return undefined;
}

function* findScripts(node: Node): Generator<Element> {
  if (!('childNodes' in node)) return;
  if ('tagName' in node && node.tagName === 'script') yield node;
  for (const child of node.childNodes) yield* findScripts(child);
}

function checkInline(element: Element): CompileDiagnostic | undefined {
  const kind = findKind(element);
  const [text] = element.childNodes;
  const start = text?.sourceCodeLocation;
  if (!kind || !text || !('value' in text) || !start) return undefined;
  const problem = checkScript(text.value, kind);
  if (!problem) return undefined;
  const column = problem.line === 1 ? problem.column + start.startCol - 1 : problem.column;
  return { ...problem, line: problem.line + start.startLine - 1, column };
}

/** Returns undefined for external scripts and data blocks. */
function findKind(element: Element): ScriptKind | undefined {
  const attributes = new Map(element.attrs.map(({ name, value }) => [name, value]));
  if (attributes.has('src')) return undefined;
  const type = (attributes.get('type') ?? '').trim().toLowerCase();
  if (type === 'module') return 'module';
  return type === '' || type === 'text/javascript' || type === 'application/javascript'
    ? 'classic'
    : undefined;
}
