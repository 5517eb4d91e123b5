// oxlint-disable-next-line typescript/triple-slash-reference -- it has nothing to be imported
/// <reference path="./template-compiler.d.ts" />
/**
 * Compiles components of Vue 2.7. Their scripts and styles are those of Vue 3, whose compiler also
 * separates the blocks; only templates have a compiler of their own, of version 2.7.16. An edit reloads
 * the page.
 */
import type { SFCDescriptor } from '@vue/compiler-sfc';
import templateCompiler from 'vue-template-compiler/browser.js';
import type { CompiledText } from '../compiled-file.ts';
import { createStyleCode } from '../component/component-styles.ts';
import { createFailedComponent, finishComponent } from '../component/finish-component.ts';
import { concatenateCode, createUnmappedCode } from '../component/mapped-code.ts';
import { getPosition } from '../page/instrument-html.ts';
import { encodePath, resolvePath } from '../resolve-path.ts';
import type { CompileDiagnostic } from '../script/check-script.ts';
import { parseScript } from '../script/parse-script.ts';
import { createShortHash } from '../short-hash.ts';
import type { VueCompiler } from './load-compiler.ts';
import { describeVueError } from './vue-diagnostics.ts';
import { compileVueScript, componentVariable } from './vue-script.ts';
import { compileVueStyles, type VueStyles } from './vue-styles.ts';
import type { LanguageContext, ModuleSource } from '../compile-context.ts';

/**
 * Compiles a component.
 * @param descriptor Its blocks, without problems of their own.
 */
export async function compileVue2(
  source: ModuleSource,
  descriptor: SFCDescriptor,
  vue: VueCompiler,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path } = source;
  const lang = (descriptor.scriptSetup ?? descriptor.script)?.lang;
  if (lang === 'jsx' || lang === 'tsx') {
    const message = 'JSX in Vue 2 isn’t supported. Use a template.';
    return createFailedComponent(path, [{ message, line: 1, column: 1 }]);
  }
  const id = createShortHash(path);
  const script = tryScript(vue, descriptor, id, context);
  if ('message' in script) return createFailedComponent(path, [script]);
  const template = compileTemplate(descriptor, context);
  const styles = await compileVueStyles(vue, descriptor, id, context);
  const problems = [...(template?.problems ?? []), ...styles.problems];
  if (problems.length > 0) return createFailedComponent(path, problems);

  const code = concatenateCode([
    script.code,
    createUnmappedCode(createStyleCode(path, `vue-${id}`, styles.css, context.exists)),
    createUnmappedCode(createOptionsCode(descriptor, id, styles, script.components)),
    createUnmappedCode(template?.code ?? ''),
    createUnmappedCode(`export default ${componentVariable};`),
  ]);
  const typed =
    lang === 'ts'
      ? { language: 'ts' as const, transform: await context.loadTransform() }
      : undefined;
  const finished = await finishComponent(source, code, context, {
    typed,
    identity: '(one) => one',
  });
  return { ...finished, absent: [...finished.absent, ...styles.absent] };
}

function tryScript(
  vue: VueCompiler,
  descriptor: SFCDescriptor,
  id: string,
  context: LanguageContext,
) {
  try {
    return compileVueScript(vue, descriptor, id, context);
  } catch (error) {
    return describeVueError(error, descriptor.source);
  }
}

/** Variable of the component's options: a component may be the result of `Vue.extend`. */
const optionsVariable = '__options';

/** Creates code that sets the options of a component that aren't in its script. */
function createOptionsCode(
  { filename, styles }: SFCDescriptor,
  id: string,
  { modules }: VueStyles,
  components: readonly string[],
): string {
  const lines = [
    `const ${optionsVariable} = typeof ${componentVariable} === 'function' ? ${componentVariable}.options : ${componentVariable};`,
    `${optionsVariable}.__file = ${JSON.stringify(filename)};`,
  ];
  if (styles.some(({ scoped }) => scoped))
    lines.push(`${optionsVariable}._scopeId = ${JSON.stringify(`data-v-${id}`)};`);
  if (components.length > 0)
    lines.push(
      `${optionsVariable}.components = { ${components.join(', ')}, ...${optionsVariable}.components };`,
    );
  if (Object.keys(modules).length > 0)
    lines.push(
      `${optionsVariable}.beforeCreate = [].concat(${optionsVariable}.beforeCreate ?? [], function () { Object.assign(this, ${JSON.stringify(modules)}); });`,
    );
  return lines.join('\n');
}

