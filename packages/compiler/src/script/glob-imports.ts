/**
 * Expands `import.meta.glob(…)` to an object with one import for each file that matches, as Vite does:
 * `import.meta.glob('./posts/*.md')` → `({"./posts/a.md": () => import("/posts/a.md?module")})`. A
 * module is compiled again when files are added or removed.
 */
import { isRecord } from '@vitrine/project';
import { parseExpressionAt, type AnyNode, type CallExpression } from 'acorn';
import { getImportQuery, findAssetQuery } from '../asset-modules.ts';
import type { ModuleContext } from '../compile-context.ts';
import { getProjectModuleUrl } from '../rename-imports.ts';
import { lexModule, type Edit } from '../rewrite-module.ts';
import { getRelativePath } from '../style/relative-path.ts';
import { findPreludeStart } from './environment.ts';

/** Whether a text may contain glob imports. */
export function usesGlobImports(text: string): boolean {
  return /\bmeta\s*\.\s*glob/.test(text);
}

interface GlobImports {
  edits: Edit[];
  /** Ids of the imported modules. */
  ids: string[];
  /** Calls that can't be expanded, by index. */
  problems: { message: string; at: number }[];
}

/** The values that a call can have. */
interface GlobCall {
  patterns: string[];
  isEager: boolean;
  /** Name of the export to import; undefined for the whole module. */
  name: string | undefined;
  /** `?raw`; '' for none. */
  query: string;
  isExhaustive: boolean;
  base: string | undefined;
}

/** Expands the calls in a module. Throws if the lexer can't read it (`isLexerError`). */
export function findGlobImports(path: string, code: string, context: ModuleContext): GlobImports {
  const found: GlobImports = { edits: [], ids: [], problems: [] };
  if (!usesGlobImports(code) || !context.findGlobFiles) return found;
  const prelude: string[] = [];
  for (const { type, start, end } of lexModule(code)[0]) {
    const [member] = /^\s*\.\s*glob(?:Eager)?\s*\(/.exec(code.slice(end, end + 200)) ?? [];
    if (type !== 'import-meta' || member === undefined) continue;
    const call = parseCall(code, start);
    const read = call && readCall(call, member.includes('Eager'));
    if (!call || !read) {
      found.problems.push({ message: notLiteral, at: start });
      continue;
    }
    const entries = listEntries(path, read, context).map(({ key, id }) => {
      found.ids.push(id);
      const specifier = JSON.stringify(getProjectModuleUrl(id));
      if (read.isEager) {
        const local = `__glob${prelude.length}`;
        const imported =
          read.name === undefined ? `* as ${local}` : `{ ${toExportName(read.name)} as ${local} }`;
        prelude.push(`import ${imported} from ${specifier}; `);
        return `${JSON.stringify(key)}: ${local}`;
      }
      const pick = read.name === undefined ? '' : `.then((m) => m[${JSON.stringify(read.name)}])`;
      return `${JSON.stringify(key)}: () => import(${specifier})${pick}`;
    });
    // Keeps the line numbers of following code.
    const breaks = code.slice(call.start, call.end).replace(/[^\n]/g, '');
    const text = `({${entries.join(', ')}${breaks}})`;
    found.edits.push({ start: call.start, end: call.end, text });
  }
  const at = findPreludeStart(code);
  if (prelude.length > 0) found.edits.unshift({ start: at, end: at, text: prelude.join('') });
  return found;
}

const notLiteral =
  'import.meta.glob needs patterns and options that are literals, such as "./posts/*.md".';

function toExportName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function parseCall(code: string, at: number): CallExpression | undefined {
  try {
    let node: AnyNode = parseExpressionAt(code, at, {
      ecmaVersion: 'latest',
      sourceType: 'module',
    });
    // The rest of the expression may use the result: `Object.keys(import.meta.glob('./*')).length`.
    while (node.type !== 'CallExpression' || !isGlob(node.callee)) {
      const inner = findLeft(node);
      if (!inner) return undefined;
      node = inner;
    }
    return node;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isGlob(node: AnyNode): boolean {
  return node.type === 'MemberExpression' && node.object.type === 'MetaProperty';
}

/** The part of an expression that it starts with. */
function findLeft(node: AnyNode): AnyNode | undefined {
  switch (node.type) {
    case 'MemberExpression':
      return node.object;
    case 'CallExpression':
      return node.callee;
    case 'ChainExpression':
      return node.expression;
    case 'BinaryExpression':
    case 'LogicalExpression':
      return node.left;
    case 'ConditionalExpression':
      return node.test;
    case 'SequenceExpression':
      return node.expressions[0];
    case 'TaggedTemplateExpression':
      return node.tag;
    default:
      return undefined;
  }
}

/** Reads the arguments; undefined if they aren't literals. */
function readCall(
  { arguments: [first, second] }: CallExpression,
  isEager: boolean,
): GlobCall | undefined {
  const patterns = first && readLiteral(first);
  const options = second ? readLiteral(second) : {};
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string')) return undefined;
  if (!isRecord(options)) return undefined;
  const { eager, import: name, query, as, exhaustive, base } = options;
  const call: GlobCall = {
    patterns: list,
    isEager: isEager || eager === true,
    name: typeof name === 'string' && name !== '*' ? name : undefined,
    query: readQuery(query ?? as),
    isExhaustive: exhaustive === true,
    base: typeof base === 'string' ? base : undefined,
  };
  // The older option `as` imports the value itself.
  if (typeof as === 'string') call.name ??= 'default';
  return call;
}

function readQuery(query: unknown): string {
  if (typeof query === 'string') return query === '' ? '' : `?${query.replace(/^\?/, '')}`;
  if (typeof query !== 'object' || query === null) return '';
  const names = Object.entries(query).map(([name, value]) =>
    value === true || value === '' ? name : `${name}=${String(value)}`,
  );
  return names.length === 0 ? '' : `?${names.join('&')}`;
}

/** The value of a literal; undefined for other expressions. */
function readLiteral(node: AnyNode): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : undefined;
    case 'UnaryExpression':
      return node.operator === '!' ? !readLiteral(node.argument) : undefined;
    case 'ArrayExpression':
      return node.elements.map((element) => element && readLiteral(element));
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.flatMap((property) => {
          if (property.type !== 'Property' || property.computed) return [];
          const { key, value } = property;
          const name = key.type === 'Identifier' ? key.name : readLiteral(key);
          return typeof name === 'string' ? [[name, readLiteral(value)]] : [];
        }),
      );
    default:
      return undefined;
  }
}

