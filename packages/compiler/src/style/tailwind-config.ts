/**
 * Reads the configuration file of Tailwind 3 without running it: literals, constants, spreads, and
 * Tailwind’s own colors and default theme. What only running it would tell is left out.
 */
import type { AnyNode, Program } from 'acorn';
import { isRecord } from '@vitrine/project';
import { parseScript } from '../script/parse-script.ts';

/** A configuration as far as it can be read. */
interface TailwindConfig {
  value: Record<string, unknown>;
  /** The first entry that is left out: its key, and the index in the text. */
  unread: { name: string; at: number } | undefined;
}

/**
 * Reads a configuration.
 * @param text JavaScript: `export default { … }` or `module.exports = { … }`.
 * @returns Undefined if it has no such object. Throws acorn's `SyntaxError` if it doesn't parse.
 */
export async function readTailwindConfig(text: string): Promise<TailwindConfig | undefined> {
  const program = parseScript(text, { ecmaVersion: 'latest', sourceType: 'module' });
  const reader = new ConfigReader(program, await loadModules(text));
  const root = findExported(program);
  const value = root && reader.evaluate(findWrapped(root));
  if (!isRecord(value)) return undefined;
  // Vitrine searches every file of the project.
  const { content: _content, purge: _purge, ...config } = value;
  return { value: config, unread: reader.unread };
}

type Modules = ReadonlyMap<string, unknown>;

async function loadModules(text: string): Promise<Modules> {
  if (!/tailwindcss\/(?:colors|defaultTheme)/.test(text)) return new Map();
  const [colors, theme] = await Promise.all([
    import('tailwindcss/colors'),
    import('tailwindcss/defaultTheme'),
  ]);
  return new Map<string, unknown>([
    ['tailwindcss/colors', colors.default],
    ['tailwindcss/defaultTheme', theme.default],
  ]);
}

function findExported({ body }: Program): AnyNode | undefined {
  for (const node of body) {
    if (node.type === 'ExportDefaultDeclaration') return node.declaration;
    if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AssignmentExpression')
      continue;
    const { left, right } = node.expression;
    if (left.type === 'MemberExpression' && getPropertyName(left) === 'exports') return right;
  }
  return undefined;
}

/** `defineConfig({ … })` → the object */
function findWrapped(node: AnyNode): AnyNode {
  const [first] = node.type === 'CallExpression' ? node.arguments : [];
  return first?.type === 'ObjectExpression' ? first : node;
}

/** Stands for a value that only running the code would tell. */
const unknownValue = Symbol('unknown');

class ConfigReader {
  readonly #modules: Modules;
  /** Initializers of constants, by name. */
  readonly #constants = new Map<string, AnyNode>();
  /** Values of constants that have been read; unknown while one is being read. */
  readonly #values = new Map<string, unknown>();
  unread: TailwindConfig['unread'];
  /** Items that spreads may still add to arrays: each constant could double the one before. */
  #spreadsLeft = 10_000;

  constructor({ body }: Program, modules: Modules) {
    this.#modules = modules;
    for (const node of body) {
      if (node.type === 'VariableDeclaration')
        for (const { id, init } of node.declarations)
          if (id.type === 'Identifier' && init) this.#constants.set(id.name, init);
      if (node.type === 'ImportDeclaration')
        for (const { type, local } of node.specifiers)
          if (type === 'ImportDefaultSpecifier')
            this.#values.set(local.name, this.#findModule(node.source.value));
    }
  }

  evaluate(node: AnyNode): unknown {
    switch (node.type) {
      case 'Literal':
        return node.value instanceof RegExp ? unknownValue : node.value;
      case 'TemplateLiteral':
        return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : unknownValue;
      case 'UnaryExpression': {
        const value = this.evaluate(node.argument);
        return node.operator === '-' && typeof value === 'number' ? -value : unknownValue;
      }
      case 'ArrayExpression':
        return node.elements.flatMap((item) => (item ? this.#readItem(item) : []));
      case 'ObjectExpression':
        return Object.fromEntries(node.properties.flatMap((item) => this.#readProperty(item)));
      case 'Identifier':
        return this.#readConstant(node.name);
      case 'MemberExpression': {
        const object = this.evaluate(node.object);
        const name = getPropertyName(node);
        return isRecord(object) && name !== undefined && Object.hasOwn(object, name)
          ? object[name]
          : unknownValue;
      }
      case 'CallExpression': {
        const [first] = node.arguments;
        const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
        return isRequire && first?.type === 'Literal'
          ? this.#findModule(first.value)
          : unknownValue;
      }
      default:
        return unknownValue;
    }
  }

  #readItem(node: AnyNode): unknown[] {
    const value = this.evaluate(node.type === 'SpreadElement' ? node.argument : node);
    if (node.type === 'SpreadElement' && Array.isArray(value)) {
      this.#spreadsLeft -= value.length;
      if (this.#spreadsLeft >= 0) return [...(value as unknown[])];
    }
    if (value !== unknownValue && node.type !== 'SpreadElement') return [value];
    this.#leaveOut('', node.start);
    return [];
  }

  #readProperty(node: AnyNode): [string, unknown][] {
    if (node.type === 'SpreadElement') {
      const value = this.evaluate(node.argument);
      if (isRecord(value)) return Object.entries(value);
    }
    if (node.type !== 'Property') {
      this.#leaveOut('', node.start);
      return [];
    }
    const name = getKeyName(node.key, node.computed);
    const value = this.evaluate(node.value);
    if (name !== undefined && value !== unknownValue) {
      // Entries left out of a list are those of its key.
      if (this.unread?.name === '') this.unread.name = name;
      return [[name, value]];
    }
    this.#leaveOut(name ?? '', node.start);
    return [];
  }

  #readConstant(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    const node = this.#constants.get(name);
    if (!node) return name === 'undefined' ? undefined : unknownValue;
    this.#values.set(name, unknownValue);
    const value = this.evaluate(node);
    this.#values.set(name, value);
    return value;
  }

  #findModule(specifier: unknown): unknown {
    const name = String(specifier).replace(/\.js$/, '');
    return this.#modules.has(name) ? this.#modules.get(name) : unknownValue;
  }

  #leaveOut(name: string, at: number): void {
    this.unread ??= { name, at };
  }
}

function getPropertyName(node: AnyNode): string | undefined {
  return node.type === 'MemberExpression' ? getKeyName(node.property, node.computed) : undefined;
}

function getKeyName(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return key.type === 'Identifier' && !isComputed ? key.name : undefined;
}