/** Attributes with the URL of a file, by element. */
const urlAttributes: Readonly<Record<string, readonly string[]>> = {
  video: ['src', 'poster'],
  audio: ['src'],
  source: ['src'],
  img: ['src'],
  image: ['xlink:href', 'href'],
  use: ['xlink:href', 'href'],
};

/**
 * Compiles the template to functions that are created from text: they look up names with `with`, which
 * modules don't allow. Undefined if there is none.
 */
function compileTemplate(
  { template, filename, source }: SFCDescriptor,
  { exists }: LanguageContext,
): { code: string; problems: CompileDiagnostic[] } | undefined {
  if (!template) return undefined;
  const files: string[] = [];
  const assets = {
    postTransformNode({ tag, attrs }: { tag: string; attrs?: { name: string; value: string }[] }) {
      for (const attribute of attrs ?? []) {
        if (!urlAttributes[tag]?.includes(attribute.name)) continue;
        const url = /^"(.*)"$/.exec(attribute.value)?.[1];
        const path = url === undefined ? undefined : resolvePath(filename, url);
        if (url?.startsWith('/') || path === undefined || !exists(path)) continue;
        if (!files.includes(path)) files.push(path);
        // Names with an underscore aren't looked up in the component.
        attribute.value = `_files[${files.indexOf(path)}]`;
      }
    },
  };
  const { render, staticRenderFns, errors } = withCheckedFunctions(() =>
    templateCompiler.compile(template.content, {
      outputSourceRange: true,
      whitespace: 'condense',
      modules: [assets],
    }),
  );
  const problems = errors.map(({ msg, start = 0 }) => ({
    message: describeTemplateError(msg),
    ...getPosition(source, template.loc.start.offset + start),
  }));
  const isFunctional = 'functional' in template.attrs;
  const createFunction = (body: string) =>
    isFunctional
      ? `__function('_h, _vm', ${JSON.stringify(body.replace(/^with\(this\)/, 'with(_vm)'))})`
      : `__function('', ${JSON.stringify(body)})`;
  const code = [
    ...files.map((path, at) => `import __file_${at} from "/${encodePath(path)}?url";`),
    `const __files = [${files.map((_, at) => `__file_${at}`).join(', ')}];`,
    "const __function = (parameters, body) => new Function('_files', `return function (${parameters}) {${body}}`)(__files);",
    `${optionsVariable}.render = ${createFunction(render)};`,
    `${optionsVariable}.staticRenderFns = [${staticRenderFns.map(createFunction).join(', ')}];`,
    `${optionsVariable}._compiled = true;`,
    ...(isFunctional ? [`${optionsVariable}.functional = true;`] : []),
  ].join('\n');
  return { code, problems };
}

/**
 * Runs a function with a `Function` constructor that only checks the syntax of its text. The compiler
 * checks expressions with it, and the policy of the app's worker forbids the browser's.
 */
function withCheckedFunctions<T>(run: () => T): T {
  const native = globalThis.Function;
  const check = (texts: readonly string[]) => {
    const body = texts.at(-1) ?? '';
    const parameters = texts.slice(0, -1).join();
    parseScript(`(function (${parameters}) {${body}\n})`, {
      ecmaVersion: 'latest',
      sourceType: 'script',
    });
    return {};
  };
  // A minifier may write a call instead of `new`.
  globalThis.Function = new Proxy(native, {
    construct: (_target, texts: string[]) => check(texts),
    apply: (_target, _self, texts: string[]) => check(texts),
  });
  try {
    return run();
  } finally {
    globalThis.Function = native;
  }
}

/** "invalid expression: … Raw expression: {{ a + }}" → “{{ a + }}” isn’t a valid expression. */
function describeTemplateError(message: string): string {
  const raw = /Raw expression: (.+)/.exec(message)?.[1]?.trim();
  if (raw !== undefined && message.startsWith('invalid'))
    return `“${raw}” isn’t a valid expression.`;
  const [first = ''] = message.trim().split('\n');
  const plain = first.replace(/[.\s:]+$/, '').replace(/"([^"]*)"/g, '“$1”');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}