function listEntries(path: string, call: GlobCall, context: ModuleContext) {
  const base =
    call.base === undefined ? path : `${toRootPattern(path, call.base, context).slice(1)}/.`;
  const patterns = call.patterns.map((pattern) => {
    const isNegative = pattern.startsWith('!');
    const root = toRootPattern(base, isNegative ? pattern.slice(1) : pattern, context);
    return (isNegative ? '!' : '') + root;
  });
  const isRelative = call.patterns.every((pattern) => /^[.!]/.test(pattern));
  const files = context.findGlobFiles?.(patterns, context.paths, call.isExhaustive) ?? [];
  return files
    .filter((file) => file !== path)
    .map((file) => {
      const relative = getRelativePath(base, file);
      const query = findAssetQuery(`${file}${call.query}`) ?? getImportQuery(file) ?? '';
      return {
        key: isRelative ? (relative.startsWith('.') ? relative : `./${relative}`) : `/${file}`,
        id: file + query,
      };
    });
}

/** "./posts/*.md" in "src/main.ts" → "/src/posts/*.md"; "@/a/*" → "/src/a/*" */
function toRootPattern(path: string, pattern: string, context: ModuleContext): string {
  if (pattern.startsWith('/')) return pattern;
  if (pattern.startsWith('**')) return `/${pattern}`;
  if (pattern.startsWith('.')) {
    const folders = path.split('/').slice(0, -1);
    const names = pattern.split('/');
    for (; names[0] === '.' || names[0] === '..'; names.shift())
      if (names[0] === '..') folders.pop();
    return `/${[...folders, ...names].join('/')}`;
  }
  return context.resolveAliasPattern(pattern) ?? `/${pattern}`;
}
