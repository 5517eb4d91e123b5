/**
 * Puts a step into every loop, and into every function that calls itself, so that code without an
 * end can be stopped where a hang would freeze the editor too. `globalThis.__vitrineStep` counts and
 * says when it is enough (sandbox, frame/steps.ts); where nobody has put it there, nothing happens.
 *
 *     for (const a of b) c(a);   →   for (const a of b) {if(globalThis.__vitrineStep?.())throw …;c(a);}
 *
 * Lines stay where they are. A file with the comment `// vitrine: no-guard` is left alone.
 */
import type { AnyNode, BlockStatement, Node } from 'acorn';
import { parseScript } from './parse-script.ts';
import type { Edit } from './rewrite-module.ts';

/** It throws here, not in the frame's script: of errors in scripts of another origin nothing is told. */
const step =
  'if(globalThis.__vitrineStep?.())throw RangeError("This ran for a second without a pause");';

/** Whether a file says that its loops are to be left alone. */
export function refusesGuards(text: string): boolean {
  return /\/[/*]\s*vitrine:\s*no-guard\b/.test(text);
}

/** The steps for a script in JavaScript; none for one that does not parse. */
export function findSteps(code: string): Edit[] {
  const program = tryParse(code);
  const edits: Edit[] = [];
  if (program) visit(program, (node) => edits.push(...stepsOf(node, code)));
  return edits.sort((a, b) => a.start - b.start);
}

function tryParse(code: string): Node | undefined {
  for (const sourceType of ['module', 'script'] as const)
    try {
      return parseScript(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true });
    } catch (error) {
      // It may be the other kind.
      if (!(error instanceof SyntaxError)) throw error;
    }
  return undefined;
}

function stepsOf(node: AnyNode, code: string): Edit[] {
  switch (node.type) {
    case 'ForStatement':
    case 'ForInStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return wrap(node.body, code);
    case 'ForOfStatement':
      return node.await ? [] : wrap(node.body, code);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return callsItself(node.id?.name, node.body, code) ? enter(node.body) : [];
    case 'VariableDeclarator':
      return node.id.type === 'Identifier' && node.init?.type === 'ArrowFunctionExpression'
        ? enterArrow(node.id.name, node.init.body, code)
        : [];
    default:
      return [];
  }
}

/** Around the whole body, so that labels, `let` and single statements mean what they did. */
function wrap(body: Node, code: string): Edit[] {
  const start = headEnd(body.start, code);
  return [
    { start, end: start, text: ` {${step}` },
    { start: body.end, end: body.end, text: '}' },
  ];
}

/** Right behind the `)` or `do` before a body, which is on the loop's own line more often. */
function headEnd(start: number, code: string): number {
  const before = code.slice(0, start).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  // What looks like the head's end may stand in a comment.
  if (line.includes('//') || line.includes('*/')) return start;
  return line.endsWith(')') || /\bdo$/.test(line) ? before.length : start;
}

/** Behind directives (`'use strict'`), which have to come first. */
function enter(body: BlockStatement): Edit[] {
  const directive = body.body.findLast((each) => 'directive' in each);
  const at = directive?.end ?? body.start + 1;
  return [{ start: at, end: at, text: directive ? `;${step}` : step }];
}

function enterArrow(name: string, body: AnyNode, code: string): Edit[] {
  return body.type === 'BlockStatement' && callsItself(name, body, code) ? enter(body) : [];
}

function callsItself(name: string | undefined, { start, end }: Node, code: string): boolean {
  if (name === undefined) return false;
  const call = new RegExp(String.raw`(?<![\w$.])${name.replaceAll('$', String.raw`\$`)}\s*\(`);
  return call.test(code.slice(start, end));
}

function visit(node: Node, note: (node: AnyNode) => void): void {
  note(node as AnyNode);
  for (const value of Object.values(node)) {
    const children: unknown[] = Array.isArray(value) ? value : [value];
    for (const child of children) if (isNode(child)) visit(child, note);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
