/**
 * Inserts a guard into every loop and every recursive function, to stop infinite loops where the
 * preview shares a process with the editor and would freeze it. `globalThis.__vitrineStep` counts
 * steps and returns whether to stop (sandbox, frame/loop-limit.ts). If it isn't defined, guards do nothing.
 *
 *     for (const a of b) c(a);   →   for (const a of b) {if(globalThis.__vitrineStep?.())throw …;c(a);}
 *
 * Line numbers don't change. Files with the comment `// vitrine: no-guard` get no guards.
 */
import type { AnyNode, BlockStatement, Node } from 'acorn';
import { parseScript } from './parse-script.ts';
import type { Edit } from '../rewrite-module.ts';

/** Throws in the user's script: errors thrown in a script of another origin have no details. */
const guard =
  'if(globalThis.__vitrineStep?.())throw RangeError("This ran for a second without a pause");';

/** Whether a comment in a file disables loop guards. */
export function disablesLoopGuards(text: string): boolean {
  return /\/[/*]\s*vitrine:\s*no-guard\b/.test(text);
}

/** Finds the guards to insert into JavaScript code; none if it has a syntax error. */
export function findLoopGuardEdits(code: string): Edit[] {
  const program = tryParse(code);
  const edits: Edit[] = [];
  if (program) visit(program, (node) => edits.push(...createGuards(node, code)));
  return edits.sort((a, b) => a.start - b.start);
}

function tryParse(code: string): Node | undefined {
  for (const sourceType of ['module', 'script'] as const)
    try {
      return parseScript(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true });
    } catch (error) {
      // Tries the other source type.
      if (!(error instanceof SyntaxError)) throw error;
    }
  return undefined;
}

function createGuards(node: AnyNode, code: string): Edit[] {
  switch (node.type) {
    case 'ForStatement':
    case 'ForInStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return wrapBody(node.body, code);
    case 'ForOfStatement':
      return node.await ? [] : wrapBody(node.body, code);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return callsItself(node.id?.name, node.body, code) ? insertAtStart(node.body) : [];
    case 'VariableDeclarator':
      return node.id.type === 'Identifier' && node.init?.type === 'ArrowFunctionExpression'
        ? insertIntoArrow(node.id.name, node.init.body, code)
        : [];
    default:
      return [];
  }
}

/** Wraps the whole body in a block, so that labels, `let` and single statements work as before. */
function wrapBody(body: Node, code: string): Edit[] {
  const start = findHeadEnd(body.start, code);
  return [
    { start, end: start, text: ` {${guard}` },
    { start: body.end, end: body.end, text: '}' },
  ];
}

/** Returns the index after the `)` or `do` before a body, which is usually on the loop's own line. */
function findHeadEnd(start: number, code: string): number {
  const before = code.slice(0, start).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  // The `)` may be in a comment.
  if (line.includes('//') || line.includes('*/')) return start;
  return line.endsWith(')') || /\bdo$/.test(line) ? before.length : start;
}

/** Inserts a guard after directives such as `'use strict'`, which have to come first. */
function insertAtStart(body: BlockStatement): Edit[] {
  const directive = body.body.findLast((each) => 'directive' in each);
  const at = directive?.end ?? body.start + 1;
  return [{ start: at, end: at, text: directive ? `;${guard}` : guard }];
}

function insertIntoArrow(name: string, body: AnyNode, code: string): Edit[] {
  return body.type === 'BlockStatement' && callsItself(name, body, code) ? insertAtStart(body) : [];
}

function callsItself(name: string | undefined, { start, end }: Node, code: string): boolean {
  if (name === undefined) return false;
  const call = new RegExp(String.raw`(?<![\w$.])${name.replaceAll('$', String.raw`\$`)}\s*\(`);
  return call.test(code.slice(start, end));
}

function visit(node: Node, onNode: (node: AnyNode) => void): void {
  onNode(node as AnyNode);
  for (const value of Object.values(node)) {
    const children: unknown[] = Array.isArray(value) ? value : [value];
    for (const child of children) if (isNode(child)) visit(child, onNode);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
