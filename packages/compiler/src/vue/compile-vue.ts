/**
 * Compiles Vue components (`.vue`) to modules that contain the script, the template as a separate
 * render function, code that adds the styles to the page, and HMR code that preserves state. The
 * template isn't inlined into `setup`, so that HMR can replace it alone.
 */
import type { SFCDescriptor } from '@vue/compiler-sfc';
import type { CompiledText } from '../compiled-file.ts';
import { createStyleCode } from '../component/component-styles.ts';
import {
  createFailedComponent,
  finishComponent,
  type TypeScriptStep,
} from '../component/finish-component.ts';
import { concatenateCode, createUnmappedCode } from '../component/mapped-code.ts';
import { createVersionProblem, isOlder } from '../framework-versions.ts';
import { createShortHash } from '../short-hash.ts';
import { loadVueCompiler, type VueCompiler } from './load-compiler.ts';
import { findBlockProblems } from './vue-blocks.ts';
import { describeVueError, describeVueErrors } from './vue-diagnostics.ts';
import { compileVueScript, componentVariable, type VueScript } from './vue-script.ts';
import { compileVueStyles, type VueStyles } from './vue-styles.ts';
import { compileVueTemplate, renderFunction, type VueTemplate } from './vue-template.ts';
import { sameImportsExpression } from '../script/imports-export.ts';
import type { ModuleSource, LanguageContext } from '../compile-context.ts';

export async function compileVue(
  source: ModuleSource,
  context: LanguageContext,
): Promise<CompiledText> {
  const { path, text } = source;
  const version = context.versions.vue;
  if (version !== undefined && (isOlder(version, 2, 7) || !isOlder(version, 4))) {
    const manifest = context.read('package.json');
    return createFailedComponent(path, [
      createVersionProblem('vue', version, supportedVersions, manifest),
    ]);
  }
  const vue = await loadVueCompiler();
  const { descriptor, errors: found } = vue.parse(text, { filename: path });
  const isVue2 = isOlder(version, 3);
  const errors = isVue2 ? found.filter((error) => !isAboutFunctional(error)) : found;
  const errorsBefore = [...describeVueErrors(errors, text), ...findBlockProblems(descriptor)];
  if (errorsBefore.length > 0) return createFailedComponent(path, errorsBefore);
  if (isVue2) {
    const { compileVue2 } = await import('./compile-vue-2.ts');
    return compileVue2(source, descriptor, vue, context);
  }

  const id = createShortHash(path);
  const script = tryScript(vue, descriptor, id, context);
  if ('message' in script) return createFailedComponent(path, [script]);
  const language = findLanguage(descriptor);
  const template = compileVueTemplate(
    vue,
    descriptor,
    id,
    script.bindings,
    language !== 'js',
    context.exists,
  );
  const styles = await compileVueStyles(vue, descriptor, id, context);
  const problems = [...(template?.problems ?? []), ...styles.problems];
  if (problems.length > 0) return createFailedComponent(path, problems);

  const typed = await loadTypedStep(language, context);
  const code = joinParts(descriptor, id, { script, template, styles }, context);
  const finished = await finishComponent(source, code, createVueContext(context), {
    typed,
    identity: vueIdentity,
  });
  return { ...finished, absent: [...finished.absent, ...styles.absent] };
}

const supportedVersions = {
  label: 'Vue',
  versions: '2.7 and 3',
  oldest: '^2.7.16',
  newest: '^3.5.45',
};

/** Whether an error says that Vue 3 has no functional templates, which Vue 2 has. */
function isAboutFunctional(error: Error): boolean {
  return error.message.includes('<template functional>');
}

interface Parts {
  script: VueScript;
  template: VueTemplate | undefined;
  styles: VueStyles;
}

function joinParts(
  { filename, styles: blocks }: SFCDescriptor,
  id: string,
  { script, template, styles }: Parts,
  { exists }: LanguageContext,
) {
  const isScoped = blocks.some(({ scoped }) => scoped);
  const properties = {
    __file: JSON.stringify(filename),
    ...(template && { render: renderFunction }),
    ...(isScoped && { __scopeId: JSON.stringify(`data-v-${id}`) }),
    ...(Object.keys(styles.modules).length > 0 && { __cssModules: JSON.stringify(styles.modules) }),
  };
  /** Hash of everything whose change requires recreating the component. */
  const state = createShortHash(script.code.code + JSON.stringify([isScoped, styles.modules]));
  return concatenateCode([
    script.code,
    ...(template ? [template.code] : []),
    createUnmappedCode(createStyleCode(filename, `vue-${id}`, styles.css, exists)),
    createUnmappedCode(
      Object.entries(properties)
        .map(([name, value]) => `${componentVariable}.${name} = ${value};`)
        .join('\n'),
    ),
    createUnmappedCode(createVueHmrCode(id, state)),
    createUnmappedCode(`export default ${componentVariable};`),
  ]);
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

type ScriptLanguage = TypeScriptStep['language'] | 'js';

/** Returns the language of a component's scripts. Both scripts have the same one. */
function findLanguage({ script, scriptSetup }: SFCDescriptor): ScriptLanguage {
  const lang = (scriptSetup ?? script)?.lang;
  return lang === 'ts' || lang === 'tsx' || lang === 'jsx' ? lang : 'js';
}

async function loadTypedStep(
  language: ScriptLanguage,
  { loadTransform }: LanguageContext,
): Promise<TypeScriptStep | undefined> {
  return language === 'js' ? undefined : { language, transform: await loadTransform() };
}

/** JSX in Vue components creates Vue elements, and Vue's own HMR replaces the React refresh. */
function createVueContext(context: LanguageContext): LanguageContext {
  const settings = { ...context.settings, jsxImportSource: 'vue', refreshLibrary: null };
  return { ...context, settings };
}

/** Expression of a function that returns the same value for all versions of a component. */
const vueIdentity = '(one) => one?.__hmrId ?? one';

/**
 * Creates HMR code. If the script (`state`) and the imported values are unchanged, only the render
 * function is replaced and the component keeps its state. Otherwise it is recreated. Vue's
 * development build has functions for both.
 */
function createVueHmrCode(id: string, state: string): string {
  return `${componentVariable}.__hmrId = ${JSON.stringify(id)};
${componentVariable}.__state = ${JSON.stringify(state)};
if (import.meta.hot && typeof __VUE_HMR_RUNTIME__ !== 'undefined') {
  __VUE_HMR_RUNTIME__.createRecord(${componentVariable}.__hmrId, ${componentVariable});
  import.meta.hot.accept((module) => {
    const next = module?.default;
    if (!next) return;
    if (next.__state === ${JSON.stringify(state)} && ${sameImportsExpression})
      __VUE_HMR_RUNTIME__.rerender(next.__hmrId, next.render);
    else __VUE_HMR_RUNTIME__.reload(next.__hmrId, next);
  });
}`;
}
